"""A campaign ends on its day at once, and with its last answer honestly."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.assignments import CampaignNotOpen, next_assignment
from annotation.closing import SETTLING, close_complete_campaigns, is_complete
from annotation.exclusions import Decider, exclude_answers
from annotation.models import Annotation, Assignment
from annotation.records import AnswerRefused, record_answers
from annotation.tasks import close_complete_campaigns_task
from campaigns.models import Campaign
from campaigns.tasks import close_due_campaigns_task
from tests.factories import DIRECT_ANSWERS, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db


def answer_all(campaign: Campaign, *, people: int = 1) -> None:
    """By so many people, long enough ago."""
    for _ in range(people):
        annotator = make_member(campaign)
        while assignment := next_assignment(campaign, annotator):
            record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    Annotation.objects.update(recorded_at=timezone.now() - SETTLING - timedelta(seconds=1))


def status_of(campaign: Campaign) -> str:
    return Campaign.objects.get(pk=campaign.pk).status


# -- on its day -----------------------------------------------------------------------------------------------


def test_nothing_is_given_or_taken_once_the_day_has_come() -> None:
    campaign = make_campaign()
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held
    Campaign.objects.update(closes_at=timezone.now())
    campaign.refresh_from_db()

    with pytest.raises(CampaignNotOpen):
        next_assignment(campaign, annotator)
    with pytest.raises(AnswerRefused):
        record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert status_of(campaign) == "open"
    assert not Annotation.objects.exists()


def test_day_that_is_to_come_changes_nothing_but_is_told(client: Client) -> None:
    campaign = make_campaign(closes_at=timezone.now() + timedelta(days=1))
    client.force_login(make_member(campaign))

    home = client.get(reverse("home")).content.decode()
    label = client.get(reverse("label", args=[campaign.slug])).content.decode()

    assert home.count("Closes on ") == 1
    assert label.count("open until ") == 1
    assert "data-unit " in label


def test_page_on_the_day_says_so_politely_and_the_link_too(client: Client) -> None:
    campaign = make_campaign(closes_at=timezone.now())
    link = make_invitation(campaign)
    client.force_login(make_member(campaign))

    label = client.get(reverse("label", args=[campaign.slug])).content.decode()
    home = client.get(reverse("home")).content.decode()
    join = client.get(reverse("join", args=[link.token])).content.decode()

    assert "This campaign is not open at the moment" in label
    assert "Closed. Thank you." in home
    assert "This study is over." in join


@pytest.mark.parametrize(
    ("status", "days", "after"),
    [("open", -1, "closed"), ("paused", -1, "closed"), ("draft", -1, "draft"), ("open", 1, "open")],
)
def test_clock_closes_what_is_due_and_only_that(status: str, days: int, after: str) -> None:
    campaign = make_campaign(status=status, closes_at=timezone.now() + timedelta(days=days))
    without_a_day = make_campaign()

    first, again = close_due_campaigns_task(), close_due_campaigns_task()

    assert status_of(campaign) == after
    assert (first, again) == (int(after == "closed"), 0)
    assert status_of(without_a_day) == "open"


# -- with its last answer -------------------------------------------------------------------------------------


def test_campaign_closes_when_every_unit_has_its_answers() -> None:
    campaign = make_campaign(answers_per_unit=2, closes_when_complete=True)
    answer_all(campaign)
    half = close_complete_campaigns_task()
    answer_all(campaign)

    assert (half, close_complete_campaigns_task(), close_complete_campaigns_task()) == (0, 1, 0)
    assert status_of(campaign) == "closed"


def test_campaign_that_was_not_asked_to_stays_open() -> None:
    campaign = make_campaign()
    answer_all(campaign)

    assert is_complete(campaign)
    assert close_complete_campaigns() == []


def test_answer_that_is_left_out_frees_its_seat_before_the_end() -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    exclude_answers([Assignment.objects.first()], reason="speed", decider=Decider(rule="too fast"))
    before = close_complete_campaigns()
    answer_all(campaign)

    assert before == []
    assert close_complete_campaigns() == [campaign]


def test_last_answer_settles_before_the_end() -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    Annotation.objects.update(recorded_at=timezone.now() - SETTLING + timedelta(minutes=1))

    assert close_complete_campaigns() == []


def test_campaign_waits_for_who_is_changing_an_answer() -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(reopened_at=timezone.now())

    assert close_complete_campaigns() == []


def test_checks_do_not_count_as_answers_of_the_study() -> None:
    campaign = make_campaign(units=1, closes_when_complete=True)
    unit = campaign.campaign_units.get()
    campaign.campaign_units.create(unit=unit.unit, position=9, purpose="repeat")
    answer_all(campaign)

    assert close_complete_campaigns() == [campaign]


def test_campaign_without_units_is_never_complete() -> None:
    assert not is_complete(make_campaign(units=0))
