"""Celery's clock, on machines whose time of day may be set back."""

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from celery.beat import PersistentScheduler, ScheduleEntry, Scheduler

logger = logging.getLogger(__name__)

#: What last ran so much later than now ran before the clock was set back.
SLACK = timedelta(seconds=5)
if TYPE_CHECKING:
    Base = Scheduler
else:
    Base = object


class Patient(Base):
    """Celery waits until it is as late as when each task last ran: set back by an hour, nothing runs for one."""

    def tick(self, *args: Any, **options: Any) -> float:
        if ahead := [it for it in self.schedule.values() if it.last_run_at and it.last_run_at > _latest(it)]:
            logger.warning("The clock was set back; %s tasks start to count anew.", len(ahead))
            for entry in ahead:
                entry.last_run_at = entry.default_now()
            self._heap = None
        interval: float = super().tick(*args, **options)
        return interval


def _latest(entry: ScheduleEntry) -> datetime:
    now: datetime = entry.default_now()
    return now + SLACK


class InMemory(Patient, Scheduler):
    """Of the embedded mode."""


class Kept(Patient, PersistentScheduler):
    """Of `celery beat`, and of a worker with --beat: what ran when is kept in a file."""
