import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from corpus.models import Unit
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
PURPOSES = ("study", "gold", "identical", "repeat")
FORM = {"identical": "1", "repeat": "2", "check_every": "6"}


def sent(client: Client, campaign: Campaign, gold: str | bytes | None = None, **changes: str) -> tuple[int, str]:
    client.force_login(make_member(campaign, "admin"))
    data: dict[str, object] = {**FORM, **changes}
    if gold is not None:
        data["gold"] = SimpleUploadedFile("gold.csv", gold.encode() if isinstance(gold, str) else gold)
    response = client.post(reverse("checks", args=[campaign.slug]), data)
    return response.status_code, response.content.decode()


def purposes(campaign: Campaign) -> dict[str, int]:
    return {purpose: campaign.campaign_units.filter(purpose=purpose).count() for purpose in PURPOSES}


def test_checks_are_set_and_shown(client: Client) -> None:
    campaign = make_campaign(units=6, status="draft")

    status, _ = sent(client, campaign, "unit,aspect,value\n0,overall,a\n")
    page = client.get(reverse("checks", args=[campaign.slug])).content.decode()

    assert status == 302
    assert purposes(campaign) == {"study": 6, "gold": 1, "identical": 1, "repeat": 2}
    assert Campaign.objects.get().check_every == 6
    assert "overall: a" in page


def test_template_with_some_values_filled_in_is_a_table_of_gold(client: Client) -> None:
    campaign = make_campaign(units=3, status="draft")
    Unit.objects.filter(pk=campaign.campaign_units.all()[0].unit_id).update(key="=1+1")
    client.force_login(make_member(campaign, "admin"))
    template = client.get(reverse("gold-template", args=[campaign.slug])).content.decode()
    lines = list(csv.DictReader(io.StringIO(template)))

    filled = template.replace("'=1+1,overall,,,", "'=1+1,overall,,both_good,")
    status, _ = sent(client, campaign, filled)

    aspects = [aspect.name for aspect in campaign.protocol.aspects]
    assert [line["aspect"] for line in lines] == aspects * 3
    assert {line["value"] for line in lines} == {""}
    assert status == 302
    gold = campaign.campaign_units.get(purpose="gold")
    assert (gold.unit.key, gold.expected) == ("=1+1", {"overall": ["both_good"]})


def test_template_as_it_was_is_no_gold(client: Client) -> None:
    campaign = make_campaign(units=3, status="draft")
    client.force_login(make_member(campaign, "admin"))

    status, page = sent(client, campaign, client.get(reverse("gold-template", args=[campaign.slug])).content.decode())

    assert (status, purposes(campaign)["gold"]) == (422, 0)
    assert "No row of the table has a value." in page


def test_gold_stays_where_no_table_is_sent(client: Client) -> None:
    campaign = make_campaign(units=6, status="draft")
    sent(client, campaign, "unit,aspect,value\n0,overall,a\n")

    sent(client, campaign, identical="0", repeat="0")

    assert purposes(campaign) == {"study": 6, "gold": 1, "identical": 0, "repeat": 0}


@each(
    "gold, said",
    [
        ("unit,aspect,value\n99,overall,a\n", "has no unit"),
        ("nonsense", "is missing"),
        (b"unit,aspect,value\n\xff\xfe,a,b\n", "not UTF-8"),
        ("unit,aspect,value\n" + "0,overall,a\n" * 90_000, "larger than 1 MB"),
    ],
    undo=True,
)
def test_faulty_gold_is_told_and_nothing_is_set(client: Client, gold: str | bytes, said: str) -> None:
    campaign = make_campaign(units=6, status="draft")

    status, page = sent(client, campaign, gold)

    assert (status, said in page) == (422, True)
    assert purposes(campaign) == {"study": 6, "gold": 0, "identical": 0, "repeat": 0}


def test_identical_pairs_without_a_tie_are_refused_in_words(client: Client) -> None:
    status, page = sent(client, make_campaign(protocol="forced_choice", status="draft"))

    assert (status, "every comparison can be a tie" in page) == (422, True)


def test_checks_of_an_open_campaign_are_fixed(client: Client) -> None:
    campaign = make_campaign(units=6)

    status, page = sent(client, campaign)

    assert (status, "fixed once a campaign has opened" in page) == (422, True)
    assert purposes(campaign)["identical"] == 0
