"""The engine of background work: rows that one worker at a time claims, keeps by a heartbeat, and settles.

The row is the truth, and the message that Celery carries only says that it is there: a lost message is sent again,
and a row whose worker died is free once its lease is over. Every write of a worker names the try that it is at, so
that a worker that was taken for dead changes nothing any more. Works alike on SQLite and PostgreSQL.
"""

import logging
import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from celery import current_app
from django.db import connection, transaction
from django.db.models import F, Manager, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from infrastructure.background.leases import lapsed
from infrastructure.models import Claimable

logger = logging.getLogger(__name__)
Row = TypeVar("Row", bound=Claimable)
#: A worker that was silent for so long has lost what it had.
LEASE = timedelta(seconds=60)
#: After so long (s) the broker drops a message that no worker took; the row is announced again by then.
MESSAGE_S = 60


@dataclass(frozen=True)
class Queue(Generic[Row]):
    """How the rows of one model are worked off.

    `to_do` says which rows are, by columns of their own; with `due`, a column, only once its time has come. `task` is
    the Celery task that is sent a row's key; it is lost if it was sent (the column `sent_at`) longer than
    `resend_after` ago and the row is still free.
    """

    rows: Manager[Row]
    to_do: Q
    due: str = ""
    task: str = ""
    resend_after: timedelta = timedelta()

    def free(self, now: datetime | None = None) -> Q:
        """To do, due, and no worker has it."""
        now = now or timezone.now()
        due = Q(**{f"{self.due}__lte": now}) if self.due else Q()
        return self.to_do & due & lapsed("heartbeat_at", now=now - LEASE, lease=LEASE)

    def lost(self) -> Q:
        """Free though its message is old, which was lost then; or its worker died."""
        now = timezone.now()
        is_old = lapsed("sent_at", now=now - self.resend_after, lease=self.resend_after)
        return self.free(now) & (is_old | Q(heartbeat_at__isnull=False))

    def claim(self, row: Row, **values: object) -> bool:
        """Take the row, as it was read, for this worker alone, and write `values`; False where it is not free.

        The update compares by columns of the row alone: PostgreSQL looks at these once more when it had to wait for
        another worker, and not at other tables.
        """
        now = timezone.now()
        values |= {"heartbeat_at": now}
        same = self.rows.filter(self.free(now), pk=row.pk, tries=row.tries)
        if not same.update(tries=F("tries") + 1, **values):
            return False
        row.tries += 1
        for name, value in values.items():
            setattr(row, name, value)
        return True

    def claim_some(self, rows: QuerySet[Row], n: int) -> list[int]:
        """Take up to `n` of these rows that are free, in their order, past those that another worker is taking."""
        with transaction.atomic():
            if connection.features.has_select_for_update_skip_locked:
                rows = rows.select_for_update(skip_locked=True)
            pks = list(rows.filter(self.free()).values_list("pk", flat=True)[:n])
            self.rows.filter(pk__in=pks).update(tries=F("tries") + 1, heartbeat_at=timezone.now())
        return pks

    def renew(self, row: Row, **values: object) -> bool:
        """The heartbeat, with what else is to be written. False where the row is another worker's by now."""
        return self._mine(row).update(**values, heartbeat_at=timezone.now()) == 1

    def renew_some(self, pks: Collection[int]) -> None:
        """The heartbeat of rows that were taken together."""
        self.rows.filter(self.to_do, pk__in=pks).update(heartbeat_at=timezone.now())

    def settle(self, row: Row, **values: object) -> bool:
        """Write what came of it, and give it back. False where it is another worker's, or was ended meanwhile."""
        return self._mine(row).update(**values, heartbeat_at=None) == 1

    def send(self, pk: object) -> None:
        """Tell the workers that the row is there. If the broker is down it waits in the database to be sent again."""
        if self.resend_after:
            self.rows.filter(pk=pk).update(sent_at=timezone.now())
        try:
            current_app.send_task(
                self.task, args=[pk if isinstance(pk, int) else str(pk)], retry=False, expires=MESSAGE_S
            )
        except OperationalError:
            logger.warning("The broker could not be reached; %s %s waits.", self.rows.model.__name__, pk)

    def _mine(self, row: Row) -> QuerySet[Row]:
        return self.rows.filter(self.to_do, pk=row.pk, tries=row.tries)


@dataclass(frozen=True)
class Backoff:
    """How long to wait before the next try: `first`, then each time `factor` as long, give or take `jitter`."""

    first: timedelta
    factor: float
    jitter: float = 0.0
    longest: timedelta = timedelta(days=365)

    def after(self, tries: int, rng: random.Random) -> timedelta:
        """After so many tries, one or more."""
        wait = self.first.total_seconds() * self.factor ** min(tries - 1, 32)
        return min(timedelta(seconds=wait * rng.uniform(1 - self.jitter, 1 + self.jitter)), self.longest)
