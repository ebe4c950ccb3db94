"""`manage.py` and `celery` with a shorter lease, so that a fault bench need not wait a minute for each dead worker.

    python -m benchmarks.faults.hurried serve --port 8001
    python -m benchmarks.faults.hurried celery -A config worker

Where FAULTS_CLOCK names a file, the time of day is that of the machine and the seconds in the file: what Django,
Celery's clock and `time.time()` say. (libfaketime 0.9.10 breaks Python's `time.sleep` and timeouts.) Nothing else
differs from the product.
"""

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import celery.app.base
import django
from django.utils import timezone

_real_now, _real_time = timezone.now, time.time


def _ahead_s() -> float:
    return float(Path(os.environ["FAULTS_CLOCK"]).read_text(encoding="ascii") or 0)


def _now() -> datetime:
    return _real_now() + timedelta(seconds=_ahead_s())


if "FAULTS_CLOCK" in os.environ:  # before anything takes the functions by name
    timezone.now = _now
    time.time = lambda: _real_time() + _ahead_s()
    celery.app.base.Celery.now = lambda self: _now()  # type: ignore[method-assign]  # noqa: ARG005

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from celery.__main__ import main as celery_main  # noqa: E402 - these need the apps, which are there by now
from django.core.management import execute_from_command_line  # noqa: E402

from arena.standings import refresh  # noqa: E402
from infrastructure.background import queues  # noqa: E402
from judges.language_models.calls import limits  # noqa: E402

LEASE = timedelta(seconds=8)


def main() -> None:
    queues.LEASE = limits.LEASE = refresh.LEASE = LEASE
    if sys.argv[1] == "celery":
        sys.argv = sys.argv[1:]
        celery_main()
    else:
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
