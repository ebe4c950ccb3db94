from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Role
from corpus.access import datasets_to_launch
from tests.campaigns.launch.launching import begin, launched
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db


@each(
    "role, may",
    [(Role.ADMIN, True), (Role.RESEARCHER, True), (Role.REVIEWER, False), (Role.VIEWER, False)],
    undo=True,
)
def test_datasets_to_launch_are_those_of_campaigns_one_manages(role: str, may: bool) -> None:
    campaign = make_campaign()

    assert datasets_to_launch(make_member(campaign, role)).exists() == may


def test_viewer_who_is_a_researcher_elsewhere_cannot_launch_over_the_dataset(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.VIEWER, is_researcher=True))

    response = begin(client, campaign.dataset)

    assert set(response.context["form"].errors) == {"dataset", "systems"}
    assert Campaign.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"is_researcher": True}, "No dataset that you may use yet. Import one, or ask its owner"),
        ({"is_superuser": True}, "No dataset yet. A dataset comes from a table"),
    ],
)
def test_empty_list_says_whose_datasets_are_missing(client: Client, fields: dict[str, bool], said: str) -> None:
    if not fields.get("is_superuser"):
        make_campaign()  # of somebody else
    client.force_login(UserFactory(**fields))

    assert said in client.get(reverse("datasets")).content.decode()


def test_page_of_a_dataset_says_to_its_owner_how_to_share_it(client: Client) -> None:
    campaign = make_campaign()
    told = {}
    for person in (campaign.created_by, UserFactory(is_superuser=True), make_member(campaign, Role.RESEARCHER)):
        client.force_login(person)
        page = client.get(campaign.dataset.get_absolute_url()).content.decode()
        told[person] = "give them the role Researcher there" in page

    assert list(told.values()) == [True, True, False]


def test_owner_launches_over_their_dataset(client: Client) -> None:
    campaign = make_campaign()
    owner = campaign.created_by
    owner.is_researcher = True
    owner.save()
    client.force_login(owner)

    assert launched(client, campaign.dataset, protocol="acr").campaign_units.count() == 4


@pytest.mark.parametrize(("ticked", "shown"), [({"show_waveform": "on"}, True), ({}, False)])
def test_new_campaign_shows_waveforms_as_was_chosen(client: Client, ticked: dict[str, str], shown: bool) -> None:
    campaign = make_campaign()
    client.force_login(UserFactory(is_superuser=True))

    assert launched(client, campaign.dataset, protocol="acr", **ticked).show_waveform == shown


def test_original_recording_is_had_in_parts(client: Client, media_root: Path) -> None:
    campaign = make_campaign(units=1)
    item = campaign.dataset.items.get()
    clip = item.turns.get().clip
    clip.path.parent.mkdir(parents=True)
    clip.path.write_bytes(bytes(range(100)) * 321)
    type(clip).objects.filter(pk=clip.pk).update(bytes=32_100)
    client.force_login(UserFactory(is_superuser=True))

    part = client.get(
        reverse("item-clip", args=[campaign.dataset.slug, item.pk, clip.pk]), headers={"Range": "bytes=5-9"}
    )

    assert (part.status_code, part.content, part["Content-Range"]) == (206, bytes(range(5, 10)), "bytes 5-9/32100")
