"""From two scores to an answer on any scale that compares two responses."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from infrastructure.wording.reasons import Reason
from judges import reasons
from protocols import Protocol, Question
from protocols.judging import as_judged

BOTH_GOOD, BOTH_BAD = "both_good", "both_bad"
#: What scales without types call a tie.
PLAIN_TIES = ("tie", "same")


@dataclass(frozen=True)
class Leaning:
    """What each response scores, in the order of the case, and whether it is acceptable.

    Scores that lie no further apart than `margin` are equal.
    """

    first: float
    second: float
    margin: float = 0.0
    first_acceptable: bool = True
    second_acceptable: bool = True

    @property
    def better(self) -> str:
        """`1`, `2`, or nothing where the two are equal."""
        if abs(self.first - self.second) <= self.margin:
            return ""
        return "1" if self.first > self.second else "2"

    @property
    def typed_tie(self) -> str:
        """By the paper's steps (TRACE/HCoT §3.2): who alone is acceptable is better, two bad ones are both bad."""
        if self.first_acceptable != self.second_acceptable:
            return "1" if self.first_acceptable else "2"
        if not self.first_acceptable:
            return BOTH_BAD
        return self.better or BOTH_GOOD


def answer_on(question: Question, leaning: Leaning, *, seed: int) -> str:
    """The answer of a scale that compares two responses; typed ties by the paper's steps (TRACE/HCoT §3.2).

    Where neither is better and the scale has no tie, the case's seed draws one of the two.

    >>> from protocols import SHIPPED, questions
    >>> overall = questions(SHIPPED["hcot"], 2)[-1]
    >>> answer_on(overall, Leaning(4.1, 4.0, margin=0.3), seed=0)
    'both_good'
    >>> answer_on(overall, Leaning(2.1, 4.0, margin=0.3, first_acceptable=False), seed=0)
    '2'
    """
    offered = question.kind.values
    if BOTH_GOOD in offered:
        return leaning.typed_tie
    if "0" in offered:
        return {"": "0", "1": "-1", "2": "1"}[leaning.better]
    tie = next((value for value in PLAIN_TIES if value in offered), "")
    return leaning.better or tie or str(np.random.default_rng(seed).integers(1, 3))


def unfit_unless_preferring(protocol: Protocol, names: Iterable[str] = ()) -> Reason | None:
    """Why a judge that only says which of two is better does not answer this protocol.

    With `names`, it has rules for aspects of these names alone.
    """
    if protocol.unit != "pair":
        return reasons.COMPARES_TWO()
    known = tuple(names)
    for aspect in as_judged(protocol).aspects:
        if aspect.scale.kind.is_written and not aspect.required:
            continue
        compares = aspect.scale.kind.compares and not aspect.per_response
        if not compares or (known and aspect.name not in known):
            return reasons.NO_RULE_FOR(title=aspect.title)
    return reasons.NO_ITEM_CRITERIA() if protocol.item_criteria else None
