"""Open pages of a board: WebSockets that watch it, some of which fetch it again when there is news."""

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from benchmarks.crowd import CSRF, Asked, Line, Lost

#: A page fetches the board no sooner than this after the last time (static/js/live/freshness.js), and after a minute.
PAUSE_S, DOUBT_S = 1.0, 60.0


class Watchers(threading.Thread):
    """As many pages as there are sessions, over all web processes in turns; `fetching` of them fetch."""

    def __init__(
        self, urls: Sequence[str], sessions: Sequence[str], *, campaign: int, slug: str, fetching: int
    ) -> None:
        super().__init__(name="watchers", daemon=True)
        self.urls, self.sessions, self.fetching = urls, sessions, fetching
        self.topic, self.page = f"standing:campaign-{campaign}", f"/campaigns/{slug}/board/"
        self.news = 0
        self.requests: list[Asked] = []
        self.wrong: list[str] = []
        self.stopping = False

    def run(self) -> None:
        asyncio.run(self._all())

    def stop(self) -> None:
        self.stopping = True
        self.join()

    async def _all(self) -> None:
        places = ((self.urls[n % len(self.urls)], it, n < self.fetching) for n, it in enumerate(self.sessions))
        watching = [asyncio.create_task(self._watch(*place)) for place in places]
        while not self.stopping:
            await asyncio.sleep(0.5)
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

    async def _watch(self, url: str, session: str, fetches: bool) -> None:
        line = Line(url, session)
        cookie = {"Cookie": f"sessionid={session}; csrftoken={CSRF}"}
        address = f"ws://{urlsplit(url).netloc}/live/"
        try:
            await self._load(line) if fetches else None
            async with connect(address, additional_headers=cookie, origin=Origin(url), compression=None) as socket:
                await socket.send(json.dumps({"watch": [self.topic]}))
                await self._listen(socket, line, fetches)
        except (OSError, Lost, WebSocketException) as error:
            if not self.stopping:
                self.wrong.append(f"a page of the board: {type(error).__name__} {error}")

    async def _listen(self, socket: ClientConnection, line: Line, fetches: bool) -> None:
        fetched = time.monotonic()
        async for message in socket:
            said = json.loads(message)
            if said.get("refused"):
                self.wrong.append(f"refused: {message!r}")
            self.news += "number" in said
            if fetches and "number" in said:
                await asyncio.sleep(max(0.0, fetched + PAUSE_S - time.monotonic()))
                await self._load(line, "HX-Request: true\r\n")
                fetched = time.monotonic()

    async def _load(self, line: Line, extra: str = "") -> None:
        began = time.monotonic()
        reply = await line.ask("GET", self.page, extra)
        self.requests.append(Asked("board", began, time.monotonic() - began, reply.status))
        if reply.status != 200:
            self.wrong.append(f"{reply.status} {self.page}")
