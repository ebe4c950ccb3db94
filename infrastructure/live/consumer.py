"""The one consumer of every live page: it is asked for topics, checks the right to each, and passes numbers on."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User
from infrastructure.live.announcements import LayerLost, group_of, loops
from infrastructure.live.topics import Guard

logger = logging.getLogger(__name__)

MOST_TOPICS = 20
LONGEST_TOPIC = 200
#: Of a message, in characters: several times what a page sends that watches as many topics as it may.
LONGEST_MESSAGE = 16_384
#: A right that was checked so long ago is checked again before the next number is passed on.
TRUSTED_S = 60.0
#: The server's end of the line to a page.
Send = Callable[[dict[str, Any]], Awaitable[None]]


class LiveConsumer(AsyncJsonWebsocketConsumer):
    """Takes `{"watch": [topic, …]}`, the whole list each time, and says which it refuses; sends topic and number.

    Of a long list the first MOST_TOPICS are looked at, and the others counted as `unread`; a message that is longer
    than LONGEST_MESSAGE closes the socket. `guards` has every kind of topic with who may watch it.
    """

    def __init__(self, *args: Any, guards: Mapping[str, Guard], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.guards = guards
        self._checked: dict[str, float] = {}

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        tell = _to_who_is_there(send)
        try:
            await super().__call__(scope, receive, tell)
        except LayerLost as error:
            logger.warning("A live page was cut off, and polls instead: %s", error or type(error).__name__)
            await tell({"type": "websocket.close", "code": 1013})

    async def connect(self) -> None:
        loops.serving = asyncio.get_running_loop()
        user = self.scope["user"]
        if user.is_authenticated and not user.is_guest:
            await self.accept()
        else:
            await self.close()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        text = "" if bytes_data else text_data or ""
        if len(text) > LONGEST_MESSAGE:
            await self.close(1009)
            return
        await self.receive_json(await self.decode_json(text), **kwargs)

    async def receive_json(self, content: Any, **_kwargs: Any) -> None:
        asked = content.get("watch") if isinstance(content, dict) else None
        if not isinstance(asked, list) or not all(isinstance(topic, str) for topic in asked):
            await self.close(1003)
            return
        looked_at = {topic for topic in asked[:MOST_TOPICS] if len(topic) <= LONGEST_TOPIC}
        await self._watch(looked_at)
        reply = {"watching": sorted(self._checked), "refused": sorted(looked_at - set(self._checked))}
        n_unread = len(set(asked) - looked_at)
        await self.send_json(reply | {"unread": n_unread} if n_unread else reply)

    async def _watch(self, wanted: set[str]) -> None:
        for topic in set(self._checked) - wanted:
            await self._leave(topic)
        for topic in wanted - set(self._checked):
            await self._join(topic)

    @classmethod
    async def decode_json(cls, text_data: str) -> Any:
        try:
            return json.loads(text_data)
        except (ValueError, RecursionError):
            return None

    async def live_number(self, event: dict[str, Any]) -> None:
        topic = event["topic"]
        if topic not in self._checked:
            return
        if time.monotonic() - self._checked[topic] > TRUSTED_S and not await self._still_may(topic):
            await self._leave(topic)
            await self.send_json({"watching": sorted(self._checked), "refused": [topic]})
            return
        await self.send_json({"topic": topic, "number": event["number"]})

    async def disconnect(self, _code: int) -> None:
        for topic in list(self._checked):
            await self._leave(topic)

    async def _join(self, topic: str) -> None:
        if await self._still_may(topic):
            await self.channel_layer.group_add(group_of(topic), self.channel_name)

    async def _leave(self, topic: str) -> None:
        self._checked.pop(topic, None)
        await self.channel_layer.group_discard(group_of(topic), self.channel_name)

    async def _still_may(self, topic: str) -> bool:
        allowed: bool = await database_sync_to_async(self._may)(topic)
        if allowed:
            self._checked[topic] = time.monotonic()
        return allowed

    def _may(self, topic: str) -> bool:
        """As the database has it now: logged in still, and with the right."""
        kind, _, name = topic.partition(":")
        if not _is_text(topic):
            return False
        user = User.objects.filter(pk=self.scope["user"].pk, is_active=True, is_guest=False).first()
        session = self.scope["session"]
        if kind not in self.guards or user is None or not session.exists(session.session_key):
            return False
        try:
            self.guards[kind](user, name)
        except (Http404, PermissionDenied):
            return False
        return True


def _is_text(topic: str) -> bool:
    """Whether a database takes it: no half of a surrogate pair, which JSON can name, and no NUL."""
    try:
        return b"\x00" not in topic.encode()
    except UnicodeEncodeError:
        return False


def _to_who_is_there(send: Send) -> Send:
    """What is for a page that has just gone is dropped; that it has gone follows as a message.

    Servers say it with an OSError, as the layer does when it is lost; this is neither.
    """

    async def tell(message: dict[str, Any]) -> None:
        with suppress(OSError):
            await send(message)

    return tell
