"""How fast somebody is, from their own last answers."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment
from annotation.assignment.progress import RECENT, Answered, own_pace, own_progress
from annotation.models import Annotation
from campaigns.models import Campaign
from tests.factories import DIRECT_ANSWERS, make_campaign, make_member

pytestmark = pytest.mark.django_db


def answer_in(seconds: int, campaign: Campaign, annotator: User) -> None:
    """The next unit, shown so long before it was answered."""
    unit = next_assignment(campaign, annotator)
    assert unit
    record_answers(unit.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key=str(unit.pk))
    shown = {"shown_at": F("recorded_at") - timedelta(seconds=seconds)}
    Annotation.objects.filter(assignment=unit).update(**shown)


def test_pace_is_the_median_of_this_persons_last_answers_only() -> None:
    campaign = make_campaign(units=3 * RECENT)
    slow, fast = make_member(campaign), make_member(campaign)
    for _ in range(4):
        answer_in(600, campaign, fast)
    for _ in range(RECENT):
        answer_in(10, campaign, fast)
        answer_in(90, campaign, slow)

    left = Answered(answered=RECENT, total=RECENT + 6)

    paces = [own_pace(campaign, person, left) for person in (slow, fast)]

    assert [(pace.seconds, pace.minutes_left) for pace in paces if pace] == [(90, 9), (10, 1)]


@pytest.mark.databases
def test_first_answers_make_no_pace_yet() -> None:
    campaign = make_campaign(units=4)
    annotator = make_member(campaign)
    answer_in(10, campaign, annotator)
    answer_in(10, campaign, annotator)

    assert own_pace(campaign, annotator, Answered(2, 4)) is None


@pytest.mark.databases
@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL reads small tables whole, whatever their indexes"
)
def test_units_are_asked_for_by_their_purpose_and_never_for_it() -> None:
    campaign = make_campaign(units=3)
    annotator = make_member(campaign)

    with CaptureQueriesContext(connection) as asked:
        own_pace(campaign, annotator, own_progress(campaign, annotator))
    with connection.cursor() as cursor:
        steps = []
        for query in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            steps += [row[3] for row in cursor.fetchall()]

    units = [
        step for step in steps if step.startswith(("SEARCH campaigns_campaignunit", "SCAN campaigns_campaignunit"))
    ]
    before_first_unit = [step for step in steps if "SEARCH U0" in step and "purpose=?" in step]
    assert len(units) >= 2
    assert [step for step in units if "(campaign_id=? AND purpose=?" not in step] == []
    assert len(before_first_unit) == 2
