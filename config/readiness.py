"""Whether this process lives, and whether everything it needs is there: for load balancers and monitors."""

import logging

from celery import current_app
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from campaigns.health import health
from campaigns.live import layer_answers

logger = logging.getLogger(__name__)

BROKER_PATIENCE_S = 2


@login_not_required
@never_cache
@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers. It asks nothing of anybody: a broken database is no reason to end it."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """What it needs, each true or false; 503 where something is missing. Why is in the log, and not for everybody."""
    found = readiness()
    return JsonResponse(found, status=200 if all(found.values()) else 503)


def readiness() -> dict[str, bool]:
    """Database, channel layer, broker, a worker that was seen of late, and room on the disk."""
    found = {"database": _database_answers(), "live_pages": layer_answers(), "broker": _broker_answers()}
    if found["database"]:
        now = health()
        return found | {"worker": now.worker_runs, "disk": not now.disk_is_low}
    return found | {"worker": False, "disk": True}


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.warning("Not ready: the database does not answer.", exc_info=True)
        return False
    return True


def _broker_answers() -> bool:
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_PATIENCE_S)
    except OperationalError:
        logger.warning("Not ready: the broker does not answer.", exc_info=True)
        return False
    return True
