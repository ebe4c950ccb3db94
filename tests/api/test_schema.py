"""The API against its own description: whatever is made up, no fault and no reply of another shape."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import resolve
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import FailureGroup

from accounts.api.schema import THEMES
from accounts.models import User
from accounts.tokens.tokens import SCOPES, make_token
from campaigns.models import Campaign, Role
from judges.models import Judge
from tests.cases import undone
from tests.world import api_routes

pytestmark = pytest.mark.django_db
SCHEMA = "/api/v1/schema/"
ROOMS = sorted({route.split("/")[2] for _name, route, _view in api_routes()} - {"schema", "<path:rest>"})
#: Of each operation, and each way of making things up. They are the same at each run, so that more of them find
#: nothing new; to look for what is new is for the slow test.
EXAMPLES = 4
#: Clips are one person's own, and of what is made up hardly anything is a document or YAML alone.
WITHOUT_SUCCESS = {"clips", "protocol-previews"}
#: So many that the slow tests make five thousand requests and more.
MANY_EXAMPLES = 34
load_all_checks()
HELD = CHECKS.get_by_names(
    ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
     "response_headers_conformance", "unsupported_method"]
)  # fmt: skip


@pytest.fixture(autouse=True)
def connection_stays() -> Iterator[None]:
    """Requests here come in the test's own transaction."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.fixture
def known(campaign: Campaign, people: dict[str, User], addresses: dict[str, str]) -> dict[str, Any]:
    """What is there, by the names under which bodies speak of it. Whoever asks holds every role."""
    del addresses
    for role in Role:
        name = "A99" if role == Role.ANNOTATOR else ""
        campaign.memberships.create(user=people["superuser"], role=role, pseudonym=name)
    return {
        "dataset": campaign.dataset.slug,
        "protocol": "hcot",
        "judge": Judge.objects.get(title="Random").pk,
        "kind": "longest",
        "username": people["outsider"].username,
        "systems": [],
    }


@pytest.mark.parametrize("room", ROOMS)
def test_replies_are_as_described(
    room: str, known: dict[str, Any], addresses: dict[str, str], people: dict[str, User]
) -> None:
    replied = _all_tried(room, known, addresses, people, examples=EXAMPLES)

    assert len(replied) >= EXAMPLES / 2
    assert room in WITHOUT_SUCCESS or any(200 <= status < 300 for status in replied)


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_many_replies_are_as_described(
    room: str, known: dict[str, Any], addresses: dict[str, str], people: dict[str, User]
) -> None:
    """The rooms together make more than five thousand requests; `pytest -s` shows how many each made."""
    replied = Counter(_all_tried(room, known, addresses, people, examples=MANY_EXAMPLES))

    print(f"{room}: {replied.total()} requests:", dict(sorted(replied.items())))  # noqa: T201 - for `pytest -s`
    assert replied.total() >= MANY_EXAMPLES
    assert not [status for status in replied if status >= 500]


def test_description_is_valid_and_says_what_is_there(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn")
    capsys.readouterr()
    described = client.get(SCHEMA).json()["paths"]
    routes = {(method, path) for path, methods in described.items() for method in methods}

    assert len(routes) == sum(len(getattr(view, "actions", {})) for _name, _route, view in api_routes()) - _heads()


def test_every_operation_has_a_summary_a_theme_and_an_example(client: Any) -> None:
    described = client.get(SCHEMA).json()
    operations = {
        f"{method} {path}": operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }

    assert [name for name, it in operations.items() if not 10 <= len(it.get("summary", "")) <= 160] == []
    assert {theme for it in operations.values() for theme in it["tags"]} == set(THEMES)
    assert [name for name, it in operations.items() if not list(examples(it))] == []
    for name, operation in operations.items():
        for shape, example in examples(operation):
            Draft4Validator(shape | {"components": described["components"]}).validate(example), name


def test_bodies_and_replies_in_json_all_have_examples(client: Any) -> None:
    without = [
        f"{method} {path}"
        for path, methods in client.get(SCHEMA).json()["paths"].items()
        for method, operation in methods.items()
        for kind, media in contents(operation)
        if kind == "application/json" and "example" not in media
    ]

    assert without == []


def examples(operation: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The shape and the example of each parameter and body that has one."""
    for it in operation.get("parameters", []):
        if "example" in it:
            yield it["schema"], it["example"]
    for _kind, media in contents(operation):
        if "example" in media:
            yield media["schema"], media["example"]


def contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from operation.get("requestBody", {}).get("content", {}).items()
    for status, reply in operation["responses"].items():
        if status.startswith("2"):
            yield from reply.get("content", {}).items()


@schemathesis.serializer("application/offset+octet-stream")
def part_of_an_upload(_context: Any, value: Any) -> bytes:
    """Of resumable uploads (tus): bytes, as they are."""
    return value if isinstance(value, bytes) else bytes(str(value), "utf-8")


@cache
def description() -> Any:
    """Made once: it takes seconds."""
    return schemathesis.openapi.from_wsgi(SCHEMA, WSGIHandler())


def operations(room: str) -> Iterator[Any]:
    found = (result.ok() for result in description().get_all_operations())
    return (operation for operation in found if operation.path.split("/")[3] == room)


def _all_tried(
    room: str, known: dict[str, Any], addresses: dict[str, str], people: dict[str, User], *, examples: int
) -> list[int]:
    bearer = {"Authorization": f"Bearer {make_token(people['superuser'], name='s', scopes=SCOPES, days=1)[1]}"}
    there = {_path(address): _arguments(address) for address in addresses.values()}
    replied: list[int] = []
    failed: list[BaseException] = []
    for operation in operations(room):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            if mode == GenerationMode.POSITIVE or operation.query or operation.body:
                try:
                    replied += _tried(operation, mode, there[operation.path], known, bearer, examples)
                except (FailureGroup, Exception) as fault:  # noqa: BLE001 - all of them are raised together
                    failed.append(fault)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} operations of {room} reply otherwise than described", failed)
    return replied


def _tried(
    operation: Any,
    mode: Any,
    there: dict[str, Any],
    known: dict[str, Any],
    bearer: dict[str, str],
    examples: int,
) -> list[int]:
    """The statuses of the replies; each request is undone, so that the order of requests does not matter."""
    replied: list[int] = []

    @hypothesis_settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(mode), real=st.booleans())
    def try_one(case: Any, real: bool) -> None:
        if real or len(replied) % 3:
            case.path_parameters = dict(there)
            if isinstance(case.body, dict):
                case.body |= {name: value for name, value in known.items() if name in case.body}
        with undone():
            reply = case.call(headers=bearer)
        case.validate_response(reply, checks=HELD, headers=bearer)
        replied.append(reply.status_code)

    try_one()
    return replied


def _path(address: str) -> str:
    route = re.sub(r"<\w+:(\w+)>", r"{\1}", resolve(address).route)
    return "/" + route.replace("{pk}", "{id}")


def _arguments(address: str) -> dict[str, Any]:
    return {{"pk": "id"}.get(name, name): str(value) for name, value in resolve(address).kwargs.items()}


def _heads() -> int:
    """Methods of the router that the description leaves out."""
    return sum("head" in getattr(view, "actions", {}) for _name, _route, view in api_routes())
