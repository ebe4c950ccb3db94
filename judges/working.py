"""Working at a run for a while: verdicts are claimed a few at a time, and judged by several threads at once."""

import logging
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from campaigns.live import announce
from campaigns.workers import note_beat
from judges import sayings
from judges.backends.contract import JudgeError
from judges.kinds import KINDS
from judges.lanes import (
    claim_verdicts,
    give_up_hopeless,
    keep_lane,
    leave_lane,
    ring_next,
    take_lane,
)
from judges.models import ACTIVE, Lane, Run, Verdict
from judges.registry import backend_of
from judges.telling import tell_of_end
from judges.tools import Work
from judges.verdicts import Outcome, judge_verdict

logger = logging.getLogger(__name__)
#: A worker stays at a run for so long before others have their turn.
SLICE_S = 20.0
BEAT_S = 1.0
#: So many failures in a row that asking again does not mend, or that it might: the run stops.
MOST_PERMANENT, MOST_TRANSIENT = 5, 20
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
        finish_if_done(lane.run)
        announce(lane.run.topic)


def _turn(lane: Lane, threads: int | None, slice_s: float) -> int:
    run = lane.run
    if run.judge.kind not in KINDS:
        stop_run(run, Run.Status.FAILED, "This kind of judge is not part of this installation any more.")
        return 0
    model = run.judge.language_model
    try:
        backend = backend_of(model) if model else None
    except JudgeError as error:
        stop_run(run, Run.Status.FAILED, str(error))
        return 0
    try:
        shift = Shift(lane, Work(run, backend, lane.holder), time.monotonic() + slice_s)
        return shift.judge_alone() if threads == 0 else shift.judge_together(threads or threads_of(run))
    finally:
        if backend:
            backend.close()


def threads_of(run: Run) -> int:
    """This lane's share of the calls that may be under way; one where nobody is asked."""
    model = run.judge.language_model
    return max(1, -(-model.at_once // run.lanes.count())) if model else 1


def stop_run(run: Run, status: str, message: str) -> bool:
    """A run that is on ends here, with a sentence for whoever started it; what is to do stays to do."""
    on = Run.objects.filter(pk=run.pk, status__in=ACTIVE)
    with transaction.atomic():
        stopped = on.update(status=status, message=message, finished_at=timezone.now()) == 1
        if stopped:
            tell_of_end(run, status)
    announce(run.topic)
    return stopped


def finish_if_done(run: Run) -> bool:
    """A run of which nothing is to do any more is done."""
    give_up_hopeless(run)
    if Verdict.objects.filter(run=run, status=Verdict.Status.WAITING).exists():
        return False
    return stop_run(run, Run.Status.DONE, "")


@dataclass
class Shift:
    """One worker's turn at a run."""

    lane: Lane
    work: Work
    ends: float
    said: int = 0
    goes_on: bool = True
    beaten: float = 0.0
    failed: list[JudgeError] = field(default_factory=list)

    def judge_alone(self) -> int:
        while self._may_claim() and (pks := claim_verdicts(self.work.run, 1)):
            self._beat(pks)
            self._note(judge_verdict(pks[0], self.work))
        return self.said

    def judge_together(self, threads: int) -> int:
        running: dict[Future[Outcome], int] = {}
        with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="judge") as pool:
            while True:
                if self._may_claim() and len(running) < threads:
                    for pk in claim_verdicts(self.work.run, threads - len(running)):
                        running[pool.submit(_judge_in_thread, pk, self.work)] = pk
                if not running:
                    return self.said
                finished, _rest = wait(running, timeout=BEAT_S, return_when=FIRST_COMPLETED)
                self._beat([pk for future, pk in running.items() if future not in finished])
                for future in finished:
                    self._settle(future, running.pop(future))

    def _may_claim(self) -> bool:
        return self.goes_on and time.monotonic() < self.ends

    def _settle(self, future: Future[Outcome], pk: int) -> None:
        if (error := future.exception()) is not None:
            logger.error("Verdict %s could not be kept", pk, exc_info=error)
            self.goes_on = False  # the database is ill; the clock comes back to this lane
            return
        self._note(future.result())

    def _note(self, outcome: Outcome) -> None:
        """Count, and stop the run where the budget is spent or nothing but failures come."""
        if outcome.over_budget:
            self._stop(Run.Status.OVER_BUDGET, outcome.over_budget)
        if outcome.status is None:
            return
        self.said += 1
        self.failed = [*self.failed, outcome.failure] if outcome.failure else []
        in_a_row = _tail(self.failed, permanent=True)
        if in_a_row >= MOST_PERMANENT or len(self.failed) >= MOST_TRANSIENT:
            n = in_a_row if in_a_row >= MOST_PERMANENT else len(self.failed)
            self._stop(Run.Status.FAILED, sayings.CALLS_FAILED % {"n": n, "last": self.failed[-1]})

    def _stop(self, status: str, message: str) -> None:
        self.goes_on = False
        stop_run(self.work.run, status, message)

    def _beat(self, under_way: list[int]) -> None:
        """Keep what is under way, look whether somebody stopped the run, and tell who watches."""
        if time.monotonic() - self.beaten < BEAT_S:
            return
        self.beaten = time.monotonic()
        kept = keep_lane(self.lane, under_way)
        status = Run.objects.values_list("status", flat=True).get(pk=self.work.run.pk)
        self.goes_on = self.goes_on and kept and status in ACTIVE
        if status == Run.Status.CANCELLED:
            self.work.stop.set()
        note_beat(f"judging, lane {self.lane.pk}")
        announce(self.work.run.topic)


def _tail(failed: list[JudgeError], *, permanent: bool) -> int:
    """How many of the last failures are permanent ones."""
    n = 0
    for failure in reversed(failed):
        if failure.permanent is not permanent:
            break
        n += 1
    return n


def _judge_in_thread(pk: int, work: Work) -> Outcome:
    try:
        return judge_verdict(pk, work)
    finally:
        connection.close()  # each thread has one of its own
