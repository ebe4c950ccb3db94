"""What may be done by whom: the page says what the code decides."""

import re

import pytest
from django.test import Client

from campaigns.access import RIGHT_TEXTS, RIGHTS, Right, campaign_for
from campaigns.models import Role
from campaigns.people.rights_table import rights_in_campaigns, rights_in_installation
from tests.factories import UserFactory, make_campaign, make_member
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db
#: A page that asks for each right.
PAGES = {
    Right.LABEL: "/label/{}/",
    Right.VIEW: "/campaigns/{}/",
    Right.REVIEW: "/campaigns/{}/review/",
    Right.MANAGE: "/campaigns/{}/checks/",
    Right.EXPORT: "/campaigns/{}/exports/",
    Right.INVITE: "/campaigns/{}/members/",
}


def test_every_right_and_role_is_on_the_page_and_in_the_docs(client: Client) -> None:
    client.force_login(UserFactory())

    page = client.get("/accounts/rights/").content.decode()

    assert set(RIGHT_TEXTS) == set(Right) == set(PAGES)
    assert set(RIGHTS) == set(Role)
    assert [text for text in RIGHT_TEXTS.values() if str(text) not in page] == []
    how_to = (PROJECT / "docs/how-to/add-a-role.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\| `([A-Z]+)` \|", how_to)) == {right.name for right in Right}


def test_page_says_what_pages_do(client: Client) -> None:
    campaign = make_campaign()
    table = rights_in_campaigns()
    said = {
        (str(column), right): may
        for (_text, held), right in zip(table.rows, RIGHT_TEXTS, strict=True)
        for column, may in zip(table.columns, held, strict=True)
    }
    people = {str(role.label): make_member(campaign, role) for role in Role}
    people |= {"Administrator": UserFactory(is_superuser=True)}

    found = {}
    for who, person in people.items():
        client.force_login(person)
        found |= {
            (who, right): client.get(page.format(campaign.slug)).status_code < 400 for right, page in PAGES.items()
        }

    assert found == {key: may for key, may in said.items() if key[0] != "Guest"}
    guest = make_member(campaign, Role.ANNOTATOR)
    guest.is_guest = True
    assert [right for (who, right), may in said.items() if who == "Guest" and may] == [Right.LABEL]
    assert campaign_for(guest, campaign.slug, Right.LABEL)


def test_installation_table_follows_the_rights_of_accounts() -> None:
    table = rights_in_installation()

    assert [str(it) for it in table.columns] == ["Account", "Researcher", "Administrator", "Guest"]
    assert [held for _text, held in table.rows] == [
        [False, True, True, False],
        [False, False, True, False],
        [False, False, True, False],
    ]
