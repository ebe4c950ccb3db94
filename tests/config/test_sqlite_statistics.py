"""SQLite finds few rows by an index that finds few, once it has been told how the values spread."""

from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from annotation.models import Annotation, Assignment
from arena.models import ArenaSettings
from arena.settings.limits import require_within_limits
from campaigns.models import Campaign
from config.tasks import analyse_task
from tests.arena.voting import make_arena
from tests.factories import make_member

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="another database looks by itself"),
]


def test_limits_of_voters_read_their_own_votes_alone() -> None:
    campaign = make_arena(systems=("Aardwolf", "Binturong"), items=40)
    arena = ArenaSettings.objects.create(campaign=campaign, is_public=True)
    voters = [make_member(campaign) for _ in range(15)]
    fill(campaign, voters)
    with CaptureQueriesContext(connection) as before:
        require_within_limits(arena, voters[0], origin="here")
    assert "supersedes" in plans(before), "nobody need tell SQLite any more"

    analyse_task()

    with CaptureQueriesContext(connection) as after:
        require_within_limits(arena, voters[0], origin="here")
    mine, from_here = plans(after).split("\n")
    assert "assignment_of_annotator (campaign_id=? AND annotator_id=?)" in mine
    assert "annotations_by_origin (origin=? AND recorded_at>?)" in from_here


def fill(campaign: Campaign, voters: list[User]) -> None:
    """Each has voted on each unit, from an address of their own."""
    now, seats = timezone.now(), count(1)
    rows = Assignment.objects.bulk_create(
        Assignment(
            campaign=campaign, campaign_unit=unit, annotator=voter, order="ab", seat=next(seats),
            status="answered", reserved_at=now, shown_at=now, expires_at=now,
        )
        for voter in voters for unit in campaign.campaign_units.all()
    )  # fmt: skip
    Annotation.objects.bulk_create(
        Annotation(assignment=row, idempotency_key="k", shown_at=now, origin=f"of {row.annotator_id}") for row in rows
    )


def plans(said: CaptureQueriesContext) -> str:
    """How each query is answered, a line each."""
    lines = []
    with connection.cursor() as cursor:
        for query in said.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            lines.append("; ".join(str(row[-1]) for row in cursor.fetchall()))
    return "\n".join(lines)
