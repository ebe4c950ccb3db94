"""What a run would take, before it is started: calls, tokens, money and time."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Avg

from campaigns.models import Campaign, CampaignUnit
from corpus.models import Unit
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput
from judges.backends.messages import sounds_in
from judges.cases.case import case_of
from judges.cases.feature_lookup import kept
from judges.cases.few_shot import Examples
from judges.kinds import KINDS
from judges.kinds.contract import Case, Feature, Shot, Sound
from judges.language_models.calls.stored import LETTERS_PER_TOKEN, TOKENS_PER_SECOND
from judges.language_models.prices import cost, price_of
from judges.models import Call, Judge, Run, Verdict
from judges.runs.lifecycle import orders_of, slots_in, verdicts_wanted

LOOKED_AT = 5
#: Where a model was never asked: a reply's length, and how long it takes.
USUAL_TOKENS_OUT, USUAL_SECONDS = 300, 5.0
#: Where nothing is measured yet, and so no prompt can be rendered: the length of one.
USUAL_TOKENS_IN = 2_000
SECONDS_WITHOUT_MODEL = 1.0


@dataclass(frozen=True)
class Estimate:
    """`cost_usd` is None where no price is named; `from_experience`: time and replies are as they were before."""

    verdicts: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: Decimal | None
    time: timedelta
    from_experience: bool
    looked_at: int


class _Trying:
    """Tools that call no model: they count the requests, and reply with something of the right shape."""

    def __init__(self, names: tuple[str, ...], run: Run) -> None:
        self.asked: list[JudgeInput] = []
        self.unit: Unit | None = None
        self._names, self._examples = names, Examples(run)

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        self.asked.append(wanted)
        return JudgeOutput(raw="{}", status="ok", data=_something(wanted.schema), model="nobody")

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        return kept(sound, self._names)

    def shots(self, _case: Case, n: int, /) -> tuple[Shot, ...]:
        return self._examples.beside(self.unit, n) if self.unit else ()


def estimate(campaign: Campaign, judge: Judge, run: Run) -> Estimate:
    """What `run`, which need not be saved, would take. Renders the prompts of a few units and calls no model."""
    wanted = verdicts_wanted(campaign, orders=run.orders, samples=run.samples)
    asked, looked_at = _asked(campaign, judge, run)
    per_verdict = len(asked) / looked_at if looked_at else 0.0
    calls = round(wanted * per_verdict)
    tokens_in = round(sum(tokens_of(one) for one in asked) / looked_at * wanted) if looked_at else 0
    if not asked and KINDS[judge.kind].asks_model:
        calls = wanted * KINDS[judge.kind].calls(campaign.protocol, judge.settings)
        tokens_in = calls * USUAL_TOKENS_IN
    sound = sum(audio_tokens_of(one) for one in asked) / looked_at * wanted if looked_at else 0
    seen = _experience(judge)
    tokens_out = round(calls * (seen["out"] or USUAL_TOKENS_OUT))
    model = judge.language_model
    return Estimate(
        verdicts=wanted,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost(price_of(model), tokens_in=tokens_in, tokens_out=tokens_out, audio_in=round(sound))
        if model
        else Decimal(0),
        time=_time(judge, wanted, calls, tokens_in + tokens_out, seen["seconds"] or USUAL_SECONDS),
        from_experience=seen["seconds"] is not None,
        looked_at=looked_at,
    )


def tokens_of(wanted: JudgeInput) -> int:
    """About how many tokens a question has: four letters make one, and a second of sound 32."""
    return round(_letters(wanted.messages) / LETTERS_PER_TOKEN + audio_tokens_of(wanted))


def audio_tokens_of(wanted: JudgeInput) -> float:
    """About how many of them are sound."""
    return sum(sound.seconds for sound in sounds_in(wanted.messages)) * TOKENS_PER_SECOND


def _asked(campaign: Campaign, judge: Judge, run: Run) -> tuple[list[JudgeInput], int]:
    kind = KINDS[judge.kind]
    if not kind.asks_model:
        return [], 0
    study = CampaignUnit.objects.filter(campaign=campaign, purpose=CampaignUnit.Purpose.STUDY)
    units = Unit.objects.filter(pk__in=study.values("unit")).select_related("item").order_by("pk")[:LOOKED_AT]
    tools = _Trying(kind.features, run)
    for unit in units:
        case = case_of(campaign, unit, order=orders_of(slots_in(unit), run.orders)[0])
        before, tools.unit = len(tools.asked), unit
        with suppress(JudgeError, ValueError, LookupError, OSError):  # what it asked until then is known
            kind.judge(case, judge.settings, tools)
        missing = kind.calls(case.protocol, judge.settings) - (len(tools.asked) - before)
        if missing > 0 and len(tools.asked) > before:
            tools.asked.extend([tools.asked[-1]] * missing)
    return tools.asked, len(units)


def _experience(judge: Judge) -> dict[str, float | None]:
    rows = Call.objects.filter(language_model=judge.language_model).exclude(status=Verdict.Status.ERROR)
    recent = rows.filter(pk__in=list(rows.order_by("-pk").values_list("pk", flat=True)[:100]))
    return recent.aggregate(out=Avg("tokens_out"), seconds=Avg("seconds")) if judge.language_model else {
        "out": None, "seconds": None,
    }  # fmt: skip


def _time(judge: Judge, verdicts: int, calls: int, tokens: int, seconds: float) -> timedelta:
    """By how many calls may be under way, and by the model's limits."""
    if (model := judge.language_model) is None:
        return timedelta(seconds=verdicts * SECONDS_WITHOUT_MODEL)
    needed = [calls * seconds / max(model.at_once, 1)]
    if model.requests_per_minute:
        needed.append(calls / model.requests_per_minute * 60)
    if model.tokens_per_minute:
        needed.append(tokens / model.tokens_per_minute * 60)
    return timedelta(seconds=max(needed))


def _something(schema: Mapping[str, Any]) -> Any:
    """The simplest value of this JSON Schema."""
    if choices := schema.get("enum"):
        return choices[0]
    match schema.get("type"):
        case "object":
            return {name: _something(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return []
        case "number" | "integer":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return ""


def _letters(value: Any) -> int:
    """Letters of text in messages; sound has none."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    return sum(_letters(part) for part in value) if isinstance(value, list | tuple) else 0
