"""Pages under ASGI: a request is answered, from its first middleware to its last, in one of the threads that stay."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: So many threads wait for the next request, each with its connection to the database. At a rush there are more.
KEPT = 16


class Pages(ASGIHandler):
    """Django's handler, but for two things that cost more than the pages themselves.

    Django takes a new thread for each request, and with it a new connection; and in an asynchronous chain each
    middleware goes to that thread and back. Nothing here is asynchronous, so the chain is called as under WSGI.
    """

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="page")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await super().__call__(scope, receive, send)
        finally:
            self._give_back(thread)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response)(request)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """The thread used last is taken first: its connection knows what was read a moment ago."""
        if len(self._idle) < KEPT:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
