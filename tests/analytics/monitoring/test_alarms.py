"""The alarm over exclusions: one line in the log for each time it begins, and nothing decided by it."""

import logging
import random

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from analytics import tasks
from analytics.models import ExclusionAlarm
from analytics.monitoring.alarms import watch_exclusions
from analytics.tasks import watch_exclusions_task
from annotation.assignment.seat_counts import repair_counts
from annotation.models import Annotation, Assignment, Reason, UseDecision
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, CampaignUnit, Role
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
RULE = Decider(rule="gold below 0.7")


@pytest.fixture
def campaign() -> Campaign:
    """Sixty units, each answered once by one of two people: the first half, and the second."""
    campaign = make_campaign(units=0, answers_per_unit=1)
    one = make_campaign(units=1).campaign_units.get().unit
    people = [make_member(campaign), make_member(campaign)]
    now = timezone.now()
    for n in range(60):
        unit = CampaignUnit.objects.create(campaign=campaign, unit=_another(one, campaign, n), position=n)
        assignment = Assignment.objects.create(
            campaign=campaign, campaign_unit=unit, annotator=people[n // 30], order="ab", seat=1, status="answered",
            reserved_at=now, expires_at=now,
        )  # fmt: skip
        Annotation.objects.create(assignment=assignment, shown_at=now, idempotency_key="k")
    repair_counts(campaign)
    return campaign


def _another(unit: object, campaign: Campaign, n: int) -> object:
    unit.pk, unit.key, unit.dataset = None, f"unit {n}", campaign.dataset
    unit.save()
    return unit


def latest(campaign: Campaign, n: int) -> list[Assignment]:
    return list(Assignment.objects.filter(campaign=campaign).order_by("-annotations__pk")[:n])


def test_many_answers_left_out_of_late_raise_one_alarm_and_one_line(
    campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)

    for _ in range(3):
        watch_exclusions(campaign)

    alarm = ExclusionAlarm.objects.get()
    assert (alarm.recent, alarm.of_recent, alarm.before, alarm.of_before) == (20, 30, 0, 30)
    assert (alarm.rule, alarm.ended_at) == ("gold below 0.7", None)
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (
            logging.WARNING,
            f"Campaign {campaign.slug}: 20 of the last 30 answers are left out, 0 of 30 before; most by rule "
            "gold below 0.7. Nothing was changed.",
        )
    ]


def test_line_in_the_log_names_nobody(campaign: Campaign, caplog: pytest.LogCaptureFixture) -> None:
    exclude_answers(latest(campaign, 25), reason=Reason.OTHER, decider=Decider(UserFactory(username="Rumpelstilz")))

    alarm = watch_exclusions(campaign)

    assert alarm is not None
    assert alarm.rule == ""
    names = {"Rumpelstilz", *campaign.memberships.values_list("user__username", flat=True)}
    assert [name for name in names if name in caplog.text] == []


@pytest.mark.databases
def test_few_answers_left_out_raise_none(campaign: Campaign) -> None:
    exclude_answers(random.Random(3).sample(latest(campaign, 60), 5), reason=Reason.GOLD, decider=RULE)

    assert watch_exclusions(campaign) is None
    assert not ExclusionAlarm.objects.exists()


def test_everything_left_out_from_the_beginning_raises_it() -> None:
    """With nothing to compare with: the share alone is too large."""
    campaign = make_campaign(units=0)
    one, person, now = make_campaign(units=1).campaign_units.get().unit, make_member(campaign), timezone.now()
    for n in range(20):
        unit = CampaignUnit.objects.create(campaign=campaign, unit=_another(one, campaign, n), position=n)
        Assignment.objects.create(
            campaign=campaign, campaign_unit=unit, annotator=person, order="ab", seat=1, status="answered",
            reserved_at=now, expires_at=now,
        )  # fmt: skip
    repair_counts(campaign)
    exclude_answers(Assignment.objects.all(), reason=Reason.GOLD, decider=RULE)

    alarm = watch_exclusions(campaign)

    assert alarm is not None
    assert (alarm.recent, alarm.of_recent, alarm.of_before) == (20, 20, 0)


@pytest.mark.databases
def test_alarm_excludes_nothing_and_includes_nothing(campaign: Campaign) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    before = list(Assignment.objects.order_by("pk").values_list("pk", "excluded")), UseDecision.objects.count()

    watch_exclusions(campaign)

    assert (
        list(Assignment.objects.order_by("pk").values_list("pk", "excluded")),
        UseDecision.objects.count(),
    ) == before


@pytest.mark.databases
def test_alarm_ends_when_the_answers_are_taken_in_again_and_a_new_one_is_another(
    campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    watch_exclusions(campaign)
    include_answers(latest(campaign, 20), decider=RULE)

    assert watch_exclusions(campaign) is None
    assert ExclusionAlarm.objects.filter(ended_at=None).count() == 0
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    watch_exclusions(campaign)

    assert (ExclusionAlarm.objects.count(), len(caplog.records)) == (2, 2)


def test_who_withdraws_raises_no_alarm(campaign: Campaign) -> None:
    person = latest(campaign, 1)[0].annotator

    withdraw(campaign, person, identity=False, answers=True)

    assert watch_exclusions(campaign) is None


@pytest.mark.databases
def test_look_that_fails_is_no_alarm_and_stops_no_other(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = make_campaign()
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)

    def look(row: Campaign) -> ExclusionAlarm | None:
        if row == broken:
            raise OSError("the disk is gone")
        return watch_exclusions(row)

    monkeypatch.setattr(tasks, "watch_exclusions", look)

    assert watch_exclusions_task() == 1
    assert list(ExclusionAlarm.objects.values_list("campaign", flat=True)) == [campaign.pk]
    assert f"The exclusions of campaign {broken.slug} could not be looked at" in caplog.text


@pytest.mark.databases
def test_closed_campaign_is_looked_at_while_its_alarm_stands(campaign: Campaign) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    watch_exclusions_task()
    Campaign.objects.update(status="closed")
    include_answers(latest(campaign, 20), decider=RULE)

    assert watch_exclusions_task() == 0
    assert ExclusionAlarm.objects.get().ended_at is not None


# -- pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["home", "campaign"])
def test_staff_read_the_alarm_with_its_numbers(client: Client, campaign: Campaign, name: str) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    watch_exclusions(campaign)
    client.force_login(make_member(campaign, Role.RESEARCHER))

    page = client.get(reverse(name, args=[campaign.slug] if name == "campaign" else [])).content.decode()

    assert "20 of the last 30, 0 of 30 before." in page
    assert "Most by the rule “gold below 0.7”." in page


def test_annotators_read_no_alarm(client: Client, campaign: Campaign) -> None:
    exclude_answers(latest(campaign, 20), reason=Reason.GOLD, decider=RULE)
    watch_exclusions(campaign)
    client.force_login(latest(campaign, 1)[0].annotator)

    assert "left out" not in client.get(reverse("home")).content.decode()


def test_alarms_of_the_first_page_cost_one_query(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = UserFactory()
    for n in (1, 2):
        for _ in range(n):
            row = make_campaign(units=0)
            row.memberships.create(user=user, role=Role.RESEARCHER)
            ExclusionAlarm.objects.create(campaign=row, recent=9, of_recent=20, before=0, of_before=20)
        client.force_login(user)
        with django_assert_num_queries(8):
            client.get(reverse("home"))
