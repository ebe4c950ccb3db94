"""What a look found, kept as plain data, so that a page need not compute it again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from analytics.quality.evaluation import Evaluation
from analytics.quality.signals import Measurement
from campaigns.models import Membership
from campaigns.quality.rule import Rule
from infrastructure.wording.reasons import Reason


@dataclass(frozen=True)
class Kept:
    """One measurement as it was; `speaks` says whether the rule of that moment was crossed."""

    value: float | None
    n: int
    tolerated: float | None
    low: float | None
    high: float | None
    p: float | None
    evidence: float
    speaks: bool
    reason: Reason | None
    detail: Reason | None


def snapshot(members: Iterable[Membership], found: Evaluation, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """By signal and membership (its id as text, as JSON wants it)."""
    ids = [str(member.pk) for member in members]
    return {
        signal: {pk: _document(measured, rules[signal]) for pk, measured in zip(ids, measurements, strict=True)}
        for signal, measurements in found.items()
    }


def kept_of(found: Mapping[str, Any], signal: str) -> dict[int, Kept]:
    """What this signal said, by the membership's id."""
    return {int(pk): Kept(**document) for pk, document in found.get(signal, {}).items()}


def _document(measured: Measurement, rule: Rule) -> dict[str, Any]:
    interval = measured.interval
    return {
        "value": measured.value,
        "n": measured.n,
        "tolerated": measured.tolerated,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "p": measured.p,
        "evidence": measured.evidence,
        "speaks": measured.crosses(rule),
        "reason": measured.reason,
        "detail": measured.detail,
    }
