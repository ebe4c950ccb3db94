"""Protocols by the API: versions are added, with every fault at its field, and never change."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from campaigns.models import ProtocolVersion
from protocols import SHIPPED, to_document
from protocols.documents.yaml_files import to_yaml
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PROTOCOLS = "/api/v1/protocols/"


@pytest.fixture
def launcher() -> APIClient:
    return caller(UserFactory(is_researcher=True))


def document(**changes: Any) -> dict[str, Any]:
    return to_document(SHIPPED["acr"]) | {"name": "pace"} | changes


def fields(response: Any) -> list[str]:
    return [it["field"] for it in response.json()["errors"]]


def test_protocol_is_added_as_a_version_and_read_again(launcher: APIClient) -> None:
    made = launcher.post(PROTOCOLS, {"document": document(), "based_on": "acr/1"})
    again = launcher.post(PROTOCOLS, {"document": document()})
    other = launcher.post(PROTOCOLS, {"document": document(title="Otherwise")})
    second = launcher.post(PROTOCOLS, {"document": document(title="Otherwise", version="2")})

    assert [it.status_code for it in (made, again, other, second)] == [201, 201, 409, 201]
    assert fields(other) == ["document.version", "document.version"]
    assert "2" in other.json()["errors"][1]["message"]
    assert launcher.get(f"{PROTOCOLS}pace/1/").json()["document"] == document()
    listed = [it["reference"] for it in launcher.get(PROTOCOLS).json()]
    assert listed[:2] == ["pace/2", "pace/1"]
    assert set(listed[2:]) == {f"{it.name}/{it.version}" for it in SHIPPED.values()}
    assert ProtocolVersion.objects.get(version="1").based_on == "acr/1"


def test_yaml_is_the_same_protocol(launcher: APIClient) -> None:
    text = to_yaml(SHIPPED["hcot"]).replace("name: hcot", "name: mine", 1)

    made = launcher.post(PROTOCOLS, {"yaml": text})

    assert made.json()["document"] == to_document(SHIPPED["hcot"]) | {"name": "mine"}


@each(
    "sent, status, wrong",
    [
        ({}, 400, [""]),
        ({"document": {}, "yaml": "x"}, 400, [""]),
        ({"document": document(title=" ", aspects=[])}, 422, ["document.title", "document.aspects"]),
        ({"document": document(title=7)}, 422, ["document.title"]),
        ({"document": document(colour="red")}, 422, ["document.colour"]),
        ({"document": document(name="hcot")}, 409, ["document.name", "document.name"]),
        ({"document": document(), "based_on": "nothing/1"}, 422, ["based_on"]),
        ({"yaml": "a: ["}, 422, ["yaml"]),
        ({"yaml": "name: x\nversion: '1'\ntitle: T\ninstructions: I\naspects: []\n"}, 422, ["document.aspects"]),
    ],
    undo=True,
)
def test_faults_are_told_at_their_fields(
    launcher: APIClient, sent: dict[str, Any], status: int, wrong: list[str]
) -> None:
    response = launcher.post(PROTOCOLS, sent)

    assert (response.status_code, fields(response)) == (status, wrong), response.content
    assert not ProtocolVersion.objects.exists()


def test_name_of_somebody_else_is_not_added_to(launcher: APIClient) -> None:
    launcher.post(PROTOCOLS, {"document": document()})

    response = caller(UserFactory(is_researcher=True)).post(PROTOCOLS, {"document": document(version="2")})

    assert (response.status_code, fields(response)[0]) == (409, "document.name")


PREVIEWS = "/api/v1/protocol-previews/"


def test_preview_says_what_is_asked_and_saves_nothing(launcher: APIClient) -> None:
    good = launcher.post(PREVIEWS, {"document": document()}).json()
    text = launcher.post(PREVIEWS, {"yaml": good["yaml"]}).json()

    assert good["faults"] == []
    assert [(it["name"], len(it["options"])) for it in good["questions"]] == [
        (aspect.name, len(aspect.scale.options)) for aspect in SHIPPED["acr"].aspects
    ]
    assert text == good
    assert not ProtocolVersion.objects.exists()


@each(
    "sent, place",
    [
        ({"document": document(title="")}, "document.title"),
        ({"document": document(name="acr")}, "document.name"),
        ({"document": document(aspects=5)}, "document.aspects"),
        ({"document": {}}, "document"),
        ({"yaml": "- no protocol"}, "document"),
        ({"yaml": "title: [1"}, "yaml"),
    ],
    undo=True,
)
def test_preview_says_what_is_wrong_at_its_field(launcher: APIClient, sent: dict[str, Any], place: str) -> None:
    reply = launcher.post(PREVIEWS, sent)

    assert reply.status_code == 200
    assert place in [it["field"] for it in reply.json()["faults"]]
    assert reply.json()["yaml"] == ""


def test_preview_of_a_taken_version_proposes_another(launcher: APIClient) -> None:
    launcher.post(PROTOCOLS, {"document": document()})

    [fault] = launcher.post(PREVIEWS, {"document": document(title="Otherwise")}).json()["faults"]

    assert (fault["field"], fault["suggestion"]) == ("document.version", "2")
