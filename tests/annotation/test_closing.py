"""A campaign ends on its day at once, and with its last answer honestly."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answers.submit import AnswerRefused, record_answers
from annotation.assignment.closing import close_complete_campaigns, is_complete
from annotation.assignment.next_unit import CampaignNotOpen, next_assignment
from annotation.models import Annotation, Assignment
from annotation.review.exclusions import Decider, exclude_answers
from annotation.tasks import close_complete_campaigns_task
from campaigns.launch.lifecycle import WrongStatus, close_due_campaigns, open_campaign
from campaigns.models import Campaign
from campaigns.tasks import close_due_campaigns_task
from infrastructure.background.debounce import WHILE
from tests.campaigns.webhooks.clocks import Clock, clock
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
__all__ = ["clock"]
MINUTES = int(WHILE / timedelta(minutes=1))


def answer_all(campaign: Campaign, *, people: int = 1) -> None:
    """By so many people."""
    for _ in range(people):
        annotator = make_member(campaign)
        while assignment := next_assignment(campaign, annotator):
            record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")


def looked(clock: Clock, *, minutes: int = MINUTES) -> list[Campaign]:
    """What is closed by looks at each of so many minutes, the first one now."""
    found = close_complete_campaigns()
    for _minute in range(minutes):
        clock.move(minutes=1)
        found += close_complete_campaigns()
    return found


def status_of(campaign: Campaign) -> str:
    return Campaign.objects.get(pk=campaign.pk).status


# -- on its day -----------------------------------------------------------------------------------------------


@pytest.mark.databases
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


@each("status", ["draft", "paused", "closed"])
def test_page_of_an_archived_campaign_does_not_say_come_back(client: Client, status: str) -> None:
    campaign = make_campaign(status=status, archived_at=timezone.now())
    link = make_invitation(campaign)
    client.force_login(make_member(campaign))

    label = client.get(reverse("label", args=[campaign.slug])).content.decode()
    join = client.get(reverse("join", args=[link.token])).content.decode()

    assert ("This campaign is closed." if status == "closed" else "This campaign was archived. Thank you!") in label
    assert "This study is over." in join
    assert "Come back later" not in label + join


def test_page_on_the_day_says_so_politely_and_the_link_too(client: Client) -> None:
    campaign = make_campaign(closes_at=timezone.now())
    link = make_invitation(campaign)
    client.force_login(make_member(campaign))

    label = client.get(reverse("label", args=[campaign.slug])).content.decode()
    home = client.get(reverse("home")).content.decode()
    join = client.get(reverse("join", args=[link.token])).content.decode()

    assert "This campaign is closed. Thank you!" in label
    assert "Closed. Thank you." in home
    assert "This study is over." in join


@pytest.mark.databases
@each(
    "status, days, after",
    [("open", -1, "closed"), ("paused", -1, "closed"), ("draft", -1, "draft"), ("open", 1, "open")],
    undo=True,
)
def test_clock_closes_what_is_due_for_a_while_and_only_that(clock: Clock, status: str, days: int, after: str) -> None:
    campaign = make_campaign(status=status, closes_at=clock.at + timedelta(days=days))
    without_a_day = make_campaign()

    closed = []
    for _minute in range(MINUTES + 2):
        closed.append(close_due_campaigns_task())
        clock.move(minutes=1)

    assert closed == [0] * MINUTES + [int(after == "closed"), 0]
    assert status_of(campaign) == after
    assert status_of(without_a_day) == "open"


@pytest.mark.databases
def test_clock_that_was_ahead_for_some_minutes_closes_nothing(clock: Clock) -> None:
    campaign = make_campaign(closes_at=clock.at + timedelta(hours=1))
    closed = close_due_campaigns()
    clock.move(hours=26)
    for _minute in range(5):
        closed += close_due_campaigns()
        clock.move(minutes=1)
    clock.move(hours=-26)
    closed += close_due_campaigns()
    clock.move(hours=1)

    assert (closed, close_due_campaigns()) == (0, 0)
    assert status_of(campaign) == "open"


@pytest.mark.databases
def test_clock_set_back_reopens_nothing(clock: Clock) -> None:
    campaign = make_campaign(closes_at=clock.at)
    for _minute in range(MINUTES + 1):
        close_due_campaigns()
        clock.move(minutes=1)
    clock.move(days=-1)
    campaign.refresh_from_db()

    assert (campaign.status, campaign.takes_answers, close_due_campaigns()) == ("closed", False, 0)
    with pytest.raises(WrongStatus):
        open_campaign(campaign)


# -- with its last answer -------------------------------------------------------------------------------------


def test_campaign_closes_when_every_unit_has_had_its_answers_for_a_while(clock: Clock) -> None:
    campaign = make_campaign(answers_per_unit=2, closes_when_complete=True)
    answer_all(campaign)
    half = looked(clock)
    answer_all(campaign)
    young = looked(clock, minutes=MINUTES - 1)
    clock.move(minutes=1)

    assert (half, young) == ([], [])
    assert (close_complete_campaigns_task(), close_complete_campaigns_task()) == (1, 0)
    assert status_of(campaign) == "closed"


def test_campaign_that_was_not_asked_to_stays_open(clock: Clock) -> None:
    campaign = make_campaign()
    answer_all(campaign)

    assert is_complete(campaign)
    assert looked(clock) == []


@pytest.mark.databases
def test_answer_that_is_left_out_frees_its_seat_before_the_end(clock: Clock) -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    looked(clock, minutes=MINUTES - 1)
    exclude_answers([Assignment.objects.first()], reason="speed", decider=Decider(rule="too fast"))
    left_out = looked(clock)
    answer_all(campaign)
    young = looked(clock, minutes=MINUTES - 1)
    clock.move(minutes=1)

    assert left_out == young == []
    assert close_complete_campaigns() == [campaign]


def test_campaign_waits_for_who_is_changing_an_answer(clock: Clock) -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(reopened_at=timezone.now())

    assert looked(clock) == []


def test_answer_that_was_changed_meanwhile_settles_anew(clock: Clock) -> None:
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    looked(clock, minutes=MINUTES - 1)
    before = Annotation.objects.order_by("pk")[0]
    changed = {"supersedes": before, "idempotency_key": "changed", "shown_at": clock.at}
    Annotation.objects.create(assignment=before.assignment, **changed)
    clock.move(minutes=1)

    assert close_complete_campaigns() == []


@pytest.mark.databases
@pytest.mark.parametrize("hours", [26, -26])
def test_clock_that_is_moved_begins_the_while_anew(clock: Clock, hours: int) -> None:
    """A day ahead would make the last answer look old; a day back, as if it were yet to come."""
    campaign = make_campaign(closes_when_complete=True)
    answer_all(campaign)
    looked(clock, minutes=1)
    clock.move(hours=hours)
    young = looked(clock, minutes=MINUTES - 1)
    clock.move(minutes=1)

    assert young == []
    assert close_complete_campaigns() == [campaign]


@pytest.mark.databases
def test_unit_taken_before_the_clock_was_set_back_keeps_no_campaign_open(clock: Clock) -> None:
    campaign = make_campaign(closes_when_complete=True, answers_per_unit=2)
    clock.move(days=1)
    assert next_assignment(campaign, make_member(campaign))
    clock.move(days=-1)
    answer_all(campaign, people=2)

    assert is_complete(campaign)
    assert looked(clock) == [campaign]


def test_checks_do_not_count_as_answers_of_the_study(clock: Clock) -> None:
    campaign = make_campaign(units=1, closes_when_complete=True)
    unit = campaign.campaign_units.get()
    campaign.campaign_units.create(unit=unit.unit, position=9, purpose="repeat")
    answer_all(campaign)

    assert looked(clock) == [campaign]


def test_campaign_without_units_is_never_complete() -> None:
    assert not is_complete(make_campaign(units=0))
