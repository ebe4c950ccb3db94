"""Working at a run for a while: verdicts are claimed a few at a time, and judged by several threads at once."""

import logging
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from campaigns.background.workers import note_beat
from infrastructure.live import announce
from judges.backends.contract import JudgeError
from judges.kinds import KINDS
from judges.language_models.asking import Work
from judges.language_models.budgets import drop_lapsed, drop_reservations
from judges.language_models.registry import backend_of
from judges.models import ACTIVE, Cause, Lane, Run, Verdict
from judges.runs.usefulness import Useless, asks_model, first_ones, last_ones, left_to_try, nothing_at_all
from judges.runs.worker_slots import (
    claim_verdicts,
    give_up_hopeless,
    keep_lane,
    leave_lane,
    ring,
    ring_next,
    take_lane,
)
from judges.verdicts.record import Outcome, judge_verdict
from judges.webhook_events import tell_of_end

logger = logging.getLogger(__name__)
#: A worker stays at a run for so long before others have their turn.
SLICE_S = 20.0
BEAT_S = 1.0
#: So often it looks whether somebody cancelled; after that, calls under way have a moment to end by themselves.
LOOK_S, GRACE_S = 0.3, 0.5
#: In the embedded mode one thread of the server judges, and the other is there for everything else.
_one_place = threading.BoundedSemaphore(1)


def work_lane(pk: int, *, threads: int | None = None, slice_s: float = SLICE_S) -> int:
    """Work at the lane's run until the time is up or nothing is left; say how many verdicts were said.

    `threads` 0 judges within this thread.
    """
    if settings.EMBEDDED and not _one_place.acquire(blocking=False):
        return 0
    try:
        return _work(pk, threads, slice_s)
    finally:
        if settings.EMBEDDED:
            _one_place.release()
        ring_next()


def _work(pk: int, threads: int | None, slice_s: float) -> int:
    if (lane := take_lane(pk)) is None:
        return 0
    try:
        Run.objects.filter(pk=lane.run_id, status=Run.Status.QUEUED).update(status=Run.Status.RUNNING)
        return _turn(lane, threads, slice_s)
    finally:
        leave_lane(lane)
        drop_reservations(lane.holder)  # of calls that nobody waits for any more; each still settles its own
        finish_if_done(lane.run)
        announce(lane.run.topic)


def _turn(lane: Lane, threads: int | None, slice_s: float) -> int:
    run = lane.run
    if run.judge.kind not in KINDS:
        stop_run(run, Run.Status.FAILED, "This kind of judge is not part of this installation any more.")
        return 0
    model = run.judge.language_model
    try:
        backend = backend_of(model, attempts=1) if model else None
    except JudgeError as error:
        stop_run(run, Run.Status.FAILED, str(error), cause=Cause.KEY)
        return 0
    try:
        shift = Shift(lane, Work(run, backend, lane.holder, time.monotonic() + slice_s))
        shift.begin()
        return shift.judge_alone() if threads == 0 else shift.judge_together(threads or threads_of(run))
    finally:
        if backend:
            backend.close()


def threads_of(run: Run) -> int:
    """This lane's share of the calls that may be under way; one where nobody is asked."""
    model = run.judge.language_model
    return max(1, -(-model.at_once // run.lanes.count())) if model else 1


def stop_run(run: Run, status: str, message: str, *, cause: str = "") -> bool:
    """A run that is on ends here, with a sentence for whoever started it; what is to do stays to do."""
    on = Run.objects.filter(pk=run.pk, status__in=ACTIVE)
    with transaction.atomic():
        stopped = on.update(status=status, message=message, stopped_for=cause, finished_at=timezone.now()) == 1
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
        return stop_run(run, Run.Status.FAILED, useless.message, cause=useless.cause)
    return stop_run(run, Run.Status.DONE, "")


@dataclass
class Shift:
    """One worker's turn at a run."""

    lane: Lane
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
            # Nobody waits for what a cancelled call still does: it notices by itself, and settles what it held.
            pool.shutdown(wait=not self.work.stop.is_set(), cancel_futures=True)

    def _claimed(self, n: int, under_way: int = 0) -> list[int]:
        """A few units at first, until it is known that what comes back is of use."""
        run = self.work.run
        if run.is_tried:
            return claim_verdicts(run, n)
        return claim_verdicts(run, min(n, left_to_try(run) - under_way), apart=True)

    def _may_claim(self) -> bool:
        return self.goes_on and time.monotonic() < self.work.ends

    def _is_abandoned(self) -> bool:
        """Somebody cancelled, and what is under way had a moment to end."""
        return self.work.cancelled_at is not None and time.monotonic() - self.work.cancelled_at > GRACE_S

    def _settle(self, future: Future[Outcome], pk: int) -> None:
        if (error := future.exception()) is not None:
            logger.error("Verdict %s could not be kept", pk, exc_info=error)
            self.goes_on = False  # the database is ill; the clock comes back to this lane
            return
        self._note(future.result())

    def _note(self, outcome: Outcome) -> None:
        """Count, and stop the run where its budget is spent or nothing of use comes."""
        if (stopped := outcome.stopped) is not None:
            self._stop(stopped.status, str(stopped), stopped.cause)
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
        for pk in run.lanes.exclude(pk=self.lane.pk).values_list("pk", flat=True):
            ring(pk)

    def _is_tried(self) -> None:
        self.work.run.is_tried = True
        Run.objects.filter(pk=self.work.run.pk).update(is_tried=True)

    def _stop_if(self, useless: Useless | None) -> None:
        if useless and self.goes_on:
            self._stop(Run.Status.FAILED, useless.message, useless.cause)

    def _stop(self, status: str, message: str, cause: str) -> None:
        self.goes_on = False
        stop_run(self.work.run, status, message, cause=cause)

    def _look(self, under_way: list[int]) -> None:
        """Whether somebody stopped the run; and keep what is under way."""
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
        self.goes_on = keep_lane(self.lane, under_way) and self.goes_on
        note_beat(f"judging, lane {self.lane.pk}")
        announce(self.work.run.topic)


def _judge_in_thread(pk: int, work: Work) -> Outcome:
    try:
        return judge_verdict(pk, work)
    finally:
        connection.close()  # each thread has one of its own
