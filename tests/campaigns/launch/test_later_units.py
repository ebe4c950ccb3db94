"""What comes into the dataset of a campaign that runs is offered to its manager, and never added unasked."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry
from campaigns.audio.delivery import prepare_audio_of
from campaigns.launch.lifecycle import create_campaign
from campaigns.launch.sample_units import UnitsChoice, units_chosen
from campaigns.models import Campaign, Role
from corpus.models import Dataset
from protocols import SHIPPED
from tests.cases import each
from tests.factories import make_member
from tests.importing import Listening, text_of, work_off

pytestmark = pytest.mark.django_db


def row(item: str, system: str, file: str) -> dict[str, str]:
    return {"item": item, "prompt_text": f"Say {item}", "system": system, "response_audio": file}


FIRST = [row("q1", "alpha", "a1.wav"), row("q1", "beta", "b1.wav")]
MORE = [row("q2", "alpha", "a2.wav"), row("q2", "beta", "b2.wav")]
ZQXV = [row("q1", "zqxv", "q1.wav"), row("q2", "zqxv", "q2.wav")]


def running(dataset: Dataset, protocol: str, how: str = "all", **choice: Any) -> Campaign:
    """A campaign over all that is there, open and with its audio prepared."""
    asked = SHIPPED[protocol]
    units = units_chosen(dataset, UnitsChoice(asked.unit, how, **choice))
    campaign = create_campaign(
        dataset, title="Runs", protocol=asked, units=units, user=dataset.created_by, target_lufs=None
    )
    campaign.systems.set(dataset.systems.all())
    campaign.units_choice = {"how": how, **choice}
    campaign.save()
    prepare_audio_of(str(campaign.pk), Listening())
    campaign.refresh_from_db()
    campaign.status = Campaign.Status.OPEN
    campaign.save()
    return campaign


def units_of(campaign: Campaign) -> list[str]:
    return sorted(campaign.campaign_units.values_list("unit__key", flat=True))


@pytest.mark.databases
@each(
    "protocol, how, choice, with_new_system, added",
    [
        ("blind_overall", "all", {}, False, 1),
        ("blind_overall", "all", {}, True, 5),
        ("blind_overall", "subset", {"per_pair": 1}, True, 2),
        ("acr", "every", {}, False, 2),
        ("acr", "every", {}, True, 4),
    ],
    undo=True,
)
def test_new_units_are_offered_counted_and_added_when_their_audio_is_there(
    imported: Any,
    client: Client,
    django_capture_on_commit_callbacks: Any,
    protocol: str,
    how: str,
    choice: dict[str, Any],
    with_new_system: bool,
    added: int,
) -> None:
    dataset = imported(FIRST)
    campaign = running(dataset, protocol, how, **choice)
    before = list(campaign.campaign_units.order_by("pk").values())
    client.force_login(campaign.created_by)
    assert "See which units they would add" not in text_of(client.get(campaign.get_absolute_url()))

    imported(MORE + ZQXV)
    assert list(campaign.campaign_units.order_by("pk").values()) == before
    offer = text_of(client.get(campaign.get_absolute_url()))
    address = reverse("campaign-later-units", args=[campaign.slug])
    systems = [dataset.systems.get(name="zqxv").pk] if with_new_system else []
    counted = client.get(address, {"counted": 1, "systems": systems}).context["n"]
    with django_capture_on_commit_callbacks(execute=False):
        client.post(address, {"systems": systems})
    work_off()

    assert "1 new item, 1 new system, 4 new responses." in offer
    assert counted == added
    rows = list(campaign.campaign_units.order_by("pk").values())
    assert rows[: len(before)] == before
    assert len(rows) == len(before) + added
    assert len({it["position"] for it in rows}) == len(rows)
    assert campaign.systems.filter(name="zqxv").exists() == with_new_system
    assert list(AuditEntry.objects.filter(event="units_added").values_list("params", "by__username")) == [
        ({"units": added}, "ruth")
    ]
    assert "See which units they would add" not in text_of(client.get(campaign.get_absolute_url()))


def test_page_is_loaded_anew_once_the_units_are_in(
    imported: Any, client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    campaign = running(imported(FIRST), "acr", "every")
    imported(MORE)
    client.force_login(campaign.created_by)

    def fragment() -> Any:
        return client.get(campaign.get_absolute_url(), headers={"HX-Request": "true"})

    with django_capture_on_commit_callbacks(execute=False):
        client.post(reverse("campaign-later-units", args=[campaign.slug]))
    during = fragment()
    work_off()

    assert "HX-Refresh" not in during
    assert fragment()["HX-Refresh"] == "true"
    assert "HX-Refresh" not in client.get(campaign.get_absolute_url())


@pytest.mark.databases
def test_unit_with_a_clip_that_cannot_be_prepared_adds_nothing(imported: Any, folder: Any, client: Client) -> None:
    campaign = running(imported(FIRST), "acr", "every")
    imported(MORE)
    before = units_of(campaign)
    clip = campaign.dataset.items.get(key="q2").responses.first().turns.get().clip
    clip.path.unlink()
    client.force_login(campaign.created_by)

    client.post(reverse("campaign-later-units", args=[campaign.slug]))
    work_off()

    assert units_of(campaign) == before
    assert "1 clips cannot be prepared" in text_of(client.get(campaign.get_absolute_url()))


@each(
    "change, said",
    [
        ({"units_choice": {"how": "file"}}, "came from a file of pairs"),
        ({"units_choice": {}}, "not known how its units were chosen"),
        ({"label_page": "arena-vote"}, "An arena draws its pairs"),
        ({"status": "closed"}, "only to a campaign that is open or paused"),
        ({"status": "draft"}, "only to a campaign that is open or paused"),
    ],
    undo=True,
)
def test_campaign_that_cannot_take_units_says_why(
    imported: Any, client: Client, change: dict[str, Any], said: str
) -> None:
    campaign = running(imported(FIRST), "acr", "every")
    imported(MORE)
    Campaign.objects.update(**change)
    client.force_login(campaign.created_by)
    address = reverse("campaign-later-units", args=[campaign.slug])

    assert said in text_of(client.get(address))
    assert said in text_of(client.post(address, follow=True))
    work_off()
    assert campaign.campaign_units.count() == 2


@pytest.mark.databases
def test_offer_can_be_declined_and_is_not_for_those_who_do_not_manage(imported: Any, client: Client) -> None:
    campaign = running(imported(FIRST), "acr", "every")
    imported(MORE)
    client.force_login(make_member(campaign, Role.VIEWER))
    assert "New in the dataset" not in text_of(client.get(campaign.get_absolute_url()))

    client.force_login(campaign.created_by)
    client.post(reverse("campaign-later-units", args=[campaign.slug]), {"decline": "yes"})

    assert "See which units they would add" not in text_of(client.get(campaign.get_absolute_url()))
    imported(ZQXV)
    assert "0 new items, 1 new system" in text_of(client.get(campaign.get_absolute_url()))


@pytest.mark.databases
def test_versions_tell_what_each_import_added(imported: Any, client: Client) -> None:
    dataset = imported(FIRST)
    imported(FIRST)
    imported(MORE + ZQXV)

    assert list(dataset.versions.values_list("number", "made_by__username", "added")) == [
        (1, "ruth", {"items": 1, "systems": 2, "responses": 2, "recordings": 2}),
        (2, "ruth", {"items": 1, "systems": 1, "responses": 4, "recordings": 4}),
    ]
    client.force_login(dataset.created_by)
    assert "items: 1, systems: 1, responses: 4" in text_of(client.get(dataset.get_absolute_url()))
