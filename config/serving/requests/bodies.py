"""How large the body of a request may be, by its address and by who asks: decided before the body is read.

Nobody has to be known for a small body. A session or a token, whether it is valid or not, allows an ordinary one.
Only for the addresses whose views take files (`uploads.py`), and only for a body that is larger than that, it
is looked up whose session or token it is. What comes in chunks is counted as it arrives, and cut.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import IO, Any

from django.conf import settings
from django.contrib.auth import get_user
from django.core.exceptions import RequestAborted
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import User
from accounts.tokens.tokens import WRITE, token_behind
from config.serving.failures import body_too_large
from config.serving.requests.uploads import upload_limit
from infrastructure.files.upload_limits import may_upload
from infrastructure.whole_numbers import whole_number

SMALL, ORDINARY = 64_000, 2_000_000
#: So long (s) what is still coming is read and thrown away after a refusal: a client that sends reads no answer.
LINGER_S = 5


class Because(StrEnum):
    """Why a limit is as it is."""

    ADDRESS = "address"
    ANONYMOUS = "anonymous"
    NO_RIGHT = "no right"


@dataclass(frozen=True)
class Limit:
    most: int
    because: Because = Because.ADDRESS


class BodyTooLarge(Exception):
    """More was sent, or announced, than is taken."""

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self.limit = limit


def announced_bytes(scope: dict[str, Any]) -> int | None:
    """The length of the body by its Content-Length; None where it comes in chunks and does not say."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return None
    length = headers.get(b"content-length", b"0")
    return whole_number(length.decode("latin-1"))


def limit_of(request: HttpRequest, announced: int | None) -> Limit:
    """The most that is read of this request. Asks the database only where more than the ordinary may come."""
    bearer = request.headers.get("Authorization", "")
    if not bearer and settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return Limit(SMALL, Because.ANONYMOUS)
    most = upload_limit(request)
    if most is None:
        return Limit(ORDINARY)
    if announced is not None and (announced <= ORDINARY or announced > most):
        return Limit(most)
    user = _owner_of_token(bearer) if bearer else _owner_of_session(request)
    if user is None:
        return Limit(ORDINARY, Because.ANONYMOUS)
    return Limit(most) if may_upload(user) else Limit(ORDINARY, Because.NO_RIGHT)


async def read_body(receive: Callable[[], Awaitable[Any]], *, limit: Limit) -> IO[bytes]:
    """What the client sends, in memory or, if it is long, in an unnamed file.

    Raises BodyTooLarge, RequestAborted; then nothing of it is kept.
    """
    in_memory = settings.FILE_UPLOAD_MAX_MEMORY_SIZE
    with ExitStack() as closed_unless_whole:
        body = closed_unless_whole.enter_context(tempfile.SpooledTemporaryFile(max_size=in_memory, mode="w+b"))
        async for chunk in _chunks(receive):
            if body.tell() + len(chunk) > limit.most:
                raise BodyTooLarge(limit)
            body.write(chunk)
        body.seek(0)
        closed_unless_whole.pop_all()
        return body


async def linger(receive: Callable[[], Awaitable[Any]]) -> None:
    """Throw away what still comes of a body that was refused, until it ends or for LINGER_S."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_S):
            more = True
            while more:
                message = await receive()
                more = message["type"] == "http.request" and message.get("more_body", False)


class RefusedBodies:
    """Middleware: answers a request whose body was not read, in the language and with the headers of any page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        fault = getattr(request, "body_fault", None)
        if isinstance(fault, BodyTooLarge):
            return body_too_large(request, most=fault.limit.most, because=fault.limit.because)
        if fault is not None:
            raise fault
        return self.get_response(request)


async def _chunks(receive: Callable[[], Awaitable[Any]]) -> AsyncIterator[bytes]:
    """Raises RequestAborted where the client goes before the end."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        yield message.get("body", b"")
        more = message.get("more_body", False)


def _owner_of_token(bearer: str) -> User | None:
    scheme, _space, text = bearer.partition(" ")
    row = token_behind(text.strip()) if scheme.lower() == "bearer" else None
    return row.user if row and WRITE in row.scopes else None


def _owner_of_session(request: HttpRequest) -> User | None:
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES[settings.SESSION_COOKIE_NAME])
    user = get_user(request)
    return user if isinstance(user, User) else None
