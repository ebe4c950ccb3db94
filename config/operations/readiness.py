"""Whether this process lives, and whether everything it needs is there: for load balancers and monitors."""

import logging
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from infrastructure.background.health import disk_is_low
from infrastructure.background.workers import broker_answers, last_sign_of_life, worker_runs
from infrastructure.live.announcements import layer_answers

logger = logging.getLogger(__name__)

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"
#: What to do. Said to everybody, so it names no path, address or version; pages translate it.
HINTS = {
    "database": gettext_noop(
        "The database does not answer. Pages cannot be shown; answers wait in people's browsers."
    ),
    "migrations": gettext_noop("The database is older than the program. Run the migrations."),
    "live_pages": gettext_noop(
        "The channel layer does not answer. Pages poll every ten seconds instead; nothing is lost."
    ),
    "broker": gettext_noop("The broker does not answer. Jobs wait in the database until it does; people can label."),
    "worker": gettext_noop("No worker was seen of late. Jobs and judges wait; people can label. Start a worker."),
    "disk": gettext_noop("The disk is nearly full. Make room before imports and exports fail."),
}


@dataclass(frozen=True)
class Check:
    name: str
    status: str
    hint: str = ""


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
    """What it needs, each with what to do where it is missing; 503 then. Why is in the log, and not for everybody."""
    found = list(readiness())
    ready = all(check.status == OK for check in found)
    return JsonResponse({"ready": ready, "checks": [asdict(check) for check in found]}, status=200 if ready else 503)


def readiness() -> Iterator[Check]:
    """Database and its migrations, channel layer, broker, a worker that was seen of late, and room on the disk."""
    database = _database_answers()
    yield _check("database", database)
    yield _check("migrations", _is_migrated() if database else None)
    yield _check("live_pages", layer_answers())
    yield _check("broker", broker_answers())
    yield _check("worker", worker_runs(last_sign_of_life()) if database else None)
    disk = shutil.disk_usage(settings.DATA_DIR)
    yield _check("disk", not disk_is_low(free=disk.free, total=disk.total))


def _check(name: str, well: bool | None) -> Check:
    """None: it cannot be told without the database."""
    if well is None:
        return Check(name, UNKNOWN, HINTS["database"])
    return Check(name, OK) if well else Check(name, FAILED, HINTS[name])


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.warning("Not ready: the database does not answer.", exc_info=True)
        return False
    return True


def missing_migrations() -> int:
    """How many that this program brings are not applied. More may be: a newer one migrates before it starts."""
    return len(_brought() - set(MigrationRecorder(connection).applied_migrations()))


def _is_migrated() -> bool:
    if missing := missing_migrations():
        logger.warning("Not ready: %s migrations are not applied.", missing)
    return not missing


@cache
def _brought() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)
