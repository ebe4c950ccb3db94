from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from analytics.monitoring import answer_times as kept
from analytics.monitoring.answer_times import answer_times
from annotation.models import Annotation
from campaigns.models import Campaign, CampaignUnit
from tests.analytics.monitoring.test_pulse import answer
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
NOW = timezone.now()
DAY = NOW - timedelta(days=1)


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=4)


@pytest.fixture
def person(campaign: Campaign) -> User:
    return make_member(campaign)


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    kept._kept.clear()
    yield
    kept._kept.clear()


def hours_ago(campaign: Campaign) -> list[int]:
    return [round((NOW.timestamp() - at) / 3600) for at in answer_times(campaign, DAY).tolist()]


def test_later_answers_are_added(campaign: Campaign, person: User) -> None:
    answer(campaign, 0, person, at=NOW - timedelta(hours=3))
    assert hours_ago(campaign) == [3]

    answer(campaign, 1, person, at=NOW - timedelta(hours=1))
    answer(campaign, 2, person, at=NOW - timedelta(hours=2))
    answer(campaign, 3, person, at=NOW - timedelta(hours=30))

    assert hours_ago(campaign) == [3, 2, 1]


@pytest.mark.databases
def test_an_answer_that_was_stored_late_is_added(
    campaign: Campaign, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction of a lower number ends after that of a higher one."""
    monkeypatch.setattr(kept, "OVERLAP", 2)
    for unit in range(3):
        answer(campaign, unit, person, at=NOW - timedelta(hours=unit))
    late = Annotation.objects.order_by("pk")[1]
    Annotation.objects.filter(pk=late.pk).update(supersedes=Annotation.objects.order_by("pk")[0])
    assert hours_ago(campaign) == [2, 0]

    Annotation.objects.filter(pk=late.pk).update(supersedes=None)

    assert hours_ago(campaign) == [2, 1, 0]


def test_answers_of_other_campaigns_changes_and_checks_do_not_count(campaign: Campaign, person: User) -> None:
    assert hours_ago(campaign) == []
    campaign.campaign_units.filter(position=1).update(purpose=CampaignUnit.Purpose.GOLD)
    other = make_campaign(units=1)
    answer(other, 0, make_member(other), at=NOW)
    answer(campaign, 1, person, at=NOW)
    row = answer(campaign, 0, person, at=NOW)
    first = row.annotations.get()
    Annotation.objects.create(assignment=row, idempotency_key="2", shown_at=NOW, supersedes=first)

    assert (hours_ago(campaign), hours_ago(other)) == ([0], [0])


@pytest.mark.databases
def test_everything_is_read_anew_after_a_rollback(campaign: Campaign, person: User) -> None:
    answer(campaign, 0, person, at=NOW - timedelta(hours=2))
    with transaction.atomic():
        answer(campaign, 1, person, at=NOW)
        assert hours_ago(campaign) == [2, 0]
        transaction.set_rollback(True)

    assert hours_ago(campaign) == [2]


def test_earlier_times_are_read_when_asked_for(campaign: Campaign, person: User) -> None:
    answer(campaign, 0, person, at=NOW - timedelta(hours=2))
    assert answer_times(campaign, NOW - timedelta(hours=1)).tolist() == []
    assert hours_ago(campaign) == [2]
    assert answer_times(campaign, NOW - timedelta(hours=1)).tolist() == []


def test_it_takes_three_queries_once_read(campaign: Campaign, person: User) -> None:
    answer(campaign, 0, person, at=NOW)
    answer_times(campaign, DAY)

    with CaptureQueriesContext(connection) as seen:
        answer_times(campaign, DAY)

    assert len(seen) == 3
