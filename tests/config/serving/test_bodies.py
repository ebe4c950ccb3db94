"""Bodies that are too large: who may send how much to which address, and that the rest is refused unread."""

import ast
import asyncio
import inspect
import json
from types import ModuleType
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.parsers import MultiPartParser

from accounts.models import User
from accounts.tokens.tokens import READ, WRITE, make_token
from campaigns.models import Role
from config.serving import asgi_handler
from config.serving.requests import bodies
from config.serving.requests.bodies import ORDINARY, SMALL, Because, Limit, limit_of
from config.serving.requests.uploads import AROUND
from corpus.imports.forms import most_import_bytes
from infrastructure.files.upload_limits import most_file_bytes
from judges.imported.forms import MAX_BYTES
from tests.factories import UserFactory, make_campaign, make_member
from tests.world import routes

pytestmark = pytest.mark.django_db
MB = 1_000_000
FORM = "multipart/form-data; boundary=x"
IMPORT = "/api/v1/imports/"
#: Shares the function that makes the form with the address to which that is sent.
SHOWS_THE_FORM_ONLY = {"guidelines-text"}


# -- the addresses that take files ------------------------------------------------------------


def takes_files(view: Any) -> bool:
    """An API view, or an action, whose parser takes forms; a function that reads request.FILES, or by another."""
    if (of_class := getattr(view, "cls", None)) is not None:
        post = getattr(view, "actions", {}).get("post", "")
        of_action = getattr(getattr(of_class, post, None), "kwargs", {}).get("parser_classes", ())
        return MultiPartParser in (of_class.parser_classes if post == "create" else of_action)
    function = inspect.unwrap(view)
    if not inspect.isfunction(function):
        return False
    module = inspect.getmodule(function)
    assert module is not None
    return reads_files(module, function.__name__, set())


def reads_files(module: ModuleType, name: str, seen: set[str]) -> bool:
    function = getattr(module, name, None)
    if name in seen or not inspect.isfunction(function) or inspect.getmodule(function) is not module:
        return False
    seen.add(name)
    tree = ast.parse(inspect.getsource(inspect.unwrap(function)))
    if any(isinstance(node, ast.Attribute) and node.attr == "FILES" for node in ast.walk(tree)):
        return True
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return any(reads_files(module, one, seen) for one in used)


def test_every_address_that_takes_files_says_how_large_they_may_be() -> None:
    found = {name for name, _route, view in routes() if takes_files(view)}
    limited = {name for name, _route, view in routes() if most_file_bytes(view, "POST") is not None}

    assert found - SHOWS_THE_FORM_ONLY == limited


# -- who may send how much ------------------------------------------------------------


def asked(path: str, announced: int | None, *, client: Client | None = None, **headers: str) -> Limit:
    request = RequestFactory().post(path, b"x", content_type=FORM, headers=headers)
    if client:
        request.COOKIES = {name: morsel.value for name, morsel in client.cookies.items()}
    return limit_of(request, announced)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def token_of(user: User, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(user, name='t', scopes=scopes, days=1)[1]}"}


def test_nobody_sends_little_wherever_to() -> None:
    for path in ("/accounts/login/", reverse("import-new"), IMPORT, "/nowhere/"):
        assert asked(path, 60 * MB) == Limit(SMALL, Because.ANONYMOUS)


def test_researcher_sends_an_archive_by_session_and_by_token(settings: Settings) -> None:
    user = UserFactory(is_researcher=True)
    whole = Limit(most_import_bytes() + AROUND)

    assert asked(reverse("import-new"), 60 * MB, client=logged_in(user)) == whole
    assert asked(IMPORT, 60 * MB, **token_of(user, WRITE)) == whole
    assert asked(IMPORT, None, **token_of(user, WRITE)) == whole
    assert whole.most > settings.MAX_ARCHIVE_BYTES


def test_same_person_sends_no_archive_where_none_is_taken() -> None:
    client = logged_in(UserFactory(is_researcher=True))

    assert asked(reverse("campaign-new"), 60 * MB, client=client) == Limit(ORDINARY)


@pytest.mark.parametrize("authorization", ["Bearer earshot_nonsense", "Bearer", "Basic eDp5"])
def test_token_that_is_none_opens_nothing(authorization: str) -> None:
    assert asked(IMPORT, 60 * MB, Authorization=authorization) == Limit(ORDINARY, Because.ANONYMOUS)


def test_token_that_may_only_read_uploads_nothing() -> None:
    user = UserFactory(is_researcher=True)

    assert asked(IMPORT, 60 * MB, **token_of(user, READ)) == Limit(ORDINARY, Because.ANONYMOUS)


def test_session_that_is_none_opens_nothing() -> None:
    client = Client()
    client.cookies["sessionid"] = "x" * 32

    assert asked(IMPORT, 60 * MB, client=client) == Limit(ORDINARY, Because.ANONYMOUS)


@pytest.mark.parametrize(("role", "may"), [(Role.RESEARCHER, True), (Role.ADMIN, True), (Role.ANNOTATOR, False)])
def test_those_who_manage_a_campaign_send_its_tables(role: Role, may: bool) -> None:
    campaign = make_campaign()
    client = logged_in(make_member(campaign, role))

    found = asked(reverse("verdicts-import", args=[campaign.slug]), 40 * MB, client=client)

    expected = Limit(MAX_BYTES + AROUND) if may else Limit(ORDINARY, Because.NO_RIGHT)
    assert found == expected


def test_ordinary_body_costs_no_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client = logged_in(UserFactory(is_researcher=True))

    with django_assert_num_queries(0):
        asked(reverse("import-new"), ORDINARY, client=client)
        asked(reverse("import-new"), 10**12, client=client)
        asked("/accounts/login/", 60 * MB, client=client)


def test_large_json_is_no_upload() -> None:
    request = RequestFactory().post(
        IMPORT, b"x", content_type="application/json", headers=token_of(UserFactory(), WRITE)
    )

    assert limit_of(request, 60 * MB) == Limit(ORDINARY)


# -- the refusal ------------------------------------------------------------


class Sent:
    """What an ASGI client saw: the status, the headers and the text; and how much of its body was asked for."""

    def __init__(self) -> None:
        self.status, self.headers, self.text, self.chunks_read = 0, {}, "", 0


def send(path: str, *, length: int | None, chunks: int = 0, headers: dict[str, str] | None = None) -> Sent:
    """POST to the pages; 100 kB in each chunk."""
    sent = Sent()

    async def receive() -> dict[str, Any]:
        sent.chunks_read += 1
        return {"type": "http.request", "body": b"x" * 100_000, "more_body": sent.chunks_read < chunks}

    async def note(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            sent.status = message["status"]
            sent.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        elif message.get("more_body") and not sent.text:
            sent.text = message["body"].decode()
            sent.chunks_read = 0 if length is not None else sent.chunks_read

    given = {"host": "localhost", "content-type": FORM, "accept-language": "en"} | (headers or {})
    given |= {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
    coded = [(name.encode(), value.encode()) for name, value in given.items()]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": coded}
    asyncio.run(asgi_handler.Pages()(scope, receive, note))
    return sent


@pytest.fixture
def short_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LINGER_S", 0.05)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short_linger")
@pytest.mark.parametrize("length", [299 * MB, None])
def test_page_is_refused_as_a_page_with_all_that_protects_one(length: int | None) -> None:
    sent = send("/accounts/login/", length=length, chunks=3)

    assert (sent.status, sent.headers["connection"]) == (413, "close")
    assert "At most 62.5\xa0KB are accepted without a login." in sent.text
    assert "Nothing was stored." in sent.text
    assert {"content-security-policy", "x-frame-options", "x-request-id", "content-length"} <= set(sent.headers)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short_linger")
def test_api_is_refused_as_a_problem() -> None:
    sent = send(IMPORT, length=299 * MB, chunks=1)

    assert (sent.status, sent.headers["content-type"]) == (413, "application/problem+json")
    told = json.loads(sent.text)
    assert (told["status"], told["code"], told["errors"]) == (413, "too_large", [])


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short_linger")
def test_refusal_is_in_the_language_of_the_browser() -> None:
    sent = send("/accounts/login/", length=299 * MB, chunks=1, headers={"accept-language": "de"})

    assert 'lang="de"' in sent.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short_linger")
def test_fault_while_the_body_is_looked_at_is_answered_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> Limit:
        raise DatabaseError

    monkeypatch.setattr(asgi_handler, "limit_of", away)

    assert send(IMPORT, length=299 * MB, chunks=1).status == 500


def test_body_that_is_cut_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    spooled = bodies.tempfile.SpooledTemporaryFile
    monkeypatch.setattr(
        bodies.tempfile, "SpooledTemporaryFile", lambda **how: made.append(spooled(**how)) or made[-1]
    )

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * MB, "more_body": True}

    with pytest.raises(bodies.BodyTooLarge):
        asyncio.run(bodies.read_body(receive, limit=Limit(5 * MB)))

    assert [file.closed for file in made] == [True]
