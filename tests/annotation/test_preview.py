"""A preview is the annotator's own page over real clips; it stores nothing, and its addresses say nothing."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, CampaignUnit
from infrastructure.models import Job
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(client: Client, media_root: Path) -> Campaign:
    campaign = make_campaign(status="draft", units=3)
    deliver_fakes(campaign)
    client.force_login(make_member(campaign, "researcher"))
    return campaign


def page_of(client: Client, campaign: Campaign) -> str:
    return client.get(reverse("preview", args=[campaign.slug])).content.decode()


def address(page: str, part: str) -> str:
    return re.findall(rf'"(/campaigns/[^"]+/{part}/?)"', page)[0]


def everything_stored() -> dict[str, int]:
    ours = ("campaigns", "corpus", "annotation")
    return {
        model.__name__: model._default_manager.count() for model in apps.get_models() if model._meta.app_label in ours
    }


def test_preview_is_the_annotators_page_and_says_that_it_is_one(client: Client, campaign: Campaign) -> None:
    page = page_of(client, campaign)

    assert page.count("data-unit ") == 1
    assert page.count("data-clip=") == 3
    assert page.count('class="preview-mark"') == 1
    assert reverse("volume", args=[campaign.slug]) not in page


def test_preview_goes_on_at_the_first_step_that_is_not_done(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(launch_steps=["launch-protocol"])
    before = page_of(client, campaign)
    Campaign.objects.update(launch_steps=["launch-protocol", "launch-answers"])

    after = page_of(client, campaign)

    assert f'href="{reverse("launch-answers", args=[campaign.slug])}">Continue the launch: Answers<' in before
    assert f'href="{reverse("launch-open", args=[campaign.slug])}">Continue the launch: Open<' in after


def test_answers_are_checked_by_the_protocol_and_stored_nowhere(client: Client, campaign: Campaign) -> None:
    before = everything_stored()
    answer = address(page_of(client, campaign), "answer")

    incomplete = client.post(answer, {"content": "1"}, headers=HTMX)
    complete = client.post(answer, DIRECT_ANSWERS, headers=HTMX)

    assert (incomplete.status_code, complete.status_code) == (422, 200)
    assert "Here nothing is." in complete.content.decode()
    assert everything_stored() == before
    campaign.refresh_from_db()
    assert (campaign.status, campaign.launch_steps) == ("draft", ["preview"])


def test_preview_goes_through_the_units_and_round_again(client: Client, campaign: Campaign) -> None:
    page, prompts = page_of(client, campaign), []
    for _ in range(4):
        prompts += re.findall(r"Prompt of (\w+)", page)
        page = client.post(address(page, "answer"), DIRECT_ANSWERS, headers=HTMX).content.decode()

    order = [row.unit.key for row in CampaignUnit.objects.order_by("position")]
    assert prompts == [*order, order[0]]


def test_unit_can_be_given_back_and_what_was_heard_is_taken_politely(client: Client, campaign: Campaign) -> None:
    page = page_of(client, campaign)

    heard = client.post(address(page, "heard"), {"heard": "[]"})
    skipped = client.post(address(page, "skip"), {"reason": "other"}, headers=HTMX)

    assert (heard.status_code, skipped.status_code) == (204, 200)
    assert address(skipped.content.decode(), "answer") != address(page, "answer")


def test_clips_of_a_preview_are_the_delivered_ones_and_only_for_who_looks(client: Client, campaign: Campaign) -> None:
    clips = re.findall(r'data-clip="([^"]+)"', page_of(client, campaign))

    heard = [client.get(clip) for clip in clips]
    client.force_login(make_member(campaign, "admin"))
    elsewhere = [client.get(clip).status_code for clip in clips]

    assert [(clip.status_code, clip["Content-Type"]) for clip in heard] == [(200, "audio/wav")] * 3
    assert elsewhere == [404] * 3
    assert client.get(clips[0][:-6] + "x/clip").status_code == 404


def test_preview_names_no_system_and_its_addresses_say_nothing(client: Client, campaign: Campaign) -> None:
    page = page_of(client, campaign)
    clips = re.findall(r'data-clip="([^"]+)"', page)
    again = re.findall(r'data-clip="([^"]+)"', page_of(client, campaign))

    assert RARE_A not in page
    assert RARE_B not in page
    assert not set(clips) & set(again)
    assert all(re.search(r"/preview/[0-9a-f]{32}\d{5}:[\w-]+/clip$", clip) for clip in clips)


def test_preview_key_of_another_session_begins_again(client: Client, campaign: Campaign) -> None:
    answer = address(page_of(client, campaign), "answer")
    client.force_login(make_member(campaign, "admin"))

    response = client.post(answer, DIRECT_ANSWERS)

    assert response["Location"] == reverse("preview", args=[campaign.slug])


@each(
    "units, problems, said, to",
    [
        (0, 0, "This campaign has no units yet.", "launch-units"),
        (1, 2, "2 clips could not be prepared at this loudness.", "launch-open"),
        (1, 0, "The units are chosen, and their audio is not prepared yet.", "campaign-audio"),
    ],
    undo=True,
)
def test_preview_without_prepared_clips_says_what_is_missing_and_leads_there(
    client: Client, units: int, problems: int, said: str, to: str
) -> None:
    audio_problems = [{"where": "x", "message": "So.", "highest_target_lufs": None}] * problems
    campaign = make_campaign(status="draft", units=units, audio_problems=audio_problems)
    client.force_login(make_member(campaign, "admin"))

    page = page_of(client, campaign)

    assert "Nothing to hear yet" in page
    assert said in page
    waits = page[page.index("Nothing to hear yet") :]
    others = {"launch-units", "launch-open", "campaign-audio"} - {to}
    assert f'"{reverse(to, args=[campaign.slug])}"' in waits
    assert not [name for name in others if f'"{reverse(name, args=[campaign.slug])}"' in waits]


def test_audio_is_prepared_from_the_preview_which_then_waits(client: Client) -> None:
    campaign = make_campaign(status="draft", units=1)
    client.force_login(make_member(campaign, "admin"))

    asked = client.post(reverse("campaign-audio", args=[campaign.slug]), {"page": "preview", "target_lufs": "-23.0"})

    assert asked["Location"] == reverse("preview", args=[campaign.slug])
    assert "The audio is being prepared" in client.get(asked["Location"]).content.decode()


@pytest.mark.parametrize("protocol", ["acr", "podcast", "rubric"])
def test_preview_shows_units_of_every_kind(client: Client, media_root: Path, protocol: str) -> None:
    campaign = make_campaign(status="draft", units=1, protocol=protocol, facts={"criteria": []})
    deliver_fakes(campaign)
    client.force_login(make_member(campaign, "admin"))

    assert page_of(client, campaign).count("data-unit ") == 1


def test_preview_waits_for_the_audio_and_begins_by_itself(client: Client, media_root: Path) -> None:
    campaign = make_campaign(status="draft", units=1)
    client.force_login(make_member(campaign, "admin"))
    Job.objects.create(kind="prepare-audio", subject=campaign.pk, started_by=campaign.created_by, status="running")
    here = reverse("preview", args=[campaign.slug])

    waiting = [client.get(here, headers=headers).content.decode() for headers in ({}, HTMX)]
    deliver_fakes(campaign)
    ready = client.get(here, headers=HTMX)

    assert [page.count("The audio is being prepared") for page in waiting] == [1, 1]
    assert [page.count("<html") for page in waiting] == [1, 0]
    assert ready["HX-Refresh"] == "true"
