"""Pages under ASGI: a request is answered, from its first middleware to its last, in one of the threads that stay."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.db import DatabaseError, close_old_connections
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config.serving.requests.bodies import SMALL, BodyTooLarge, Limit, announced_bytes, limit_of, linger, read_body
from config.serving.requests.request_limiter import Turns

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

#: So many threads wait for the next request, each with its connection to the database. At a rush there are more.
KEPT = 16


class Pages(ASGIHandler):
    """Django's handler, but for what costs more than the pages themselves.

    Django takes a new thread for each request, and with it a new connection; in an asynchronous chain each middleware
    goes to that thread and back, and so do the signals before and after it. Nothing here is asynchronous, so all of
    this is called as under WSGI, at one go; and pages take turns (`config/serving/requests/request_limiter.py`).

    It leans on methods of Django's handlers that are not in its reference, for a page that costs 2.3 ms of the
    processor and not 7.8 (the redirect of `/accounts/login/`, side by side; decision 53).
    """

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._idle: list[ThreadPoolExecutor] = []
        self._turns = Turns(settings.PAGES_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="page")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await super().__call__(scope, receive, send)
        finally:
            self._give_back(thread)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        set_script_prefix(get_script_prefix(scope))
        body: IO[bytes] = io.BytesIO()
        fault: Exception | None = None
        try:
            body = await self._body(scope, receive)
        except RequestAborted:
            return
        except (BodyTooLarge, DatabaseError, OSError) as error:  # the latter two become a 503 that says why
            fault = error
        async with self._turns.one():
            response = await sync_to_async(self._answer)(scope, body, fault)
        if fault:
            await self._refuse(response, receive, send)
        elif response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    async def _body(self, scope: Scope, receive: Receive) -> IO[bytes]:
        """Raises BodyTooLarge before or while it reads, RequestAborted, DatabaseError, OSError."""
        announced, limit = announced_bytes(scope), Limit(SMALL)
        if announced is None or announced > SMALL:
            async with self._turns.one():
                limit = await sync_to_async(self._limit)(scope, announced)
            if announced is not None and announced > limit.most:
                raise BodyTooLarge(limit)
        return await read_body(receive, limit=limit)

    def _limit(self, scope: Scope, announced: int | None) -> Limit:
        """Before and after a request of its own: no connection is held while a long body arrives."""
        created: Any = self.create_request(scope, io.BytesIO())
        request, _refusal = created
        close_old_connections()
        try:
            return limit_of(request, announced) if request else Limit(SMALL)
        finally:
            close_old_connections()

    async def _refuse(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Send the whole answer, then wait for the client to stop sending before the connection is closed."""
        response["Connection"] = "close"

        async def hold_open(message: Any) -> None:
            await send(message | {"more_body": True} if message["type"] == "http.response.body" else message)

        await self.send_response(response, hold_open)
        await linger(receive)
        await send({"type": "http.response.body", "body": b""})

    def _answer(self, scope: Scope, body: IO[bytes], fault: Exception | None) -> HttpResponseBase:
        """The response, closed already unless it is still to be read bit by bit."""
        request_started.send(sender=type(self), scope=scope)
        created: Any = self.create_request(scope, body)
        request, refusal = created
        if request and fault:
            request.body_fault = fault
        response: HttpResponseBase = self.get_response(request) if request else refusal
        response._handler_class = type(self)  # type: ignore[attr-defined]  # noqa: SLF001 - sends request_finished
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
            body.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Until all is sent or the client has gone: nobody reads the rest of a long file for nobody."""
        gone = asyncio.create_task(self.listen_for_disconnect(receive))
        sending = asyncio.create_task(self.send_response(response, send))
        try:
            await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.gather(gone, sending, return_exceptions=True)
            await sync_to_async(response.close)()
        if not sending.cancelled():
            sending.result()

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """The thread used last is taken first: its connection knows what was read a moment ago."""
        if len(self._idle) < KEPT:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
