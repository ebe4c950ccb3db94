"""Figures for Prometheus: what this process counted, and what the database has at the moment it is asked.

Labels name views, states and kinds, of which there are few, and never a person, a campaign or a system.
"""

import os
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import ChannelError, OperationalError
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client import Counter as Counted
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.operations.tracing import requests_log, route
from infrastructure.gauges import gauge, read_gauges

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
#: Seconds. A page is meant to take less than a quarter of one.
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUESTS = Counted("earshot_requests", "Requests answered.", ["view", "method", "status"])
LATENCY = Histogram("earshot_request_seconds", "Until the answer began.", ["view"], buckets=BUCKETS)
WEBSOCKETS = Gauge("earshot_open_websockets", "Live pages connected.", multiprocess_mode="livesum")


class Measured:
    """Middleware: counts and times every request, and writes it down where LOG_REQUESTS asks for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        took, view = time.perf_counter() - began, route(request)
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(view, method, response.status_code).inc()
        LATENCY.labels(view).observe(took)
        if settings.LOG_REQUESTS:
            said = {"view": view, "method": method, "status": response.status_code, "ms": round(1000 * took, 1)}
            requests_log.info("answered", extra=said)
        return response


class CountedSockets:
    """Around the live pages: how many are connected."""

    def __init__(self, inner: Callable[..., Awaitable[None]]) -> None:
        self.inner = inner

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        accepted = False

        async def tell(message: dict[str, Any]) -> None:
            nonlocal accepted
            if message["type"] == "websocket.accept" and not accepted:
                accepted = True
                WEBSOCKETS.inc()
            await send(message)

        try:
            await self.inner(scope, receive, tell)
        finally:
            if accepted:
                WEBSOCKETS.dec()


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For whoever shows METRICS_TOKEN. Without one this page does not exist."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    text = generate_latest(_of_processes()) + generate_latest(_of_installation)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


class Installation(Collector):
    """What every process would say alike, read when it is asked: a dozen queries, some counts of whole tables."""

    def collect(self) -> Iterator[Metric]:
        yield from _disk()
        yield from _queue()
        try:
            found = [*read_gauges(), *_size()]
        except DatabaseError:
            yield gauge("database_up", "Whether the database answered.", 0)
        else:
            yield gauge("database_up", "Whether the database answered.", 1)
            yield from found


def _size() -> Iterator[Metric]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            size = int(cursor.fetchone()[0])
    else:
        name = str(connection.settings_dict["NAME"])
        size = sum(path.stat().st_size for path in map(Path, (name, f"{name}-wal")) if path.is_file())
    yield gauge("database_bytes", "What the database takes on its disk.", size)


def _disk() -> Iterator[Metric]:
    disk = shutil.disk_usage(settings.DATA_DIR)
    yield gauge("disk_free_bytes", "On the disk of EARSHOT_DATA.", disk.free)
    yield gauge("disk_bytes", "Size of the disk of EARSHOT_DATA.", disk.total)


def _queue() -> Iterator[Metric]:
    """Messages that no worker has taken. A broker that is away has no figure."""
    try:
        with current_app.connection_for_read() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
            queue = current_app.conf.task_default_queue
            channel: Any = broker.default_channel
            length = channel.queue_declare(queue=queue, passive=True).message_count
    except ChannelError:
        length = 0  # a queue that nothing is in is none, to Redis
    except OperationalError:
        return
    yield gauge("queue_messages", "Messages that no worker has taken yet.", length)


def _of_processes() -> CollectorRegistry:
    """This one; or, where several answer at one port, all that write to PROMETHEUS_MULTIPROC_DIR."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


_of_installation = CollectorRegistry()
_of_installation.register(Installation())
