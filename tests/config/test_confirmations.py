"""What cannot be undone asks once more and says what happens: without JavaScript, in every template."""

import re

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.factories import make_campaign, make_member
from tests.paths import PROJECT

#: The addresses at which something is ended, removed or given away for good, as templates name them.
FOR_GOOD = [
    "'campaign-turn' campaign.slug 'close'",
    "'member-end' ",
    "'invitation-revoke' ",
    "'token-revoke' ",
    "'webhook-disable' ",
    "'model-disable' ",
    "'judge-archive' ",
    "'run-turn' campaign.slug run.pk 'cancel'",
    "'export-delete' ",
    "'unshare-report' ",
    "'arena-let-in' ",
    "'board-lock' ",
    "'person-right' person.pk 'administrator'",
]
TEMPLATES = {path: path.read_text(encoding="utf-8") for path in (PROJECT / "templates").rglob("*.html")}
ASKED = re.compile(r'as (\w+) %\}.{0,900}?\{% include "_confirm.html" with action=\1 ', re.DOTALL)
IN_DETAILS = re.compile(r'<details class="confirm"><summary>[^<]+</summary><form method="post" action="\{% url $')


@pytest.mark.parametrize("address", FOR_GOOD)
def test_template_asks_before_it_posts_there(address: str) -> None:
    found = [(text, place.start()) for text in TEMPLATES.values() for place in re.finditer(re.escape(address), text)]

    assert found
    for text, at in found:
        asked = ASKED.search(text, at)
        assert IN_DETAILS.search(text[:at]) or (asked and asked.start() < at + len(address) + 60)


@pytest.mark.django_db
def test_closing_a_campaign_says_what_it_means_before_the_button(client: Client) -> None:
    campaign = make_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    client.force_login(make_member(campaign, "admin"))

    page = client.get(campaign.get_absolute_url()).content.decode()

    [(inside)] = re.findall(r'<details class="confirm"[^>]*>(.*?)</details>', page, re.DOTALL)
    assert "the campaign can never be opened again" in inside
    assert inside.index("never be opened again") < inside.index("Yes, close it for good")
    assert page.count("/turn/close/") == inside.count("/turn/close/") == 1
