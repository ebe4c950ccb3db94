"""What a kind of judge may use: models behind cache, bill, budget and limits; features; examples."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from judges import reasons
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput
from judges.cases.feature_lookup import measured
from judges.kinds.contract import Case, Feature, Shot, Sound
from judges.language_models.calls.asking import Asking, Work
from judges.language_models.calls.stored import as_output, call_key, kept_call, rendered
from judges.models import Call, LanguageModel, Verdict


@dataclass(frozen=True)
class Used:
    """A call that a verdict is based on; `cached` where another verdict paid for it."""

    call: Call
    cached: bool


class RunTools:
    """The tools for one verdict. `used`, `replies` and `failure` say afterwards what it took and what came."""

    def __init__(self, work: Work, verdict: Verdict) -> None:
        self._work, self._verdict = work, verdict
        self._asked: Counter[str] = Counter()
        self.used: list[Used] = []
        self.replies: list[JudgeOutput] = []
        self.failure: JudgeError | None = None

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        """Raises JudgeError, Cancelled, RunStopped."""
        if (model := self._work.run.judge.language_model) is None or self._work.backend is None:
            raise JudgeError(reasons.NO_MODEL(), permanent=True)
        request = rendered(wanted)
        key = self._key(model, request)
        if kept := kept_call(key, self._verdict):
            self.used.append(Used(kept, cached=kept.made_for_id != self._verdict.pk))
            return self._said(as_output(kept))
        asking = Asking(self._work, self._verdict, self._work.backend, model, wanted, key, request)
        try:
            return self._said(asking.answered())
        except JudgeError as failure:
            self.failure = failure
            raise
        finally:
            self.used.extend(Used(call, cached=False) for call in asking.kept)

    def _said(self, reply: JudgeOutput) -> JudgeOutput:
        self.replies.append(reply)
        return reply

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        return measured(sound, self._work.kind.features)

    def shots(self, _case: Case, n: int, /) -> tuple[Shot, ...]:
        return self._work.examples.beside(self._verdict.unit, n)

    def _key(self, model: LanguageModel, request: dict[str, object]) -> str:
        repeat_of = {"order": self._verdict.order, "sample": self._verdict.sample}
        first = call_key(model, request, **repeat_of)  # type: ignore[arg-type]
        self._asked[first] += 1
        repeat = self._asked[first] - 1
        return call_key(model, request, repeat=repeat, **repeat_of) if repeat else first  # type: ignore[arg-type]
