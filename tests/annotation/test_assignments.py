from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.assignments import CampaignNotOpen, give_back, next_assignment
from annotation.models import Assignment
from annotation.records import record_answers
from campaigns.models import Campaign
from tests.factories import DIRECT_ANSWERS, make_campaign, make_member

pytestmark = pytest.mark.django_db


def answer_next(campaign: Campaign, annotator: User) -> Assignment | None:
    assignment = next_assignment(campaign, annotator)
    if assignment:
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    return assignment


def test_next_assignment_stays_the_same_until_it_is_answered() -> None:
    campaign = make_campaign()
    annotator = make_member(campaign)

    assert next_assignment(campaign, annotator) == next_assignment(campaign, annotator)


def test_next_assignment_goes_through_every_unit_once_and_ends() -> None:
    campaign = make_campaign(units=3)
    annotator = make_member(campaign)

    given = [answer_next(campaign, annotator) for _ in range(4)]

    assert given[3] is None
    assert len({assignment.campaign_unit_id for assignment in given[:3] if assignment}) == 3


def test_next_assignment_gives_two_people_different_units_where_one_answer_is_wanted() -> None:
    campaign = make_campaign(units=2)

    first = next_assignment(campaign, make_member(campaign))
    second = next_assignment(campaign, make_member(campaign))

    assert first
    assert second
    assert first.campaign_unit != second.campaign_unit
    assert next_assignment(campaign, make_member(campaign)) is None


def test_next_assignment_gives_a_unit_to_as_many_people_as_wanted() -> None:
    campaign = make_campaign(units=1, answers_per_unit=2)

    given = [next_assignment(campaign, make_member(campaign)) for _ in range(3)]

    assert [assignment and assignment.seat for assignment in given] == [1, 2, None]


def test_next_assignment_takes_back_what_expired() -> None:
    campaign = make_campaign(units=1)
    held = next_assignment(campaign, make_member(campaign))
    assert held
    Assignment.objects.filter(pk=held.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    again = next_assignment(campaign, make_member(campaign))

    held.refresh_from_db()
    assert held.status == Assignment.Status.EXPIRED
    assert again
    assert again.campaign_unit == held.campaign_unit


def test_next_assignment_renews_ones_own_expired_reservation() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held
    Assignment.objects.filter(pk=held.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    again = next_assignment(campaign, annotator)

    assert again == held
    assert again
    assert again.expires_at > timezone.now()


def test_next_assignment_draws_both_orders() -> None:
    campaign = make_campaign(units=40)
    annotator = make_member(campaign)

    given = [answer_next(campaign, annotator) for _ in range(40)]

    assert {assignment.order for assignment in given if assignment} == {"ab", "ba"}


@pytest.mark.parametrize("status", ["draft", "paused", "closed"])
def test_next_assignment_of_a_campaign_that_is_not_open_is_refused(status: str) -> None:
    campaign = make_campaign(status=status)

    with pytest.raises(CampaignNotOpen):
        next_assignment(campaign, make_member(campaign))


@pytest.mark.django_db(transaction=True)
def test_next_assignment_under_rush_keeps_every_unit_at_its_target() -> None:
    campaign = make_campaign(units=6, answers_per_unit=3)
    annotators = [make_member(campaign) for _ in range(5)]

    def work(annotator: User) -> None:
        try:
            while answer_next(campaign, annotator):
                pass
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(work, annotators))

    answered = Counter(Assignment.objects.filter(status="answered").values_list("campaign_unit", flat=True))
    assert set(answered.values()) == {3}
    assert len(answered) == 6


def test_give_back_frees_the_seat_and_the_unit_goes_to_somebody_else() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held

    give_back(held.pk, annotator=annotator, reason="does_not_play")

    assert next_assignment(campaign, annotator) is None
    other = next_assignment(campaign, make_member(campaign))
    assert other
    assert other.campaign_unit == held.campaign_unit


def test_give_back_of_an_answered_unit_changes_nothing() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    answered = answer_next(campaign, annotator)
    assert answered

    assert give_back(answered.pk, annotator=annotator, reason="other").status == "answered"


def test_give_back_wants_a_known_reason_and_ones_own_unit() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held

    with pytest.raises(ValueError, match="no reason"):
        give_back(held.pk, annotator=annotator, reason="bored")
    with pytest.raises(Assignment.DoesNotExist):
        give_back(held.pk, annotator=make_member(campaign), reason="other")
