"""Calling a model for one question of a verdict: with retries, within budget and limits, everything stored."""

import logging
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from threading import Event
from typing import Any

from django.db.models import Max

from judges import reasons
from judges.backends.contract import Backend, Cancelled, JudgeError, JudgeInput, JudgeOutput
from judges.backends.waiting import pause_before, sleep_unless
from judges.cases.few_shot import Examples
from judges.kinds import KINDS
from judges.kinds.contract import Kind
from judges.language_models.calls.budgets import most_it_costs, reserve, settle
from judges.language_models.calls.limits import permit, slow_down
from judges.language_models.calls.limits import settle as settle_permit
from judges.language_models.calls.stops import Postponed, RunStopped
from judges.language_models.calls.stored import NOTHING, UNKEEPABLE, estimated_tokens, keep_failure, keep_reply
from judges.models import Call, Cause, LanguageModel, Reservation, Run, Verdict
from judges.sounds.perturbations import Perturbation

logger = logging.getLogger(__name__)
#: So often a question is put where the server is busy or ill.
ATTEMPTS = 5
#: Errors that concern all calls to the model, not this call alone.
TOO_MANY, OVERLOADED = 429, {503, 529}
_JITTER = random.Random()  # noqa: S311 - jitter, not a secret


@dataclass
class Work:
    """A run as one worker does it, until `ends` (monotonic). `stop` is set when the rest is no longer wanted."""

    run: Run
    backend: Backend | None = None
    holder: str = ""
    ends: float = math.inf
    stop: Event = field(default_factory=Event)
    cancelled_at: float | None = None
    examples: Examples = field(init=False)

    def __post_init__(self) -> None:
        self.examples = Examples(self.run)

    def cancel(self) -> None:
        """Nothing more is asked, and what is under way is cut off; again and again, for what was just beginning."""
        self.stop.set()
        self.cancelled_at = self.cancelled_at or time.monotonic()
        if self.backend:
            self.backend.abandon()

    def waits_no_longer(self) -> bool:
        """It is the turn of other runs, or the rest is no longer wanted."""
        return self.stop.is_set() or time.monotonic() > self.ends

    @property
    def kind(self) -> Kind:
        return KINDS[self.run.judge.kind]

    @cached_property
    def dearest(self) -> Decimal:
        """The highest bill of a call of this run so far; what a server bills beyond its limits it will bill again."""
        paid = Call.objects.filter(made_for__run=self.run).aggregate(usd=Max("cost_usd"))["usd"]
        return paid or NOTHING if self.run.budget_usd is not None else NOTHING

    @property
    def perturbation(self) -> Perturbation | None:
        return Perturbation.from_json(self.run.perturbation) if self.run.perturbation else None


@dataclass
class Asking:
    """One question of a verdict. `kept` are its stored calls, failed ones with a bill among them."""

    work: Work
    verdict: Verdict
    backend: Backend
    model: LanguageModel
    wanted: JudgeInput
    key: str
    request: dict[str, Any]
    kept: list[Call] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    held: Reservation | None = None
    was_sent: bool = False

    def answered(self) -> JudgeOutput:
        """The reply, stored. Raises JudgeError, Cancelled, RunStopped, Postponed.

        Every turn that ended before the server was well counts as an attempt.
        """
        for attempt in range(min(max(self.verdict.tries, 1), ATTEMPTS), ATTEMPTS + 1):
            try:
                return self._attempt(attempt)
            except JudgeError as failure:
                if failure.no_quota:
                    reason = reasons.NO_QUOTA(last=failure.reason)
                    raise RunStopped(reason, status=Run.Status.PAUSED, cause=Cause.QUOTA) from failure
                if failure.permanent or attempt == ATTEMPTS:
                    raise
                self._wait(attempt, failure)
        raise JudgeError(reasons.NOT_ASKED(), permanent=True)

    def _attempt(self, attempt: int) -> JudgeOutput:
        """Raises JudgeError, Cancelled, RunStopped. What is held back is settled, whatever happens."""
        is_cancelled = self.work.waits_no_longer  # before anything is sent
        self.held = reserve(self.work.run, self._most(), holder=self.work.holder, is_cancelled=is_cancelled)
        usd, self.was_sent = self.held.usd if self.held else None, False
        tokens = estimated_tokens(self.request) + self._limit()
        try:
            with permit(self.model.pk, holder=self.work.holder, tokens=tokens, is_cancelled=is_cancelled) as row:
                self._require_going_on()  # waiting may have taken long
                call, reply = self._asked(attempt)
                settle_permit(row, tokens=(reply.tokens_in or 0) + (reply.tokens_out or 0) or tokens)
        finally:
            settle(self._taken(), None if self.was_sent else NOTHING)
        self._require_within(call, usd, is_miscounted=reply.is_miscounted)
        return reply

    def _asked(self, attempt: int) -> tuple[Call, JudgeOutput]:
        """Ask once, and keep what came before anything else happens. Raises JudgeError, Cancelled."""
        self.was_sent = True
        kept: dict[str, Any] = {"model": self.model, "verdict": self.verdict}
        try:
            reply = self.backend.ask(self.wanted, is_cancelled=self.work.stop.is_set)
        except JudgeError as failure:
            if failure.permanent or failure.counted or attempt == ATTEMPTS:
                took = time.monotonic() - self.started
                self._keep(keep_failure, failure, seconds=took, attempts=attempt, **kept)
            self.was_sent = failure.was_sent
            raise
        reply = replace(reply, attempts=attempt)
        return self._keep(keep_reply, reply, **kept), reply

    def _keep(self, keep: Callable[..., Call], came: JudgeOutput | JudgeError, **values: Any) -> Call:
        """Keep what came, and settle what was held back by its bill.

        Raises JudgeError if it cannot be stored; then the reserved amount may have been billed.
        """
        try:
            call = keep(self.key, self.request, came, held=self.held, **values)
        except UNKEEPABLE as error:
            logger.exception("The reply for verdict %s could not be stored", self.verdict.pk)
            raise JudgeError(reasons.NOT_KEPT(fault=type(error).__name__), permanent=True) from error
        self._taken()
        self.kept.append(call)
        return call

    def _wait(self, attempt: int, failure: JudgeError) -> None:
        """Raises Cancelled; Postponed where the turn is over first."""
        pause = pause_before(attempt, retry_after=failure.retry_after, rng=_JITTER)
        if failure.status == TOO_MANY or (failure.status in OVERLOADED and failure.retry_after is not None):
            slow_down(self.model.pk, pause)
        try:
            sleep_unless(self.work.waits_no_longer, pause)
        except Cancelled as cancelled:
            if self.work.stop.is_set():
                raise
            raise Postponed from cancelled

    def _most(self) -> Decimal | None:
        """What the call may cost: by its limits, or as much as one of this run did already."""
        usd = most_it_costs(self.model, self.wanted, tokens_out=self._limit())
        return None if usd is None else max(usd, self.work.dearest)

    def _limit(self) -> int:
        """The limit of tokens of the reply, thinking included."""
        return self.model.parameters.most_tokens(self.wanted)

    def _taken(self) -> Reservation | None:
        """The reserved amount, for the code that settles it: once."""
        held, self.held = self.held, None
        return held

    def _require_going_on(self) -> None:
        """Raises Cancelled if the run was cancelled."""
        status = Run.objects.values_list("status", flat=True).get(pk=self.verdict.run_id)
        if status == Run.Status.CANCELLED or self.work.stop.is_set():
            raise Cancelled

    def _require_within(self, call: Call, usd: Decimal | None, *, is_miscounted: bool) -> None:
        """Raises RunStopped where a budget cannot be enforced: the cost is unknown, or above the reserved amount."""
        if self.work.run.budget_usd is None:
            return
        if call.cost_usd is None:
            unknown = reasons.NO_BUDGET_BY_COUNT if is_miscounted else reasons.NOT_COUNTED
            raise RunStopped(unknown(), status=Run.Status.OVER_BUDGET, cause=Cause.BUDGET)
        if call.cost_usd > (usd or NOTHING):
            billed = reasons.BILLED_MORE(usd=f"{call.cost_usd:.4f}", most=f"{usd or NOTHING:.4f}")
            raise RunStopped(billed, status=Run.Status.OVER_BUDGET, cause=Cause.BUDGET)
