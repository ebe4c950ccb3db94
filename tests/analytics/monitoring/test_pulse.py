import random
import re
from collections import Counter
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from analytics.monitoring.agreement import AspectAgreement, agreement_so_far, main_aspects
from analytics.monitoring.progress import pulse
from annotation.assignment.seat_counts import add_to_counts, wrong_counts
from annotation.models import Annotation, Answer, Assignment
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from campaigns.models import Campaign, CampaignUnit, Role
from protocols import SHIPPED
from stats.reasons import NOTHING_YET
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


def answer(
    campaign: Campaign, unit: int, annotator: User, *, at: datetime | None = None, **values: str
) -> Assignment:
    """One annotation of the n-th unit."""
    moment = at or timezone.now()
    campaign_unit = campaign.campaign_units.get(position=unit)
    row = Assignment.objects.create(
        campaign=campaign, campaign_unit=campaign_unit, annotator=annotator, order="ab",
        seat=campaign_unit.assignments.count() + 1, status="answered",
        reserved_at=moment, shown_at=moment, expires_at=moment + timedelta(hours=1),
    )  # fmt: skip
    add_to_counts({campaign_unit.pk: 1})
    annotation = Annotation.objects.create(assignment=row, idempotency_key="k", shown_at=moment)
    Annotation.objects.filter(pk=annotation.pk).update(recorded_at=moment)
    Answer.objects.bulk_create(Answer(annotation=annotation, aspect=a, value=v) for a, v in values.items())
    return row


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=4, answers_per_unit=2, opened_at=timezone.now() - timedelta(days=2))


@pytest.fixture
def people(campaign: Campaign) -> list[User]:
    return [make_member(campaign) for _ in range(3)]


def test_coverage_counts_used_answers_by_unit(campaign: Campaign, people: list[User]) -> None:
    for unit, who in ((0, 0), (0, 1), (1, 0), (2, 1)):
        answer(campaign, unit, people[who])
    out = answer(campaign, 2, people[0])
    exclude_answers([out], reason="gold", decider=Decider(rule="gold units"))

    found = pulse(campaign)

    assert found.coverage.steps == ((0, 1), (1, 2), (2, 1))
    assert (found.coverage.units, found.coverage.complete, found.used, found.wanted) == (4, 1, 4, 8)
    assert (found.exclusions.answered, found.exclusions.excluded, found.exclusions.percent) == (5, 1, 20.0)
    assert found.exclusions.by_reason == (("Gold units failed", 1),)
    assert found.finish.missing == 4


def test_more_answers_than_asked_cover_no_other_unit(campaign: Campaign, people: list[User]) -> None:
    for who in people:
        answer(campaign, 0, who)

    found = pulse(campaign)

    assert (found.coverage.steps, found.finish.missing) == (((0, 3), (1, 0), (2, 1)), 6)


def test_withdrawn_answers_count_for_nothing_and_are_told_apart(campaign: Campaign, people: list[User]) -> None:
    answer(campaign, 0, people[0])
    answer(campaign, 0, people[1])
    campaign.memberships.filter(user=people[0]).update(answers_withdrawn_at=timezone.now())

    found = pulse(campaign)

    assert (found.used, found.exclusions.answered, found.exclusions.withdrawn) == (1, 1, 1)
    assert found.coverage.steps == ((0, 3), (1, 1), (2, 0))


def test_checks_are_no_answers_of_the_study_and_their_people_are_at_work(
    campaign: Campaign, people: list[User]
) -> None:
    campaign.campaign_units.filter(position=0).update(purpose=CampaignUnit.Purpose.GOLD)
    answer(campaign, 0, people[0])

    found = pulse(campaign)

    assert (found.used, found.coverage.units, found.last_day, found.at_work) == (0, 3, 0, 1)


@pytest.mark.databases
def test_used_answers_are_counted_as_one_would_one_by_one(campaign: Campaign) -> None:
    """Units with any mixture of used, excluded and withdrawn answers, and in anybody's hands."""
    rng = random.Random(5)
    people = [make_member(campaign) for _ in range(9)]
    for unit in range(4):
        for who in people:
            if (kind := rng.choice(["used", "used", "out", "reserved", "nothing"])) == "nothing":
                continue
            row = answer(campaign, unit, who)
            if kind == "reserved" and not who.assignments.filter(status="reserved").exists():
                Assignment.objects.filter(pk=row.pk).update(status="reserved")
            if kind == "out":
                exclude_answers([row], reason="gold", decider=Decider(rule="gold units"))
    gone = people[:3]
    campaign.memberships.filter(user__in=gone).update(answers_withdrawn_at=timezone.now())
    campaign.campaign_units.filter(position=3).update(purpose=CampaignUnit.Purpose.GOLD)

    found = pulse(campaign)

    given = Assignment.objects.filter(campaign=campaign, status="answered", campaign_unit__position__lt=3)
    kept = given.exclude(annotator__in=gone)
    used = Counter(kept.filter(excluded=False).values_list("campaign_unit", flat=True))
    per_unit = Counter(min(used[unit.pk], 2) for unit in campaign.campaign_units.filter(position__lt=3))
    assert wrong_counts(campaign) == []
    assert found.coverage.steps == tuple((n, per_unit[n]) for n in range(3))
    assert (found.used, found.exclusions.answered) == (used.total(), kept.count())
    assert (found.exclusions.excluded, found.exclusions.withdrawn) == (
        kept.filter(excluded=True).count(),
        given.filter(annotator__in=gone).count(),
    )
    assert sum(n for _reason, n in found.exclusions.by_reason) == found.exclusions.excluded > 0


def test_people_at_work_moved_within_ten_minutes(campaign: Campaign, people: list[User]) -> None:
    now = timezone.now()
    answer(campaign, 0, people[0], at=now - timedelta(minutes=9))
    answer(campaign, 1, people[0], at=now - timedelta(minutes=1))
    answer(campaign, 0, people[1], at=now - timedelta(minutes=11))
    answer(campaign, 1, people[2], at=now - timedelta(days=3))

    found = pulse(campaign)

    assert found.at_work == 1
    assert found.today == (2 if timezone.localtime(now).hour else found.today)


def test_answers_stand_in_the_hour_in_which_they_were_recorded(campaign: Campaign, people: list[User]) -> None:
    this_hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    for unit, hours in enumerate((0, 0, 3, 30)):
        answer(campaign, unit, people[0], at=this_hour - timedelta(hours=hours))

    found = pulse(campaign)

    assert len(found.hours) == 24
    assert {hour.begins: hour.n for hour in found.hours if hour.n} == {
        this_hour: 2,
        this_hour - timedelta(hours=3): 1,
    }
    assert found.last_day == 3


@pytest.mark.databases
def test_superseded_answers_are_one(campaign: Campaign, people: list[User]) -> None:
    row = answer(campaign, 0, people[0], overall="a")
    Annotation.objects.create(
        assignment=row, idempotency_key="2", shown_at=timezone.now(), supersedes=row.annotations.get()
    )

    assert (pulse(campaign).last_day, pulse(campaign).used) == (1, 1)


def test_finish_comes_from_the_pace_of_the_last_hours(campaign: Campaign, people: list[User]) -> None:
    campaign = make_campaign(units=30, answers_per_unit=1, opened_at=timezone.now() - timedelta(days=1))
    who = make_member(campaign)
    for n in range(18):
        answer(campaign, n, who, at=timezone.now() - timedelta(minutes=10 * n + 5))

    found = pulse(campaign).finish

    assert (found.n, found.minutes, found.missing, found.per_hour) == (18, 180, 12, 6.0)
    assert found.at is not None
    assert abs(found.at - timezone.now() - timedelta(hours=2)) < timedelta(minutes=1)


def test_agreement_is_that_of_the_package_over_used_answers(campaign: Campaign, people: list[User]) -> None:
    said = [("a", "a"), ("b", "both_good"), ("both_bad", "both_bad"), ("a", "b")]
    for unit, values in enumerate(said):
        for who, value in zip(people, values, strict=False):
            answer(campaign, unit, who, overall=value, content="a")
    out = answer(campaign, 0, people[2], overall="both_bad")
    exclude_answers([out], reason="speed", decider=Decider(rule="minimum time"))
    distance = {frozenset("ab"): 1.0, frozenset({"both_good", "both_bad"}): 1.0}
    every = [value for pair in said for value in pair]
    observed = sum(0.0 if one == other else distance.get(frozenset({one, other}), 0.5) for one, other in said) / 4
    apart = [0.0 if a == b else distance.get(frozenset({a, b}), 0.5) for a, b in permutations(every, 2)]
    expected = 1 - observed / (sum(apart) / len(apart))

    found = {row.aspect: row.found for row in agreement_so_far(campaign).aspects}

    assert list(found) == ["overall", "content", "voice_quality", "paralinguistics"]
    assert found["overall"].estimate == pytest.approx(expected)
    assert found["overall"].n == 4
    assert found["overall"].interval is None
    assert found["overall"].reason == NOTHING_YET()
    assert (found["content"].estimate, found["content"].reason) == (
        None,
        "all labels are the same, so there is nothing to tell apart",
    )
    assert found["voice_quality"].reason == "no unit has labels from two raters"


def test_agreement_of_a_hundred_units_has_an_interval_that_holds_at_every_look() -> None:
    campaign = make_campaign(protocol="hcot", units=100)
    people = [make_member(campaign) for _ in range(2)]
    for unit in range(100):
        for who, value in zip(people, ("a", "ab"[unit % 4 == 0]), strict=True):
            answer(campaign, unit, who, overall=value, content="ab"[unit % 2])

    rows = agreement_so_far(campaign).aspects

    content = rows[1].found
    assert content.interval is None  # nobody differed so far, which no resample can tell more of
    assert content.reason == NOTHING_YET()
    interval = rows[0].found.interval
    assert interval is not None
    assert interval.method == "confidence sequence from a bootstrap over units, 1000 resamples"
    assert -1 <= interval.low < rows[0].found.estimate < interval.high <= 1


@pytest.mark.databases
def test_agreement_with_what_was_left_out_is_that_after_taking_it_in(campaign: Campaign, people: list[User]) -> None:
    for unit, values in enumerate(["aab", "abb", "bbb"]):
        for who, value in zip(people, values, strict=True):
            row = answer(campaign, unit, who, overall=value)
    assert overall(campaign).with_excluded is None
    exclude_answers([row], reason="speed", decider=Decider(rule="minimum time"))

    left_out = overall(campaign)
    include_answers([row], decider=Decider(person=campaign.created_by))

    assert left_out.with_excluded == overall(campaign).found
    assert left_out.found != left_out.with_excluded


def overall(campaign: Campaign) -> AspectAgreement:
    return agreement_so_far(campaign).aspects[0]


@each("protocol", sorted(SHIPPED), undo=True)
def test_agreement_of_every_protocol_is_undefined_without_answers(protocol: str) -> None:
    campaign = make_campaign(protocol=protocol)

    found = agreement_so_far(campaign)

    assert [row.aspect for row in found.aspects] == [aspect.name for aspect in main_aspects(campaign.protocol)]
    assert {row.found.estimate for row in found.aspects} <= {None}


def test_agreement_is_kept_until_there_are_more_answers_and_some_seconds_passed(
    campaign: Campaign, people: list[User], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    cache.clear()
    for who in people[:2]:
        answer(campaign, 0, who, overall="a")
    first = agreement_so_far(campaign)

    answer(campaign, 1, people[0], overall="b")
    assert agreement_so_far(campaign) == first
    monkeypatch.setattr("analytics.monitoring.agreement.PAUSE", timedelta(0))

    assert agreement_so_far(campaign).stamp != first.stamp
    cache.clear()


def queries_of(client: Client, campaign: Campaign) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert client.get(f"/campaigns/{campaign.slug}/pulse/").status_code == 200
    return len(seen)


@pytest.mark.databases
def test_page_costs_the_same_queries_however_much_was_answered(
    client: Client, campaign: Campaign, people: Any
) -> None:
    client.force_login(make_member(campaign, Role.VIEWER))
    answer(campaign, 0, people[0], overall="a")
    first, one = queries_of(client, campaign), queries_of(client, campaign)

    for unit in range(1, 4):
        for who in people:
            answer(campaign, unit, who, overall="b")

    assert queries_of(client, campaign) == one == first + 1 == 15


def test_page_shows_its_figures_with_how_many_they_are_of(client: Client, campaign: Campaign, people: Any) -> None:
    client.force_login(make_member(campaign, Role.VIEWER))
    for who in people[:2]:
        answer(campaign, 0, who, overall="a")

    page = " ".join(client.get(f"/campaigns/{campaign.slug}/pulse/").content.decode().split())

    assert_charts(page, planes=1)
    assert "2 answers in the last 24 hours" in page
    assert "of 4 complete" in page
    assert "2 of 8 answers" in page
    assert "only 2 answers came in the last 180 minutes; ten make a pace." in page
    assert "undefined: all labels are the same, so there is nothing to tell apart" in page
    assert "0 of 2 answers" in page
    assert re.search(r"<table.*?</table>", page).group().count("<tr>") == 1 + 24


@pytest.mark.databases
def test_overview_carries_the_live_part_once_it_is_open(client: Client) -> None:
    for status, carries in (("draft", False), ("open", True), ("paused", True), ("closed", True)):
        campaign = make_campaign(status=status)
        client.force_login(make_member(campaign, Role.VIEWER))

        page = client.get(campaign.get_absolute_url()).content.decode()

        assert (f'data-live-topic="campaign:{campaign.slug}"' in page) == carries


@each("status, said", [("open", "Cannot be said yet"), ("closed", "no more answers come")])
def test_finish_of_a_closed_campaign_is_not_waited_for(
    client: Client, campaign: Campaign, status: str, said: str
) -> None:
    Campaign.objects.update(status=status)
    client.force_login(make_member(campaign, Role.VIEWER))

    shown = client.get(f"/campaigns/{campaign.slug}/pulse/").content.decode()

    assert [it for it in ("Cannot be said yet", "no more answers come") if it in shown] == [said]
