"""Requests one after the other in threads that stay: each as if it were the first in its thread."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.decorators import login_not_required
from django.core.signals import request_finished, request_started
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path
from django.utils import translation

from accounts.models import User
from config.serving.asgi_handler import KEPT, Pages
from config.serving.requests.request_limiter import Turns
from config.sqlite import base

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]
sqlite_only = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL keeps connections in its pool")

left_open: list[Any] = []
together = threading.Barrier(3, timeout=10)
poured = threading.Event()
entered, may_go = threading.Event(), threading.Event()
at_work: list[int] = []


def where(_request: HttpRequest) -> HttpResponse:
    """Which thread and which connection answer, in which language, and how many people there are."""
    connection.ensure_connection()
    here = f"{threading.get_ident()} {id(connection.connection)} {translation.get_language()} {User.objects.count()}"
    return HttpResponse(here)


def meet(request: HttpRequest) -> HttpResponse:
    together.wait()
    return where(request)


def leave_a_cursor(request: HttpRequest) -> HttpResponse:
    rows = User.objects.iterator(chunk_size=1)
    next(rows)
    left_open.append(rows)
    return where(request)


def write(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        User.objects.create_user(username=f"person {User.objects.count()}")
    return where(request)


def stop_halfway(_request: HttpRequest) -> HttpResponse:
    translation.activate("de")
    with transaction.atomic():
        User.objects.create_user(username="halfway")
        raise LookupError("halfway")


async def drops() -> AsyncIterator[bytes]:
    try:
        for _ in range(1_000):
            yield b"drop"
            await asyncio.sleep(0.01)
    finally:
        poured.set()


def pour(_request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(drops())


def count_those_at_work(_request: HttpRequest) -> HttpResponse:
    at_work.append(threading.get_ident())
    time.sleep(0.01)
    together_now = len(at_work)
    at_work.remove(threading.get_ident())
    return HttpResponse(str(together_now))


def take_long(request: HttpRequest) -> HttpResponse:
    entered.set()
    may_go.wait(10)
    return write(request)


def handler500(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=500)


VIEWS = (where, meet, leave_a_cursor, write, stop_halfway, take_long, pour, count_those_at_work)
urlpatterns = [path(view.__name__, login_not_required(view)) for view in VIEWS]


def opened(pages: Pages, name: str, language: str = "en") -> ApplicationCommunicator:
    headers = [(b"host", b"localhost"), (b"accept-language", language.encode())]
    scope = {"type": "http", "method": "GET", "path": f"/{name}", "query_string": b"", "headers": headers}
    return ApplicationCommunicator(pages, scope)  # type: ignore[no-untyped-call]


async def got(pages: Pages, name: str, language: str = "en") -> list[str]:
    """The words of the answer."""
    page = opened(pages, name, language)
    await page.send_input({"type": "http.request", "body": b""})
    start, body = await page.receive_output(10), await page.receive_output(10)
    await page.wait(10)
    return body["body"].decode().split() if start["status"] == 200 else [str(start["status"])]


def in_turn(*names: str) -> list[list[str]]:
    async def all_of_them() -> list[list[str]]:
        pages = Pages()
        return [await got(pages, name) for name in names]

    return asyncio.run(all_of_them())


@sqlite_only
def test_next_request_finds_the_thread_and_its_connection_again() -> None:
    first, second = in_turn("where", "where")

    assert first == second


def test_requests_at_once_have_a_thread_and_a_connection_each() -> None:
    async def three() -> tuple[list[list[str]], int]:
        pages = Pages()
        return await asyncio.gather(*(got(pages, "meet") for _ in range(3))), len(pages._idle)

    answers, kept = asyncio.run(three())

    assert len({thread for thread, *_ in answers}) == len({line for _, line, *_ in answers}) == 3
    assert kept == 3


def test_a_rush_leaves_no_more_threads_than_are_kept() -> None:
    async def rush() -> int:
        pages = Pages()
        await asyncio.gather(*(got(pages, "where") for _ in range(KEPT + 3)))
        return len(pages._idle)

    assert asyncio.run(rush()) == KEPT


@sqlite_only
def test_a_cursor_left_open_shows_the_next_request_no_old_rows_and_lets_it_write() -> None:
    for name in ("ann", "bob", "cy"):
        User.objects.create_user(username=name)

    async def with_a_writer_between() -> list[list[str]]:
        pages = Pages()
        first = await got(pages, "leave_a_cursor")
        await got(Pages(), "write")
        return [first, await got(pages, "where"), await got(pages, "write")]

    try:
        first, second, third = asyncio.run(with_a_writer_between())
    finally:
        left_open.clear()

    assert first[:2] == second[:2] == third[:2]  # one connection
    assert (first[3], second[3], third[3]) == ("3", "4", "5")


def test_language_of_one_request_is_not_that_of_the_next() -> None:
    async def two_languages() -> list[str]:
        pages = Pages()
        return [(await got(pages, "where", language))[2] for language in ("de", "en", "de", "xx")]

    assert asyncio.run(two_languages()) == ["de", "en", "de", "en"]


def test_a_view_that_fails_leaves_neither_rows_nor_language() -> None:
    before, failed, after = in_turn("where", "stop_halfway", "where")

    assert failed == ["500"]
    assert after == before or connection.vendor != "sqlite"
    assert after[2:] == ["en", "0"]


def test_somebody_who_leaves_before_the_answer_does_not_hold_up_the_next() -> None:
    async def left() -> tuple[list[str], list[str]]:
        pages = Pages()
        entered.clear(), may_go.clear()
        page = opened(pages, "take_long")
        await page.send_input({"type": "http.request", "body": b""})
        await asyncio.to_thread(entered.wait, 10)
        await page.send_input({"type": "http.disconnect"})
        meanwhile = await got(pages, "where")
        may_go.set()
        await page.wait(10)
        return meanwhile, await got(pages, "where")

    meanwhile, afterwards = asyncio.run(left())

    assert meanwhile[3] == "0"
    assert afterwards[3] == "1"  # what they had asked for was done all the same


@sqlite_only
def test_who_waited_too_long_for_their_turn_to_write_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "TIMEOUT_S", 0.01)

    with base._writers, transaction.atomic():
        User.objects.create_user(username="impatient")

    assert User.objects.count() == 1
    assert not base._writers.locked()


def test_a_stream_ends_when_its_reader_has_gone() -> None:
    async def left() -> dict[str, Any]:
        page = opened(Pages(), "pour")
        await page.send_input({"type": "http.request", "body": b""})
        await page.receive_output(10)
        first: dict[str, Any] = await page.receive_output(10)
        await page.send_input({"type": "http.disconnect"})
        await page.wait(5)  # all of it would take ten seconds
        return first

    poured.clear()

    assert asyncio.run(left())["body"] == b"drop"
    assert poured.is_set()


def test_signals_come_once_before_and_once_after_each_page() -> None:
    seen: list[str] = []
    started = partial(_note, seen, "started")
    finished = partial(_note, seen, "finished")
    request_started.connect(started, weak=False)
    request_finished.connect(finished, weak=False)
    try:
        in_turn("where", "stop_halfway")
    finally:
        request_started.disconnect(started)
        request_finished.disconnect(finished)

    assert seen == ["started", "finished"] * 2


def _note(seen: list[str], what: str, **_about: Any) -> None:
    seen.append(what)


@pytest.mark.parametrize("at_once", [1, 2])
def test_no_more_pages_are_computed_at_once_than_have_a_turn(at_once: int) -> None:
    async def rush() -> list[list[str]]:
        pages = Pages()
        pages._turns = Turns(at_once, short_s=60)
        return await asyncio.gather(*(got(pages, "count_those_at_work") for _ in range(6)))

    assert max(int(together_now) for [together_now] in asyncio.run(rush())) == at_once
