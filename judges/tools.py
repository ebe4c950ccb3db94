"""What a kind of judge may use: models behind cache, bill, budget and limits; features; examples."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event

from judges import sayings
from judges.backends.contract import Backend, Cancelled, JudgeError, JudgeInput, JudgeOutput
from judges.calls import as_output, call_key, estimated_tokens, keep_failure, keep_reply, kept_call, rendered
from judges.kinds import KINDS
from judges.kinds.contract import Case, Feature, Kind, Shot, Sound
from judges.limits import permit, settle
from judges.measured import measured
from judges.models import Call, LanguageModel, Run, Verdict
from judges.perturbations import Perturbation
from judges.shots import Examples


class OverBudget(Exception):
    """No call may be made any more. The message says why, for whoever started the run."""


@dataclass(frozen=True)
class Work:
    """A run as one worker does it. `stop` is set when nobody wants the rest any more."""

    run: Run
    backend: Backend | None = None
    holder: str = ""
    stop: Event = field(default_factory=Event)
    examples: Examples = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "examples", Examples(self.run))

    @property
    def kind(self) -> Kind:
        return KINDS[self.run.judge.kind]

    @property
    def perturbation(self) -> Perturbation | None:
        return Perturbation.from_json(self.run.perturbation) if self.run.perturbation else None


@dataclass(frozen=True)
class Used:
    """A call that a verdict rests on; `cached` where another verdict paid for it."""

    call: Call
    cached: bool


class RunTools:
    """The tools for one verdict. `used` and `failure` say afterwards what it took, and what went wrong last."""

    def __init__(self, work: Work, verdict: Verdict) -> None:
        self._work, self._verdict = work, verdict
        self._asked: Counter[str] = Counter()
        self.used: list[Used] = []
        self.failure: JudgeError | None = None

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        """Raises JudgeError, Cancelled, OverBudget."""
        if (model := self._work.run.judge.language_model) is None or self._work.backend is None:
            raise JudgeError(sayings.NO_MODEL, permanent=True)
        request = rendered(wanted)
        key = self._key(model, request)
        if kept := kept_call(key, self._verdict):
            self.used.append(Used(kept, cached=kept.made_for_id != self._verdict.pk))
            return as_output(kept)
        self._require_going_on()
        tokens = estimated_tokens(request) + wanted.max_tokens
        with permit(model.pk, holder=self._work.holder, tokens=tokens, is_cancelled=self._work.stop.is_set) as row:
            # Waiting may have taken long: other calls have come back, and somebody may have stopped the run.
            self._require_going_on()
            call, reply = self._made(self._work.backend, wanted, key, request, model)
            settle(row, tokens=(reply.tokens_in or 0) + (reply.tokens_out or 0) or tokens)
        self._require_counted(call)
        return reply

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        return measured(sound, self._work.kind.features)

    def shots(self, _case: Case, n: int, /) -> tuple[Shot, ...]:
        return self._work.examples.beside(self._verdict.unit, n)

    def _key(self, model: LanguageModel, request: dict[str, object]) -> str:
        told = {"order": self._verdict.order, "sample": self._verdict.sample}
        first = call_key(model, request, **told)  # type: ignore[arg-type]
        self._asked[first] += 1
        repeat = self._asked[first] - 1
        return call_key(model, request, repeat=repeat, **told) if repeat else first  # type: ignore[arg-type]

    def _made(
        self, backend: Backend, wanted: JudgeInput, key: str, request: dict[str, object], model: LanguageModel
    ) -> tuple[Call, JudgeOutput]:
        """Ask, and keep what came before anything else happens. Raises JudgeError, Cancelled."""
        started = time.monotonic()
        try:
            reply = backend.ask(wanted, is_cancelled=self._work.stop.is_set)
        except JudgeError as failure:
            self.failure = failure
            call = keep_failure(
                key, request, failure, model=model, verdict=self._verdict, seconds=time.monotonic() - started
            )
            self.used.append(Used(call, cached=False))
            raise
        call = keep_reply(key, request, reply, model=model, verdict=self._verdict)
        self.used.append(Used(call, cached=False))
        return call, reply

    def _require_going_on(self) -> None:
        """Raises OverBudget once the run has spent what it may, Cancelled where somebody cancelled it."""
        spent, budget, status = Run.objects.values_list("spent_usd", "budget_usd", "status").get(
            pk=self._verdict.run_id
        )
        if status == Run.Status.CANCELLED or self._work.stop.is_set():
            raise Cancelled
        if budget is not None and spent >= budget:
            raise OverBudget(sayings.BUDGET_SPENT % {"budget": f"{budget:.2f}", "spent": f"{spent:.4f}"})

    def _require_counted(self, call: Call) -> None:
        """Raises OverBudget where a call's cost is unknown and there is a budget to keep."""
        if self._work.run.budget_usd is not None and call.cost_usd is None:
            raise OverBudget(sayings.NOT_COUNTED)
