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

from benchmarks.server.crowd import CSRF, Asked, Line, Lost

#: A page fetches the board no sooner than this after the last time (static/js/live/freshness.js).
PAUSE_S = 1.0


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
                async with asyncio.TaskGroup() as at_once:
                    news = asyncio.Event()
                    fetching = at_once.create_task(self._fetch(line, news)) if fetches else None
                    await self._listen(socket, news)
                    if fetching:
                        fetching.cancel()
        except* (OSError, Lost, WebSocketException) as failed:
            if not self.stopping:
                self.wrong += [f"a page of the board: {type(it).__name__} {it}" for it in failed.exceptions]

    async def _listen(self, socket: ClientConnection, news: asyncio.Event) -> None:
        async for message in socket:
            said = json.loads(message)
            if said.get("refused"):
                self.wrong.append(f"refused: {message!r}")
            if "number" in said:
                self.news += 1
                news.set()

    async def _fetch(self, line: Line, news: asyncio.Event) -> None:
        """The board once for all news that came meanwhile, as a page does."""
        while True:
            await news.wait()
            news.clear()
            await self._load(line, "HX-Request: true\r\n")
            await asyncio.sleep(PAUSE_S)

    async def _load(self, line: Line, extra: str = "") -> None:
        began = time.monotonic()
        reply = await line.ask("GET", self.page, extra)
        self.requests.append(Asked("board", began, time.monotonic() - began, reply.status))
        if reply.status != 200:
            self.wrong.append(f"{reply.status} {self.page}")
