"""The sender of announcements, the one consumer, and permissions for topics."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import channel_layers
from channels_redis.utils import create_pool
from django.conf import settings as installed
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings
from uvicorn.protocols.utils import ClientDisconnected

from accounts.models import User
from annotation.answers.submit import record_answers
from campaigns.models import Campaign, Role
from config.serving.requests.origins import is_own
from config.serving.routing import live_pages
from infrastructure.live import announcements as live
from infrastructure.live import consumer as consumers
from infrastructure.live.announcements import AnnouncementSender, announce, campaign_topic, group_of, job_topic, send
from infrastructure.models import Job
from tests.factories import DIRECT_ANSWERS, UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.databases

SOON_S = 2.0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


def test_sender_sends_the_highest_number_of_each_topic_once() -> None:
    sent: list[tuple[str, int]] = []
    first = threading.Event()

    def deliver(topic: str, number: int) -> None:
        sent.append((topic, number))
        first.wait(SOON_S)

    sender = AnnouncementSender(deliver, pause_s=0.0)
    sender.add("a", 1)
    until(lambda: sent == [("a", 1)])
    for number in (3, 9, 4):
        sender.add("a", number)
    sender.add("b", 2)
    first.set()

    until(lambda: len(sent) == 3)
    assert sent == [("a", 1), ("a", 9), ("b", 2)]


def test_sender_continues_after_the_layer_was_lost_and_logs_it_once(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[int] = []

    def deliver(_topic: str, number: int) -> None:
        if number < 3:
            raise ConnectionRefusedError("no Redis")
        sent.append(number)

    sender = AnnouncementSender(deliver, pause_s=0.0)
    for number in (1, 2, 3):
        sender.add("a", number)
        until(lambda: not sender._pending)
        time.sleep(0.05)

    until(lambda: sent == [3])
    assert [record.message for record in caplog.records] == ["Live pages get no messages and poll instead: no Redis"]


def test_ringing_never_waits_for_a_layer_that_hangs() -> None:
    hanging = threading.Event()
    sender = AnnouncementSender(lambda _topic, _number: bool(hanging.wait(SOON_S)), pause_s=0.0)
    began = time.perf_counter()

    for number in range(1000):
        sender.add("a", number)

    assert time.perf_counter() - began < 0.5
    hanging.set()


@pytest.mark.django_db
def test_nothing_is_announced_before_the_commit(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(live._sender, "add", lambda topic, number: sent.append((topic, number)))

    with django_capture_on_commit_callbacks(execute=True):
        announce("campaign:x", 7)
        assert sent == []

    assert sent == [("campaign:x", 7)]


@pytest.mark.django_db
def test_number_is_the_time_of_the_commit_where_none_is_given(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(live._sender, "add", lambda _topic, number: sent.append(number))
    before = time.time_ns() // 1_000_000

    with django_capture_on_commit_callbacks(execute=True):
        announce("campaign:x")

    assert before <= sent[0] <= time.time_ns() // 1_000_000


@pytest.mark.django_db
def test_answer_is_stored_though_the_sender_breaks(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    def broken(_topic: str, _number: int) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(live._sender, "add", broken)
    campaign = make_campaign()
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator)

    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        annotation = record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert len(callbacks) == 1
    assert list(assignment.annotations.all()) == [annotation]


# -- the consumer -------------------------------------------------------------------------------------------------


@pytest.fixture
def layer(settings: Settings) -> Any:
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    channel_layers.backends = {}
    yield
    channel_layers.backends = {}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


class Line(ApplicationCommunicator):
    """The browser's end of a WebSocket. (That of channels.testing wants a server which is not installed.)"""

    def __init__(self, headers: list[tuple[bytes, bytes]], path: str = "/live/", app: Any = live_pages) -> None:
        scope = {"type": "websocket", "path": path, "headers": headers, "query_string": b"", "subprotocols": []}
        super().__init__(app, scope)

    async def open(self) -> bool:
        await self.send_input({"type": "websocket.connect"})
        said = await self.receive_output(5)
        return bool(said["type"] == "websocket.accept")

    async def say(self, text: str) -> None:
        await self.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> Any:
        said = await self.receive_output(5)
        return json.loads(said["text"]) if "text" in said else said

    async def hang_up(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(5)


def socket(user: User | None, *, origin: str = "http://localhost") -> Line:
    headers = [(b"host", b"localhost")] + ([(b"origin", origin.encode())] if origin else [])
    if user:
        client = Client()
        client.force_login(user)
        headers.append((b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode()))
    return Line(headers)


def asked(user: User, *topics: str) -> Any:
    """What the consumer says to somebody who asks for these topics."""
    line = socket(user)

    async def ask() -> Any:
        assert await line.open()
        await line.say(json.dumps({"watch": list(topics)}))
        said = await line.hear()
        await line.hang_up()
        return said

    return async_to_sync(ask)()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("role", "may"), [(role, role != Role.ANNOTATOR) for role in Role])
def test_campaign_is_heard_by_those_who_may_view_it(layer: None, campaign: Campaign, role: Role, may: bool) -> None:
    topic = campaign_topic(campaign.slug)

    said = asked(make_member(campaign, role), topic)

    assert said == ({"watching": [topic], "refused": []} if may else {"watching": [], "refused": [topic]})


@pytest.mark.django_db(transaction=True)
def test_topics_that_are_nobodys_business_or_do_not_exist_are_refused(layer: None, campaign: Campaign) -> None:
    job = Job.objects.create(kind="import-check", subject="1", started_by=UserFactory())
    topics = [campaign_topic(campaign.slug), campaign_topic("none"), job_topic(job.pk), "job:x", "standing:1", ""]
    topics += ["campaign:\ud800", "campaign:\x00"]

    assert asked(UserFactory(is_researcher=True), *topics) == {"watching": [], "refused": sorted(topics)}


@pytest.mark.django_db(transaction=True)
def test_long_list_of_topics_gets_a_short_reply(layer: None, campaign: Campaign) -> None:
    own = campaign_topic(campaign.slug)
    topics = [own, "x" * 201, *(f"{n:x}" for n in range(2_000))]

    said = asked(make_member(campaign, Role.VIEWER), *topics)

    assert said == {"watching": [own], "refused": sorted(topics[2:20]), "unread": len(topics) - 19}


@pytest.mark.django_db(transaction=True)
def test_message_that_no_page_sends_closes_the_socket(layer: None, campaign: Campaign) -> None:
    topics = [f"campaign:{n}" for n in range(50_000)]

    said = asked(make_member(campaign, Role.VIEWER), *topics)

    assert (said["type"], said["code"]) == ("websocket.close", 1009)


@pytest.mark.django_db(transaction=True)
def test_job_is_heard_by_who_started_it_and_by_those_who_view_its_campaign(layer: None, campaign: Campaign) -> None:
    starter = UserFactory()
    own = Job.objects.create(kind="import-check", subject="1", started_by=starter)
    of_campaign = Job.objects.create(kind="prepare-audio", subject=str(campaign.pk), started_by=starter)
    both = sorted([job_topic(own.pk), job_topic(of_campaign.pk)])

    assert asked(starter, *both)["watching"] == both
    assert asked(make_member(campaign, Role.VIEWER), *both)["watching"] == [job_topic(of_campaign.pk)]
    assert asked(make_member(campaign, Role.ANNOTATOR), *both)["watching"] == []
    assert asked(UserFactory(is_superuser=True), *both)["watching"] == both


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["nobody", "guest", "guest with a role"])
def test_guests_and_the_logged_out_are_not_let_in(layer: None, campaign: Campaign, who: str) -> None:
    user = None
    if who != "nobody":
        user = make_member(campaign, Role.ADMIN if "role" in who else Role.ANNOTATOR, is_guest=True)

    assert not async_to_sync(socket(user).open)()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "origin", ["", "http://evil.example", "http://localhost:81", "http://localhost.evil.example"]
)
def test_other_peoples_pages_are_not_let_in(layer: None, campaign: Campaign, origin: str) -> None:
    assert not async_to_sync(socket(make_member(campaign, Role.ADMIN), origin=origin).open)()


def test_origin_is_own_if_it_is_the_host_or_a_trusted_one(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["earshot.example.org"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://front.example.org"]

    assert is_own("https://earshot.example.org", host="earshot.example.org")
    assert is_own("https://front.example.org", host="earshot.example.org")
    assert not is_own("https://rebound.example.org", host="rebound.example.org")
    assert not is_own("file://earshot.example.org", host="earshot.example.org")


async def hears(line: Line, topic: str, number: int) -> Any:
    await send(topic, number)
    return await line.hear()


@pytest.mark.django_db(transaction=True)
def test_number_is_passed_on_and_nothing_else(layer: None, campaign: Campaign) -> None:
    topic = campaign_topic(campaign.slug)
    line = socket(make_member(campaign, Role.VIEWER))

    async def watch() -> None:
        assert await line.open()
        await line.say(json.dumps({"watch": [topic]}))
        await line.hear()
        assert await hears(line, topic, 5) == {"topic": topic, "number": 5}
        await line.say(json.dumps({"watch": []}))
        assert await line.hear() == {"watching": [], "refused": []}
        await send(topic, 6)
        assert await line.receive_nothing(0.2)
        await line.hang_up()

    async_to_sync(watch)()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", ["membership", "session", "account"])
def test_who_lost_the_right_hears_nothing_once_it_is_checked_again(
    layer: None, campaign: Campaign, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(consumers, "TRUSTED_S", 0.0)
    topic, viewer = campaign_topic(campaign.slug), make_member(campaign, Role.VIEWER)
    line = socket(viewer)

    def lose() -> None:
        if end == "membership":
            campaign.memberships.update(ended_at=timezone.now())
        elif end == "account":
            User.objects.filter(pk=viewer.pk).update(is_active=False)
        else:
            Session.objects.all().delete()

    async def watch() -> None:
        assert await line.open()
        await line.say(json.dumps({"watch": [topic]}))
        await line.hear()
        assert await hears(line, topic, 5) == {"topic": topic, "number": 5}
        await sync_to_async(lose)()
        assert await hears(line, topic, 6) == {"watching": [], "refused": [topic]}
        await line.hang_up()

    async_to_sync(watch)()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("nonsense", ["", "{", "[]", '{"watch": 1}', '{"watch": [1]}'])
def test_nonsense_closes_the_socket(layer: None, campaign: Campaign, nonsense: str) -> None:
    line = socket(make_member(campaign, Role.VIEWER))

    async def talk() -> Any:
        assert await line.open()
        await line.say(nonsense)
        said = await line.hear()
        await line.hang_up()
        return said

    assert async_to_sync(talk)()["type"] == "websocket.close"


@pytest.mark.django_db(transaction=True)
def test_another_address_is_refused(layer: None, campaign: Campaign) -> None:
    line = socket(make_member(campaign, Role.VIEWER))
    line = Line(line.scope["headers"], "/elsewhere/")

    assert not async_to_sync(line.open)()


@pytest.mark.django_db(transaction=True)
def test_sender_reaches_the_serving_loop_from_another_thread(layer: None, campaign: Campaign) -> None:
    topic = campaign_topic(campaign.slug)
    line = socket(make_member(campaign, Role.VIEWER))

    def add() -> None:
        announce(topic, 8)
        connection.close()  # this thread's own

    async def watch() -> Any:
        assert await line.open()
        await line.say(json.dumps({"watch": [topic]}))
        await line.hear()
        await asyncio.to_thread(add)
        said = await line.hear()
        await line.hang_up()
        return said

    assert async_to_sync(watch)() == {"topic": topic, "number": 8}


@pytest.mark.django_db(transaction=True)
def test_number_for_a_page_that_has_just_gone_is_dropped_without_a_word(
    layer: None, campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    """The server says so with an OSError, as a lost layer would: nobody was cut off."""
    topic = campaign_topic(campaign.slug)
    has_gone, told = False, asyncio.Event()

    async def served(scope: Any, receive: Any, send: Any) -> None:
        async def tell(message: Any) -> None:
            if has_gone:
                told.set()
                raise ClientDisconnected
            await send(message)

        await live_pages(scope, receive, tell)

    line = Line(socket(make_member(campaign, Role.VIEWER)).scope["headers"], app=served)

    async def watch() -> None:
        nonlocal has_gone
        assert await line.open()
        await line.say(json.dumps({"watch": [topic]}))
        await line.hear()
        has_gone = True
        await send(topic, 5)
        async with asyncio.timeout(5):
            await told.wait()
        await line.hang_up()
        assert group_of(topic) not in channel_layers["default"].groups

    async_to_sync(watch)()
    assert caplog.messages == []


@pytest.mark.django_db(transaction=True)
def test_lost_redis_cuts_the_line_politely(settings: Settings, campaign: Campaign) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:1"]}}
    }
    channel_layers.backends = {}
    line = socket(make_member(campaign, Role.VIEWER))

    async def watch() -> Any:
        await line.open()
        said = await line.hear()
        await line.hang_up()
        return said

    try:
        assert async_to_sync(watch)() == {"type": "websocket.close", "code": 1013}
    finally:
        channel_layers.backends = {}


@pytest.mark.skipif(installed.EMBEDDED, reason="there is no Redis")
def test_nobody_stops_listening_before_redis_says_that_there_is_no_news() -> None:
    layer = channel_layers["default"]
    for host in layer.hosts:
        assert create_pool(host).connection_kwargs["socket_timeout"] > layer.brpop_timeout
