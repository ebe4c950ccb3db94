"""The navigation of a campaign: what one may see, what makes sense for it, where one is, and what waits."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from analytics.models import ExclusionAlarm
from analytics.review.queue import review_queue
from annotation.models import Annotation
from campaigns.access import RIGHTS
from campaigns.models import Campaign, Role
from campaigns.navigation import PAGES, Tab, groups
from judges.models import Run
from tests.arena.arenas import make_open_arena
from tests.factories import make_assignment, make_campaign, make_member
from tests.judges.running import a_judge, a_run

pytestmark = pytest.mark.django_db
ADMIN = RIGHTS[Role.ADMIN]


def tabs(campaign: Campaign, rights: frozenset = ADMIN, current: str = "campaign") -> list[Tab]:
    return [tab for group in groups(campaign, rights, current) for tab in group.tabs]


def titles(campaign: Campaign) -> list[str]:
    return [str(tab.title) for tab in tabs(campaign)]


def test_navigation_leads_to_every_page_and_says_where_one_is() -> None:
    """The rubric is of protocols with criteria, the arena of arenas and of drafts for pairs."""
    of_rubric = tabs(make_campaign(units=1, protocol="rubric"), current="checks")
    of_arena = tabs(make_open_arena(items=1).campaign)
    of_pairs = tabs(make_campaign(units=1))

    assert {tab.title for tab in (*of_rubric, *of_arena, *of_pairs)} == {page.title for page in PAGES}
    assert [tab.title for tab in of_rubric if tab.is_current] == ["Checks"]


def test_groups_come_in_the_same_order_on_every_campaign() -> None:
    wanted = ["Overview", "Set up", "Collect", "Review", "Analyse", "Export"]

    for row in (make_campaign(units=1), make_campaign(units=1, protocol="acr"), make_open_arena(items=1).campaign):
        assert [str(group.title) for group in groups(row, ADMIN, "campaign")] == wanted


def test_pages_without_a_sense_are_not_offered() -> None:
    opinions, pairs = titles(make_campaign(units=1, protocol="acr")), titles(make_campaign(units=1))
    draft = titles(make_campaign(units=1, status="draft"))

    assert not {"Board", "Arena", "Rubric"} & set(opinions)
    assert "Board" in pairs
    assert "Arena" not in pairs
    assert "Arena" in draft
    assert not {"Board", "Comparison", "Results", "Exports", "Judges"} & set(draft)


def test_navigation_shows_only_what_one_may_see() -> None:
    shown = tabs(make_open_arena(items=1).campaign, RIGHTS[Role.VIEWER])

    assert [tab.title for tab in shown] == [page.title for page in PAGES if page.right == "view"]


def test_counts_say_what_waits_in_few_queries(
    settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    row = make_campaign(units=1)
    a_run(row, a_judge(row))
    Run.objects.update(status="failed")
    ExclusionAlarm.objects.create(campaign=row, recent=1, of_recent=1, before=0, of_before=1)
    assignment = make_assignment(row, make_member(row, Role.ANNOTATOR), status="answered")
    Annotation.objects.create(assignment=assignment, shown_at=timezone.now(), idempotency_key="k", flag="unsure")
    review_queue(row)

    with django_assert_max_num_queries(3):
        shown = tabs(row)

    assert {str(tab.title): tab.to_do for tab in shown if tab.to_do} == {
        "Judges": 1,
        "Quality": 1,
        "Units to review": 1,
    }


def test_every_link_of_the_navigation_is_a_page(client: Client) -> None:
    row = make_campaign(units=1, status="draft")
    client.force_login(make_member(row, Role.ADMIN))

    page = client.get(reverse("campaign", args=[row.slug])).content.decode()

    for tab in tabs(row):
        assert f'href="{tab.url}"' in page
        assert client.get(tab.url).status_code == 200
    assert page.count('aria-current="page"') == 1
