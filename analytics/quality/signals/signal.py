"""What a signal is, and what it says about one annotator."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import scipy

from analytics.quality import evidence, reasons
from analytics.quality.inputs import Given
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from stats.proportions import wilson
from stats.results import Interval


@dataclass(frozen=True)
class Measurement:
    """What a signal says of one annotator after `n` answers; `value` is None where it is undefined: `reason` why.

    `evidence` is an e-value against what is tolerated, good for looking again after every answer; `p` is the plain
    test of this one look, to be read and not to be acted on; `tolerated` is the value that would be all right.
    """

    value: float | None
    n: int
    tolerated: float | None = None
    evidence: float = 0.0
    p: float | None = None
    interval: Interval | None = None
    reason: Reason | None = None
    detail: Reason | None = None

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError("a signal is undefined, and nobody said why")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"a signal came out as {self.value}, which is neither a number nor a reason")

    def crosses(self, rule: Rule) -> bool:
        """Whether there is enough to say against this annotator. What is undefined says nothing."""
        return self.value is not None and self.n >= rule.minimum and self.evidence >= evidence.ENOUGH

    def is_within(self, *, low_is_bad: bool) -> bool:
        """Whether the value is all right by now, so that an earlier alarm is over."""
        if self.value is None or self.tolerated is None:
            return False
        return self.value >= self.tolerated if low_is_bad else self.value <= self.tolerated


#: Everybody's measurements at once, in the order of their index, given what is tolerated.
Measure = Callable[[Given, float], list[Measurement]]


@dataclass(frozen=True)
class Signal:
    """One thing that is watched. `place` orders signals on pages; `reason` is the code that a decision gets.

    Its name is stored in campaigns' rules and must not change. At `stage` 0 there is no comparison with others, or
    the signal itself chooses them; at a later one, the others are those against whom no signal of an earlier stage
    speaks. `in_arena` is what its default does in an arena instead: there are many votes, nobody is paid for them,
    and nobody has the time to look at each voter.
    """

    name: str
    place: int
    title: Phrase
    meaning: Phrase
    needs: Phrase
    reason: str
    default: Rule
    measure: Measure
    in_arena: Action | None = None
    stage: Literal[0, 1, 2] = 0
    unit: Literal["share", "ratio"] = "share"
    low_is_bad: bool = False

    def default_in(self, *, arena: bool) -> Rule:
        return replace(self.default, action=self.in_arena) if arena and self.in_arena else self.default


def undefined(reason: Reason, n: int = 0) -> Measurement:
    return Measurement(None, n, reason=reason)


def share_of_bad(bad: int, n: int, tolerated: float, *, none: Reason, detail: Reason | None = None) -> Measurement:
    """A share of bad answers with Wilson's interval and the exact test of this one look; undefined without any."""
    bad, n = int(bad), int(n)
    if not n:
        return undefined(none)
    return Measurement(
        value=bad / n,
        n=n,
        tolerated=tolerated,
        evidence=evidence.of_share(bad, n, tolerated),
        p=float(scipy.stats.binom.sf(bad - 1, n, tolerated)),
        interval=wilson(bad, n),
        detail=detail or reasons.BAD_OF(bad=bad, n=n),
    )
