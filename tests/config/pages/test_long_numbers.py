"""Ids and numbers of 6,000 digits are refused like any other that is not there."""

from pathlib import Path

import pytest
from django.http import Http404
from django.test import Client
from django.urls import reverse

from accounts.models import User
from arena.standings.subjects import watched_subject
from campaigns.access import may_view_campaign, page_of_campaign
from campaigns.control_units.checks import _tolerance
from campaigns.models import Campaign
from campaigns.rubrics.tables import _row
from infrastructure.files.uploaded_tables import InvalidTable
from judges.deletion import own_judge
from judges.runs.lifecycle import watched_run
from tests.arena.arenas import make_open_arena
from tests.factories import UserFactory, make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
LONG = "9" * 6000


@pytest.fixture
def boss() -> User:
    return UserFactory(is_superuser=True)


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    return make_campaign(status="draft")


def test_pages_refuse_long_numbers(client: Client, boss: User, campaign: Campaign) -> None:
    client.force_login(boss)
    arena = make_open_arena(items=1).campaign
    slug = [campaign.slug]
    replies = {
        "launch": client.get(reverse("launch-systems", args=slug), {"dataset": LONG}).status_code,
        "planning": client.post(reverse("planning", args=slug), {"use": "1", "answers": LONG}).status_code,
        "arena": client.post(reverse("arena-let-in", args=[arena.slug]), {"system": LONG}).status_code,
        "judge": client.get(f"/manage/judge/{LONG}/").status_code,
        "review": client.get(reverse("review", args=slug), {"annotator": LONG}).status_code,
        "mark": client.post(reverse("review-mark", args=slug), {"unit": LONG}).status_code,
    }

    assert replies == {"launch": 200, "planning": 302, "arena": 400, "judge": 404, "review": 200, "mark": 302}


def test_subjects_of_topics_and_jobs_refuse_long_numbers(boss: User, campaign: Campaign) -> None:
    for look, name in ((own_judge, LONG), (watched_run, LONG), (watched_subject, f"labels-{LONG}")):
        with pytest.raises(Http404):
            look(boss, name)
    assert (may_view_campaign(boss, LONG), page_of_campaign(LONG)) == (False, "")


def test_tables_refuse_long_numbers() -> None:
    with pytest.raises(InvalidTable):
        _tolerance({"tolerance": LONG}, 2)
    with pytest.raises(ValueError, match="no number of a criterion"):
        _row(2, {"number": LONG, "item": "i", "text": "t"})
