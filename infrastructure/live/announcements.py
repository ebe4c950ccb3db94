"""Announcements to open pages: a topic and a number, never data. The page fetches its fragment again.

Nothing depends on it. `announce` stores the number and returns; a thread of the process sends it. If the layer
is lost, the numbers are lost with it, and pages poll (docs/explanation/live-pages.md).
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

#: Announcements within this time are sent together: one number per topic.
PAUSE_S = 0.2
#: After this time the number is lost.
TIMEOUT_S = 2.0
#: What a lost layer raises.
LayerLost = (RedisError, OSError, TimeoutError, ChannelFull)


def announce(topic: str, number: int | None = None) -> None:
    """After the commit of the transaction, notify the subscribers of the topic.

    Without a number, which must only rise, it is the milliseconds since 1970 at the commit.
    """
    transaction.on_commit(lambda: _sender.add(topic, _now_ms() if number is None else number), robust=True)


def layer_answers() -> bool:
    """Whether the last number reached the layer."""
    return _sender.works


def campaign_topic(slug: str) -> str:
    return f"campaign:{slug}"


def job_topic(pk: object) -> str:
    return f"job:{pk}"


def group_of(topic: str) -> str:
    """The layer's name for the subscribers of the topic. Group names cannot contain a colon.

    >>> group_of("campaign:which-one")
    'live.campaign.which-one'
    """
    return f"live.{topic.replace(':', '.')}"


async def send(topic: str, number: int) -> None:
    layer = get_channel_layer()
    await layer.group_send(group_of(topic), {"type": "live.number", "topic": topic, "number": number})


class AnnouncementSender:
    """Sends announcements from a separate thread, so that callers of `add` never wait for the layer."""

    def __init__(self, deliver: Callable[[str, int], None], *, pause_s: float = PAUSE_S) -> None:
        self._deliver, self._pause_s = deliver, pause_s
        self._pending: dict[str, int] = {}
        self._lock, self._has_news = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self.works = True

    def add(self, topic: str, number: int) -> None:
        with self._lock:
            self._pending[topic] = max(number, self._pending.get(topic, 0))
            if self._thread is None or not self._thread.is_alive():  # also after a fork
                self._thread = threading.Thread(target=self._keep_sending, name="announcements", daemon=True)
                self._thread.start()
        self._has_news.set()

    def _keep_sending(self) -> None:
        while self._has_news.wait():
            self._has_news.clear()
            with self._lock:
                pending, self._pending = self._pending, {}
            self._send_all(pending)
            time.sleep(self._pause_s)

    def _send_all(self, pending: dict[str, int]) -> None:
        try:
            for topic, number in pending.items():
                self._deliver(topic, number)
        except LayerLost as error:
            if self.works:
                logger.warning("Live pages get no messages and poll instead: %s", error or type(error).__name__)
            self.works = False
        else:
            self.works = True


class Loops:
    """Where the layer is called: in the loop that serves the pages if it is in memory, in one of our own otherwise.

    The layer in memory belongs to one loop, and its queues must not be touched from another thread.
    """

    def __init__(self) -> None:
        self.serving: asyncio.AbstractEventLoop | None = None
        self._own: asyncio.AbstractEventLoop | None = None

    def deliver(self, topic: str, number: int) -> None:
        """Raises one of LayerLost. A layer in memory without subscribers gets no message."""
        if not isinstance(get_channel_layer(), InMemoryChannelLayer):
            self._own = self._own or asyncio.new_event_loop()
            self._own.run_until_complete(asyncio.wait_for(send(topic, number), TIMEOUT_S))
        elif self.serving is not None and not self.serving.is_closed():
            asyncio.run_coroutine_threadsafe(send(topic, number), self.serving).result(TIMEOUT_S)


loops = Loops()
_sender = AnnouncementSender(loops.deliver)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
