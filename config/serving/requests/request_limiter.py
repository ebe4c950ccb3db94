"""Pages take turns: as many at once as the interpreter can serve. Whoever takes long does not hold up the rest."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

#: Seconds for which a page keeps its turn: most are done by then. An export goes on beside those who come after it.
SHORT_S = 0.05


class Turns:
    """Let ``at_once`` pages in, in the order in which they came; a turn ends with its page or after ``short_s``.

    Threads that compute at the same time in one interpreter all become late together: of three pages of 20 ms each
    is done after 60. One after the other they are done after 20, 40 and 60. Of 20 who vote, p95 fell from 108 ms to
    62 to 76 (decision 31).
    """

    def __init__(self, at_once: int, short_s: float = SHORT_S) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._short_s = short_s

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a turn and keep it while inside, or for ``short_s``."""
        await self._free.acquire()
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                self._free.release()

        early = asyncio.get_running_loop().call_later(self._short_s, end)
        try:
            yield
        finally:
            early.cancel()
            end()
