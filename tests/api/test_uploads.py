"""One response by the API: brought in as an import of one row, with what is wrong said as an import says it."""

import io
from typing import Any

import numpy as np
import pytest
import soundfile
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from accounts.models import User
from campaigns.models import Campaign
from corpus.clips.storage import examine_clip, keep_clip
from corpus.imports.files.audio_files import sha256_of
from corpus.models import Clip, Import, Response, ResponseTurn, Turn
from tests.api.callers import caller
from tests.cases import each
from tests.factories import RARE_A, make_campaign
from tests.importing import work_off

pytestmark = pytest.mark.django_db


def tone(pitch: float = 440.0) -> bytes:
    sound, times = io.BytesIO(), np.arange(8_000) / 16_000
    soundfile.write(sound, 0.3 * np.sin(2 * np.pi * pitch * times), 16_000, format="WAV")
    return sound.getvalue()


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    User.objects.filter(pk=campaign.created_by_id).update(is_researcher=True)
    return campaign


@pytest.fixture
def owner(campaign: Campaign) -> APIClient:
    return caller(User.objects.get(pk=campaign.created_by_id))


def send(client: APIClient, campaign: Campaign, audio: bytes | None, **said: Any) -> Any:
    files = {} if audio is None else {"audio": SimpleUploadedFile("new.wav", audio)}
    address = f"/api/v1/datasets/{campaign.dataset.slug}/responses/"
    return client.post(address, {"item": "0", "system": "Newcomer", **said, **files}, format="multipart")


def ended(client: APIClient, reply: Any) -> Any:
    """Its check is the first job, its writing the second."""
    assert reply.status_code == 202, reply.json()
    work_off()
    work_off()
    return client.get(f"/api/v1/imports/{reply.json()['id']}/").json()


@pytest.mark.databases
def test_response_is_checked_audited_and_written(owner: APIClient, campaign: Campaign) -> None:
    upload = ended(owner, send(owner, campaign, tone(), take="2", text="Hello."))

    assert (upload["status"], upload["report"]["responses"], upload["report"]["errors"]) == ("imported", 1, 0)
    turn = ResponseTurn.objects.get(response__system__name="Newcomer")
    assert (turn.response.item.key, turn.response.key, turn.text, turn.path) == ("0", "2", "Hello.", "new.wav")
    assert turn.clip
    assert (turn.clip.seconds, turn.clip.rate, turn.clip.path.read_bytes()) == (0.5, 16_000, tone())


@pytest.mark.databases
def test_prompt_without_words_is_no_obstacle(owner: APIClient, campaign: Campaign) -> None:
    sound = io.BytesIO(tone(300.0))
    clip = keep_clip(sound, examine_clip(sound, name="p.wav", sha256=sha256_of(sound)))
    Turn.objects.filter(item__key="0").update(text="", path="p.wav", clip=clip)

    assert ended(owner, send(owner, campaign, tone()))["status"] == "imported"
    assert Turn.objects.get(item__key="0").clip == clip


@pytest.mark.parametrize(
    ("audio", "said", "field"),
    [
        (b"no sound at all", {}, "audio"),
        (tone(500.0), {"system": RARE_A, "take": f"0/{RARE_A}.wav"}, "audio"),
        (None, {"text": "Other words.", "system": RARE_A, "take": f"0/{RARE_A}.wav"}, "response_text"),
    ],
)
def test_what_an_import_would_refuse_is_refused_by_row(
    owner: APIClient, campaign: Campaign, audio: bytes | None, said: dict[str, str], field: str
) -> None:
    before = Response.objects.count(), Clip.objects.count()

    upload = ended(owner, send(owner, campaign, audio, **said))

    assert upload["status"] == "failed"
    wrong = [it["field"] for it in upload["report"]["problems"] if it["severity"] == "error"]
    assert wrong == [field]
    assert (Response.objects.count(), Clip.objects.count()) == before


@pytest.mark.databases
@each(
    "said, status, field",
    [
        ({"item": "unheard-of"}, 422, "item"),
        ({"turn": 2}, 422, "turn"),
        ({"turn": "x"}, 400, "turn"),
        ({"system": ""}, 400, "system"),
    ],
    undo=True,
)
def test_what_fits_nowhere_is_refused_at_once(
    owner: APIClient, campaign: Campaign, said: dict[str, Any], status: int, field: str
) -> None:
    response = send(owner, campaign, tone(), **said)

    assert response.status_code == status
    assert [it["field"] for it in response.json()["errors"]] == [field]
    assert not Import.objects.exists()


def test_response_is_audio_or_words(owner: APIClient, campaign: Campaign) -> None:
    assert send(owner, campaign, None).status_code == 400
    assert ended(owner, send(owner, campaign, None, text="Only words."))["status"] == "imported"
