"""Working at a run for a while: verdicts are claimed a few at a time, and judged by several threads at once."""

import logging
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from infrastructure.background.workers import note_beat
from infrastructure.live.announcements import announce
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.backends.contract import JudgeError
from judges.kinds import KINDS
from judges.language_models.calls.asking import Work
from judges.language_models.calls.budgets import drop_lapsed, drop_reservations
from judges.language_models.registry import backend_of
from judges.models import ACTIVE, Cause, Run, Verdict, WorkerSlot
from judges.runs.usefulness import Useless, asks_model, first_ones, last_ones, left_to_try, nothing_at_all
from judges.runs.worker_slots import (
    WORKER_SLOTS,
    claim_verdicts,
    give_up_hopeless,
    release_slot,
    renew_slot,
    send_next,
    take_slot,
)
from judges.verdicts.record import Outcome, judge_verdict
from judges.webhook_events import tell_of_end

logger = logging.getLogger(__name__)
#: A worker stays at a run for so long before others have their turn.
SLICE_S = 20.0
BEAT_S = 1.0
#: How often it checks for cancellation; after that, calls in progress have a moment to end.
LOOK_S, GRACE_S = 0.3, 0.5
#: In the embedded mode one thread of the server judges, and the other is there for everything else.
_one_place = threading.BoundedSemaphore(1)


def work_in_slot(pk: int, *, threads: int | None = None, slice_s: float = SLICE_S) -> int:
    """Work at the slot's run until the time is up or nothing is left; return the number of finished verdicts.

    `threads` 0 judges within this thread.
    """
    if settings.EMBEDDED and not _one_place.acquire(blocking=False):
        return 0
    try:
        return _work(pk, threads, slice_s)
    finally:
        if settings.EMBEDDED:
            _one_place.release()
        send_next()


def _work(pk: int, threads: int | None, slice_s: float) -> int:
    if (worker_slot := take_slot(pk)) is None:
        return 0
    try:
        Run.objects.filter(pk=worker_slot.run_id, status=Run.Status.QUEUED).update(status=Run.Status.RUNNING)
        return _turn(worker_slot, threads, slice_s)
    finally:
        release_slot(worker_slot)
        drop_reservations(worker_slot.holder)  # of calls that are no longer awaited; each still settles its own
        finish_if_done(worker_slot.run)
        announce(worker_slot.run.topic)


def _turn(worker_slot: WorkerSlot, threads: int | None, slice_s: float) -> int:
    run = worker_slot.run
    if run.judge.kind not in KINDS:
        stop_run(run, Run.Status.FAILED, reasons.KIND_GONE())
        return 0
    model = run.judge.language_model
    try:
        backend = backend_of(model, attempts=1) if model else None
    except JudgeError as error:
        stop_run(run, Run.Status.FAILED, error.reason, cause=Cause.KEY)
        return 0
    try:
        shift = Shift(worker_slot, Work(run, backend, worker_slot.holder, time.monotonic() + slice_s))
        shift.begin()
        return shift.judge_alone() if threads == 0 else shift.judge_together(threads or threads_of(run))
    finally:
        if backend:
            backend.close()


def threads_of(run: Run) -> int:
    """This slot's share of the calls that may be in progress; one where no model is called."""
    model = run.judge.language_model
    return max(1, -(-model.at_once // run.worker_slots.count())) if model else 1


def stop_run(run: Run, status: str, reason: Reason | None = None, *, cause: str = "") -> bool:
    """A run in progress stops here, with a reason for the user who started it; pending verdicts stay pending."""
    on = Run.objects.filter(pk=run.pk, status__in=ACTIVE)
    with transaction.atomic():
        stopped = on.update(status=status, message=reason, stopped_for=cause, finished_at=timezone.now()) == 1
        if stopped:
            tell_of_end(run, status)
    announce(run.topic)
    return stopped


def finish_if_done(run: Run) -> bool:
    """A run of which nothing is to do any more is done, or failed where no verdict has an answer."""
    drop_lapsed(run)
    give_up_hopeless(run)
    if Verdict.objects.filter(run=run, status=Verdict.Status.WAITING).exists():
        return False
    if run.status in ACTIVE and (useless := nothing_at_all(run)):
        return stop_run(run, Run.Status.FAILED, useless.reason, cause=useless.cause)
    return stop_run(run, Run.Status.DONE)


@dataclass
class Shift:
    """One worker's turn at a run."""

    worker_slot: WorkerSlot
    work: Work
    said: int = 0
    goes_on: bool = True
    looked: float = 0.0
    beaten: float = 0.0
    last_text: str = ""

    def begin(self) -> None:
        """Where the first ones are there already, or there is nothing to pay for, all may go on."""
        if not asks_model(self.work.run):
            self._is_tried()
        elif not self.work.run.is_tried:
            self._try()

    def judge_alone(self) -> int:
        while self._may_claim() and (pks := self._claimed(1)):
            self._look(pks)
            self._note(judge_verdict(pks[0], self.work))
        return self.said

    def judge_together(self, threads: int) -> int:
        running: dict[Future[Outcome], int] = {}
        pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="judge")
        try:
            while True:
                if self._may_claim() and len(running) < threads:
                    for pk in self._claimed(threads - len(running), len(running)):
                        running[pool.submit(_judge_in_thread, pk, self.work)] = pk
                if not running or self._is_abandoned():
                    return self.said
                finished, _rest = wait(running, timeout=LOOK_S / 2, return_when=FIRST_COMPLETED)
                self._look([pk for future, pk in running.items() if future not in finished])
                for future in finished:
                    self._settle(future, running.pop(future))
        finally:
            # A cancelled call is not awaited: it notices by itself, and settles its reservation.
            pool.shutdown(wait=not self.work.stop.is_set(), cancel_futures=True)

    def _claimed(self, n: int, under_way: int = 0) -> list[int]:
        """A few units at first, until it is known that the replies are usable."""
        run = self.work.run
        if run.is_tried:
            return claim_verdicts(run, n)
        return claim_verdicts(run, min(n, left_to_try(run) - under_way), apart=True)

    def _may_claim(self) -> bool:
        return self.goes_on and time.monotonic() < self.work.ends

    def _is_abandoned(self) -> bool:
        """The run was cancelled, and calls in progress had a moment to end."""
        return self.work.cancelled_at is not None and time.monotonic() - self.work.cancelled_at > GRACE_S

    def _settle(self, future: Future[Outcome], pk: int) -> None:
        if (error := future.exception()) is not None:
            logger.error("Verdict %s could not be stored", pk, exc_info=error)
            self.goes_on = False  # the database has an error; the scheduler returns to this slot
            return
        self._note(future.result())

    def _note(self, outcome: Outcome) -> None:
        """Count, and stop the run where its budget is spent or nothing of use comes."""
        if (stopped := outcome.stopped) is not None:
            self._stop(stopped.status, stopped.reason, stopped.cause)
        if outcome.status is None:
            return
        self.said += 1
        run = self.work.run
        if not asks_model(run):
            return
        if not run.is_tried:
            self._try()
        elif outcome.status in Verdict.MISSING or (outcome.text and outcome.text == self.last_text):
            self._stop_if(last_ones(run))
        self.last_text = outcome.text

    def _try(self) -> None:
        """Look at the first ones once they are there; then the other workers may come."""
        run = self.work.run
        if left_to_try(run):
            return
        if useless := first_ones(run):
            self._stop_if(useless)
            return
        self._is_tried()
        for pk in run.worker_slots.exclude(pk=self.worker_slot.pk).values_list("pk", flat=True):
            WORKER_SLOTS.send(pk)

    def _is_tried(self) -> None:
        self.work.run.is_tried = True
        Run.objects.filter(pk=self.work.run.pk).update(is_tried=True)

    def _stop_if(self, useless: Useless | None) -> None:
        if useless and self.goes_on:
            self._stop(Run.Status.FAILED, useless.reason, useless.cause)

    def _stop(self, status: str, reason: Reason, cause: str) -> None:
        self.goes_on = False
        stop_run(self.work.run, status, reason, cause=cause)

    def _look(self, under_way: list[int]) -> None:
        """Whether the run was stopped; and renew what is in progress."""
        now = time.monotonic()
        if now - self.looked < LOOK_S:
            return
        self.looked = now
        status = Run.objects.values_list("status", flat=True).get(pk=self.work.run.pk)
        self.goes_on = self.goes_on and status in ACTIVE
        if status == Run.Status.CANCELLED:
            self.work.cancel()
        if now - self.beaten >= BEAT_S:
            self._beat(under_way)

    def _beat(self, under_way: list[int]) -> None:
        """Keep what is under way, and tell who watches."""
        self.beaten = time.monotonic()
        self.goes_on = renew_slot(self.worker_slot, under_way) and self.goes_on
        note_beat(f"judging, worker slot {self.worker_slot.pk}")
        announce(self.work.run.topic)


def _judge_in_thread(pk: int, work: Work) -> Outcome:
    try:
        return judge_verdict(pk, work)
    finally:
        connection.close()  # each thread has one of its own
