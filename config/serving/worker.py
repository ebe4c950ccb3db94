"""The in-process worker of the embedded mode: a Celery worker and its clock, as threads of the web process."""

import sys
import threading

from celery import Celery
from celery.beat import Service
from celery.worker import WorkController

from config.serving.beat_scheduler import InMemory

#: A task that computes lets a page go on after so long (s). At Python's 5 ms a page waits so long after each of its
#: queries: 0.2 s for forty of them, while a look at quality is under way.
SWITCH_S = 0.0005


def start_in_process_worker(app: Celery, *, concurrency: int = 2) -> WorkController:
    """Start working off tasks in this process. The threads end with it; unfinished jobs are found in their rows."""
    sys.setswitchinterval(SWITCH_S)
    worker = WorkController(
        app=app, hostname="embedded", pool="threads", concurrency=concurrency, without_heartbeat=True,
        without_mingle=True, without_gossip=True, quiet=True, loglevel="WARNING",
    )  # fmt: skip
    threading.Thread(target=worker.start, name="worker", daemon=True).start()
    clock = Service(app, scheduler_cls=InMemory)
    threading.Thread(target=clock.start, name="clock", kwargs={"embedded_process": False}, daemon=True).start()
    return worker
