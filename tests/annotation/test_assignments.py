import csv
import io
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import CampaignNotOpen, give_back, next_assignment, plan_next, reserve_unit
from annotation.assignment.progress import Answered, others_hold_units, own_progress
from annotation.assignment.seat_counts import wrong_counts
from annotation.assignment.seats import candidates
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign, Role
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

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


@pytest.mark.databases
@each("seats, is_full", [((1, 2), True), ((2,), False), ((1,), False), ((1, 3), True), ((3,), False)], undo=True)
def test_candidates_are_the_units_with_fewer_live_answers_than_wanted(
    seats: tuple[int, ...], *, is_full: bool
) -> None:
    campaign = make_campaign(units=1, answers_per_unit=2)
    for seat in seats:
        make_assignment(campaign, make_member(campaign), seat=seat, status="answered")
    make_assignment(campaign, make_member(campaign), seat=2, status="expired")
    make_assignment(campaign, make_member(campaign), seat=2, status="answered", excluded=True)

    assert bool(candidates(campaign, make_member(campaign))) != is_full


@pytest.mark.databases
def test_candidates_are_in_the_order_of_their_live_answers() -> None:
    campaign = make_campaign(units=3, answers_per_unit=5)
    often, never, once = campaign.campaign_units.order_by("position")
    for unit, n in ((often, 2), (never, 0), (once, 1)):
        for seat in range(1, n + 1):
            make_assignment(campaign, make_member(campaign), campaign_unit=unit, seat=seat, status="answered")
    for seat in (1, 2, 3):
        gone = "expired" if seat < 3 else "returned"
        make_assignment(campaign, make_member(campaign), campaign_unit=never, seat=seat, status=gone)
    make_assignment(campaign, make_member(campaign), campaign_unit=never, seat=4, status="answered", excluded=True)

    assert candidates(campaign, make_member(campaign)) == [never.pk, once.pk, often.pk]


def test_next_assignment_gives_a_unit_to_as_many_people_as_wanted() -> None:
    campaign = make_campaign(units=1, answers_per_unit=2)

    given = [next_assignment(campaign, make_member(campaign)) for _ in range(3)]

    assert [assignment and assignment.seat for assignment in given] == [1, 2, None]


@pytest.mark.databases
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


@pytest.mark.databases
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


@pytest.mark.databases
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


@pytest.mark.django_db(transaction=True)
def test_many_people_at_once_meet_every_target_and_see_no_error() -> None:
    """Ten at once on SQLite, fifty on PostgreSQL, each through the pages until nothing is left for them."""
    people = 10 if connection.vendor == "sqlite" else 50
    campaign = make_campaign(units=2 * people // 5, answers_per_unit=5)
    annotators = [make_member(campaign) for _ in range(people)]
    statuses: Counter[int] = Counter()

    def work(annotator: User) -> None:
        client = Client()
        client.force_login(annotator)
        try:
            while True:
                statuses[client.get(reverse("label", args=[campaign.slug])).status_code] += 1
                held = Assignment.objects.filter(annotator=annotator, status="reserved").first()
                if held is None:
                    return
                statuses[client.post(reverse("ahead", args=[campaign.slug])).status_code // 100 * 100] += 1
                url = reverse("answer", args=[campaign.slug, held.pk])
                statuses[client.post(url, DIRECT_ANSWERS, headers={"HX-Request": "true"}).status_code] += 1
        finally:
            connection.close()

    with ThreadPoolExecutor(people) as pool:
        list(pool.map(work, annotators))

    answered = Counter(Annotation.objects.values_list("assignment__campaign_unit", flat=True))
    assert set(statuses) == {200}
    assert set(answered.values()) == {5}
    assert len(answered) == campaign.campaign_units.count()
    seats = Assignment.objects.filter(status="answered").values_list("campaign_unit", "annotator")
    assert len(set(seats)) == len(seats)


@pytest.mark.databases
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


def test_give_back_by_a_removed_annotator_is_refused() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held
    campaign.memberships.update(ended_at=timezone.now())

    with pytest.raises(PermissionDenied):
        give_back(held.pk, annotator=annotator, reason="other")

    held.refresh_from_db()
    assert held.status == "reserved"


@pytest.mark.databases
def test_renewed_reservation_counts_its_seconds_from_when_it_was_shown_again(client: Client) -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held
    yesterday = timezone.now() - timedelta(days=1)
    Assignment.objects.update(reserved_at=yesterday, shown_at=yesterday, expires_at=yesterday + timedelta(hours=1))

    renewed = answer_next(campaign, annotator)

    assert renewed == held
    assert renewed
    assert renewed.shown_at > timezone.now() - timedelta(minutes=1)
    assert Annotation.objects.get().shown_at == renewed.shown_at
    client.force_login(make_member(campaign, Role.ADMIN))
    exported = client.get(reverse("campaign-tidy", args=[campaign.slug])).getvalue().decode()
    assert all(float(row["seconds"]) < 60 for row in csv.DictReader(io.StringIO(exported)))


def test_own_progress_counts_only_what_is_still_to_be_had() -> None:
    campaign = make_campaign(units=4)
    first, second = make_member(campaign), make_member(campaign)

    answer_next(campaign, first)
    next_assignment(campaign, first)
    answer_next(campaign, second)

    # Of four units each has answered one, the first person holds the third, and either may have the fourth.
    assert own_progress(campaign, first) == Answered(1, 3)
    assert own_progress(campaign, second) == Answered(1, 2)


def test_others_hold_units_only_for_those_who_have_not_had_them() -> None:
    campaign = make_campaign(units=1, answers_per_unit=2)
    done = make_member(campaign)
    answer_next(campaign, done)
    next_assignment(campaign, make_member(campaign))

    assert not others_hold_units(campaign, done)
    assert others_hold_units(campaign, make_member(campaign))


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time, and locks no rows")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("seats", "given_seat"), [(2, 2), (1, None)])
def test_next_assignment_waits_for_the_only_unit_with_free_seats(seats: int, given_seat: int | None) -> None:
    campaign = make_campaign(units=1, answers_per_unit=seats)
    first, second = make_member(campaign), make_member(campaign)
    locked, asked = Event(), Event()

    def reserve_slowly() -> None:
        try:
            with transaction.atomic():
                next_assignment(campaign, first)
                locked.set()
                asked.wait(10)
                time.sleep(0.5)  # until the second one stands before the lock
        finally:
            connection.close()

    def reserve() -> Assignment | None:
        try:
            locked.wait(10)
            asked.set()
            return next_assignment(campaign, second)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        pool.submit(reserve_slowly)
        given = pool.submit(reserve).result()

    assert (given and given.seat) == given_seat


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time, and locks no rows")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("other", ["takes another unit", "plans anew"])
def test_plan_that_another_tab_takes_up_is_not_deleted(monkeypatch: pytest.MonkeyPatch, other: str) -> None:
    """One tab reserves what was planned, and the other, which had read the plan before, wanted to be rid of it."""
    campaign = make_campaign(units=2)
    annotator = make_member(campaign)
    plan = plan_next(campaign, annotator)
    assert plan
    unit = campaign.campaign_units.exclude(pk=plan.campaign_unit_id).get()
    taken, read = Event(), Event()

    def take_up_slowly() -> None:
        try:
            with transaction.atomic():
                read.wait(10)
                reserve_unit(plan.campaign_unit, annotator, order=plan.order, plan=plan)
                taken.set()
                time.sleep(0.5)  # until the other tab stands before the row
        finally:
            connection.close()

    def after_reading(*_given: object) -> bool:
        read.set()
        taken.wait(10)
        return False

    def other_tab() -> Assignment | None:
        try:
            if other == "plans anew":
                monkeypatch.setattr("annotation.assignment.next_unit.is_free", after_reading)
                return plan_next(campaign, annotator)
            after_reading()
            with transaction.atomic():
                return reserve_unit(unit, annotator, order="ab", plan=plan)
        except IntegrityError:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(take_up_slowly)
        given = pool.submit(other_tab).result()
        first.result()

    assert given is None
    assert Assignment.objects.get().status == "reserved"
    assert wrong_counts() == []
