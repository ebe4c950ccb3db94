"""Which request is being answered: its id, given to the log, to the browser and to the tasks that it leads to."""

import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any

from celery import Task, signals
from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

requests_log = logging.getLogger("earshot.requests")

HEADER = "X-Request-ID"
#: As it travels among the headers of a task.
TASK_HEADER = "request_id"
#: What a proxy may call a request: the digits of a UUID or of a trace, which name nobody.
GOOD = re.compile(r"[0-9a-fA-F-]{16,64}")

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_id: ContextVar[str] = ContextVar("request_id", default="")
_task: ContextVar[str] = ContextVar("task", default="")
_tokens: dict[str, tuple[Token[str], Token[str]]] = {}


class RequestId:
    """Middleware, the outermost: takes the proxy's id or makes one, and tells it with the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request_id = given if GOOD.fullmatch(given) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]
        tokens = _id.set(request_id), _request.set(request)
        try:
            response = self.get_response(request)
        finally:
            _id.reset(tokens[0])
            _request.reset(tokens[1])
        response[HEADER] = request_id
        return response


def traced() -> dict[str, str]:
    """What a line of the log says of the request and the task it belongs to."""
    request = _request.get()
    known = {"request": _id.get(), "task": _task.get(), "user": pseudonym_of(request) if request else ""}
    return {name: value for name, value in known.items() if value}


def request_id() -> str:
    return _id.get()


def route(request: HttpRequest) -> str:
    """The name of the view. A path may hold somebody's invitation or the address of a clip."""
    match = request.resolver_match
    return match.view_name or "unnamed" if match else "nowhere"


def pseudonym_of(request: HttpRequest) -> str:
    """Stands for the account of whoever asks, if it is known by now: it is never looked up for this."""
    user = getattr(request, "_cached_user", None) or vars(request).get("user")
    return pseudonym(user.pk) if type(user) is get_user_model() else ""


def pseudonym(pk: int) -> str:
    """The same for the same account, and by nobody without the SECRET_KEY led back to it."""
    return salted_hmac("config.operations.tracing", str(pk)).hexdigest()[:12]


@signals.before_task_publish.connect
def _send_along(headers: dict[str, Any] | None = None, **_rest: object) -> None:
    if headers is not None and _id.get():
        headers[TASK_HEADER] = _id.get()


@signals.task_prerun.connect
def _begin(task_id: str = "", task: "Task[..., Any] | None" = None, **_rest: object) -> None:
    if task is not None:
        asked_by = getattr(task.request, TASK_HEADER, None) or ""
        _tokens[task_id] = _id.set(asked_by), _task.set(f"{task.name} {task_id}")


@signals.task_postrun.connect
def _end(task_id: str = "", **_rest: object) -> None:
    if tokens := _tokens.pop(task_id, None):
        _id.reset(tokens[0])
        _task.reset(tokens[1])
