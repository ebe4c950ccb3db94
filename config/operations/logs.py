"""Lines of the log: as JSON or for the eye, with the request they belong to, and without anything personal.

A message carries ids. What an exception says in its own words often quotes a row, a file or an address, so its kind
and the lines of code that led to it are logged, and its words only where they come from the system or a server.
"""

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from django.conf import settings
from django.db import OperationalError
from kombu.exceptions import OperationalError as BrokerError

from config.operations.tracing import route, traced

#: What stands in a line beside its message, where it is there. Nothing else that a record carries is written.
EXTRAS = ("view", "method", "status", "ms")
HIDDEN = "[hidden]"
#: A second net under the first rule, that nobody logs such things: addresses, tokens, and queries with their keys.
PERSONAL = [
    re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){3,7}|[0-9a-fA-F:]*::[0-9a-fA-F:]*)(?![\w:])"),
    re.compile(r"earshot_\w+"),
    re.compile(r"(?<=\?)\S+"),
]

Raised = tuple[type[BaseException], BaseException, TracebackType | None]


class Traced(logging.Filter):
    """Gives each record the request and the task it belongs to, and hides what is personal in it.

    What was refused because of the request itself (4xx) is a warning in one line, without a traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.traced = traced()
        if 400 <= getattr(record, "status_code", 0) < 500:  # Django's word on a request that was at fault itself
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if isinstance(record.args, dict) and "exc" in record.args:  # Celery's word on a task: its error in full
            record.args = record.args | {"exc": "see below", "args": HIDDEN, "kwargs": HIDDEN}
        if (request := getattr(record, "request", None)) is not None:  # Django's word on a request: its path
            known = {request.path, request.get_full_path()} if hasattr(request, "path") else set()
            record.args = tuple(route(request) if value in known else value for value in _listed(record.args))
        return True


class Line(logging.Formatter):
    """For the eye."""

    def format(self, record: logging.LogRecord) -> str:
        return without_personal(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        about = "".join(f" {name}={value}" for name, value in _about(record).items())
        return super().formatMessage(record) + about

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return super().formatException(ei) if settings.DEBUG else told(ei)


class JsonLine(Line):
    """One JSON object per line, for programs."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_personal(record.getMessage()),
        } | _about(record)
        if record.exc_info and record.exc_info[0]:
            line["error"] = without_personal(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def told(raised: Raised) -> str:
    """The exception and those before it, each as the lines of code that led to it and its kind."""
    told: list[str] = []
    error: BaseException | None = raised[1]
    while error is not None:
        told.append("".join(traceback.format_tb(error.__traceback__)) + _kind(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nwhich came after:\n".join(told)


def without_personal(text: str) -> str:
    for pattern in PERSONAL:
        text = pattern.sub(HIDDEN, text)
    return text


def _kind(error: BaseException) -> str:
    """With its words where they are the system's or a server's."""
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    if isinstance(error, OperationalError | BrokerError):
        return f"{name}: {error}"
    return f"{name}: {error.strerror}" if isinstance(error, OSError) and error.strerror else name


def _about(record: logging.LogRecord) -> dict[str, Any]:
    beside = {name: value for name in EXTRAS if (value := getattr(record, name, None)) is not None}
    return getattr(record, "traced", {}) | beside


def _listed(args: Any) -> tuple[Any, ...]:
    return args if isinstance(args, tuple) else () if args is None else (args,)
