"""A verdict of a probe plays what the judge heard: the changed copy, sample by sample."""

import io
from typing import Any

import numpy as np
import pytest
import soundfile
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Role
from corpus.models import Clip, Turn
from judges.kinds.contract import Case, Kind, Opinion
from judges.models import Run
from judges.sounds.perturbations import Perturbation
from tests.cases import each
from tests.factories import make_campaign, make_member
from tests.judges.running import a_judge, a_run, kind_added, worked
from tests.measurements.measuring import kept_clip, voice, with_sound

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(client: Client) -> Campaign:
    campaign = make_campaign(units=1)
    with_sound(campaign.dataset)
    client.force_login(make_member(campaign, Role.VIEWER))
    return campaign


def heard(campaign: Campaign, *perturbation: Any) -> tuple[Run, list[np.ndarray]]:
    """A probe by a judge that listens to everything and says nothing, and what it heard of the responses."""
    sounds: list[np.ndarray] = []

    def listen(case: Case, _settings: Any, _tools: Any) -> Opinion:
        sounds[:] = [turn.sound.read()[0] for said in case.responses for turn in said if turn.sound]
        return Opinion("refused")

    with kind_added(Kind("ear", "1", "Ear", "", listen, lambda _p, _s: "")):
        clean = worked(a_run(campaign, a_judge(campaign, "ear")))
        change = Perturbation(*perturbation)
        return worked(a_run(campaign, a_judge(campaign, "ear"), perturbation=change, unperturbed=clean)), sounds


def page_of(client: Client, run: Run) -> str:
    where = reverse("run-verdict", args=[run.campaign.slug, run.pk, run.verdicts.get().pk])
    return client.get(where).content.decode()


def copy_at(run: Run, clip: Clip) -> str:
    return reverse("run-verdict-clip", args=[run.campaign.slug, run.pk, run.verdicts.get().pk, clip.pk])


@each("change", [("white_noise", 10.0), ("gain", -6.0), ("speed", 25.0), ("trailing_silence", 1.0)], undo=True)
def test_what_is_played_is_what_was_heard(client: Client, campaign: Campaign, change: tuple[str, float]) -> None:
    run, sounds = heard(campaign, *change)
    unit = run.verdicts.get().unit
    page = page_of(client, run)

    for response, samples in zip((unit.a, unit.b), sounds, strict=True):
        address = copy_at(run, response.turns.get().clip)
        played, rate = soundfile.read(io.BytesIO(client.get(address).content))
        assert address in page
        assert rate == 16_000
        np.testing.assert_allclose(played, np.clip(samples, -1, 1), atol=1.01 / 32768)
    assert "Played as the judge heard it" in page


def test_a_part_of_a_copy_can_be_fetched(client: Client, campaign: Campaign) -> None:
    run, _sounds = heard(campaign, "gain", -6.0)
    address = copy_at(run, run.verdicts.get().unit.a.turns.get().clip)

    part = client.get(address, headers={"Range": "bytes=4-11"})

    assert (part.status_code, part.content) == (206, client.get(address).content[4:12])


@pytest.mark.parametrize(
    ("change", "said"), [(("swapped_order",), ""), (("transcript_only",), "The judge was given the words alone")]
)
def test_where_no_copy_was_made_the_originals_are_played(
    client: Client, campaign: Campaign, change: tuple[str], said: str
) -> None:
    Turn.objects.update(text="Hello")
    campaign.dataset.items.get().responses.first().turns.update(text="Hello")
    run, _sounds = heard(campaign, *change)
    clip = run.verdicts.get().unit.a.turns.get().clip

    page = page_of(client, run)

    assert reverse("item-clip", args=[campaign.dataset.slug, run.verdicts.get().unit.item_id, clip.pk]) in page
    assert (said in page, "changed copies" in page) == (True, False)
    assert client.get(copy_at(run, clip)).status_code == 404


def test_a_copy_that_cannot_be_made_is_said_not_to_be_there(client: Client, campaign: Campaign) -> None:
    turn = campaign.campaign_units.get().unit.a.turns.get()
    turn.clip = kept_clip(np.zeros(16_000))
    turn.save()
    run, _sounds = heard(campaign, "white_noise", 10.0)

    page = page_of(client, run)

    assert run.verdicts.get().status == "error"
    assert "The judge was given changed copies; these are the originals." in page
    assert client.get(copy_at(run, turn.clip)).status_code == 404


def test_clips_of_other_units_are_not_to_be_had(client: Client, campaign: Campaign) -> None:
    run, _sounds = heard(campaign, "gain", -6.0)

    assert client.get(copy_at(run, kept_clip(voice(77)))).status_code == 404
