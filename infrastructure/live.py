"""Telling open pages that there is something new: a topic and a number, never data. The page fetches it again.

Nothing depends on it. `announce` puts the number on a slate and returns; a thread of the process rings. If the layer
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

#: What is announced within this time goes out together: one number per topic.
PAUSE_S = 0.2
#: A layer that takes longer has lost this number.
PATIENCE_S = 2.0
#: What a lost layer raises.
LayerLost = (RedisError, OSError, TimeoutError, ChannelFull)


def announce(topic: str, number: int | None = None) -> None:
    """Once the transaction has committed, tell whoever watches the topic.

    Without a number, which must only rise, it is the milliseconds since 1970 at the commit.
    """
    transaction.on_commit(lambda: _bell.ring(topic, _now_ms() if number is None else number), robust=True)


def layer_answers() -> bool:
    """Whether the last number that was rung got through to the layer."""
    return _bell.works


def campaign_topic(slug: str) -> str:
    return f"campaign:{slug}"


def job_topic(pk: object) -> str:
    return f"job:{pk}"


def group_of(topic: str) -> str:
    """The layer's name for those who watch the topic. Group names know no colon.

    >>> group_of("campaign:which-one")
    'live.campaign.which-one'
    """
    return f"live.{topic.replace(':', '.')}"


async def send(topic: str, number: int) -> None:
    layer = get_channel_layer()
    await layer.group_send(group_of(topic), {"type": "live.number", "topic": topic, "number": number})


class Bell:
    """Sends what was rung from a thread of its own, so that whoever rings never waits for the layer."""

    def __init__(self, deliver: Callable[[str, int], None], *, pause_s: float = PAUSE_S) -> None:
        self._deliver, self._pause_s = deliver, pause_s
        self._slate: dict[str, int] = {}
        self._lock, self._rung = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self.works = True

    def ring(self, topic: str, number: int) -> None:
        with self._lock:
            self._slate[topic] = max(number, self._slate.get(topic, 0))
            if self._thread is None or not self._thread.is_alive():  # also after a fork
                self._thread = threading.Thread(target=self._keep_sending, name="bell", daemon=True)
                self._thread.start()
        self._rung.set()

    def _keep_sending(self) -> None:
        while self._rung.wait():
            self._rung.clear()
            with self._lock:
                slate, self._slate = self._slate, {}
            self._send_all(slate)
            time.sleep(self._pause_s)

    def _send_all(self, slate: dict[str, int]) -> None:
        try:
            for topic, number in slate.items():
                self._deliver(topic, number)
        except LayerLost as error:
            if self.works:
                logger.warning("Live pages hear nothing for now and poll instead: %s", error or type(error).__name__)
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
        """Raises one of LayerLost. A layer in memory to which nobody has come has nothing to be told."""
        if not isinstance(get_channel_layer(), InMemoryChannelLayer):
            self._own = self._own or asyncio.new_event_loop()
            self._own.run_until_complete(asyncio.wait_for(send(topic, number), PATIENCE_S))
        elif self.serving is not None and not self.serving.is_closed():
            asyncio.run_coroutine_threadsafe(send(topic, number), self.serving).result(PATIENCE_S)


loops = Loops()
_bell = Bell(loops.deliver)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
