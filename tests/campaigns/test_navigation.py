"""The tabs of a campaign: what one may see, and where one is."""

import pytest

from campaigns.access import RIGHTS
from campaigns.models import Role
from campaigns.navigation import PAGES, tabs
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


def test_tabs_lead_to_every_page_and_say_where_one_is() -> None:
    """The rubric is of protocols with criteria, the arena of those for pairs."""
    of_rubric = tabs(make_campaign(units=1, protocol="rubric"), RIGHTS[Role.ADMIN], "checks")
    of_pairs = tabs(make_campaign(units=1), RIGHTS[Role.ADMIN], "checks")

    assert {tab.title for tab in (*of_rubric, *of_pairs)} == {page.title for page in PAGES}
    assert len(of_rubric) == len({tab.url for tab in of_rubric}) == len(PAGES) - 1
    assert [tab.title for tab in of_rubric if tab.is_current] == ["Checks"]


def test_tabs_show_only_what_one_may_see() -> None:
    shown = tabs(make_campaign(units=1), RIGHTS[Role.VIEWER], "campaign")

    assert [tab.title for tab in shown] == [page.title for page in PAGES if page.right == "view"]
    assert len(shown) < len(PAGES)
