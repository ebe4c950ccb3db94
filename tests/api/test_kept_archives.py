"""By the API the ZIP of a refused import is used again, as on the page."""

import io
import json
import shutil
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from accounts.models import User
from corpus.models import Import, ResponseTurn
from tests.api.callers import caller
from tests.api.test_uploads import tone
from tests.factories import UserFactory
from tests.importing import work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
ADDRESS = "/api/v1/imports/"
ROW = {"item": "1", "prompt_text": "Hello?", "system": "one", "response_audio": "one.wav"}


@pytest.fixture
def user() -> User:
    return UserFactory(is_researcher=True)


@pytest.fixture
def client(user: User) -> APIClient:
    return caller(user)


def send(client: APIClient, row: dict[str, str], **more: Any) -> Any:
    table = SimpleUploadedFile("rows.json", json.dumps([row]).encode())
    return client.post(ADDRESS, {"dataset_name": "Set", "manifest": table, **more}, format="multipart")


@pytest.fixture
def refused(client: APIClient) -> str:
    """The id of an import whose table has a row without a system."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.wav", tone())
    reply = send(client, ROW | {"system": ""}, archive=SimpleUploadedFile("sound.zip", packed.getvalue()))
    work_off()
    return str(reply.json()["id"])


def test_corrected_table_takes_the_zip_of_the_refused_import(client: APIClient, refused: str) -> None:
    found = client.get(f"{ADDRESS}{refused}/").json()
    assert (found["status"], found["keeps_archive"]) == ("failed", True)

    reply = send(client, ROW, audio_of=refused)
    work_off()
    client.post(f"{ADDRESS}{reply.json()['id']}/confirm/")
    work_off()

    made = client.get(f"{ADDRESS}{reply.json()['id']}/").json()
    assert (made["status"], made["keeps_archive"]) == ("imported", False)
    clip = ResponseTurn.objects.get().clip
    assert clip
    assert clip.path.read_bytes() == tone()
    assert client.get(f"{ADDRESS}{refused}/").json()["keeps_archive"]


def test_zip_that_is_no_longer_kept_is_said_to_be_gone(client: APIClient, refused: str) -> None:
    shutil.rmtree(Import.objects.get(pk=refused).folder)

    reply = send(client, ROW, audio_of=refused)

    assert (reply.status_code, reply.json()["code"]) == (409, "zip_no_longer_kept")
    assert Import.objects.count() == 1


def test_zip_of_somebody_else_cannot_be_used(refused: str) -> None:
    reply = send(caller(UserFactory(is_researcher=True)), ROW, audio_of=refused)

    said = [(it["field"], it["code"]) for it in reply.json()["errors"]]
    assert (reply.status_code, said) == (400, [("audio_of", "invalid_choice"), ("archive", "invalid")])
    assert Import.objects.count() == 1


def test_description_of_the_api_says_how(client: APIClient) -> None:
    document = client.get("/api/v1/schema/?format=json").json()

    operation = document["paths"][ADDRESS]["post"]
    body = operation["requestBody"]["content"]["multipart/form-data"]["schema"]["$ref"].rsplit("/", 1)[1]
    assert "audio_of" in document["components"]["schemas"][body]["properties"]
    assert "with that import as `audio_of`" in operation["description"]
