"""One label from the votes of several judges of the same pair, on any scale and with votes missing.

Three typed ties are fused as `protocols.fusion` has it; what both have they share.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from protocols.fusion import more_than_half

Rule = Literal["majority", "mean"]
#: The answer without a majority: the label of one vote, a label, the mean, or none.
Fallback = Literal["content", "both_bad", "mean", "none"]
TIES = ("both_good", "both_bad", "tie", "same")
#: Fewer votes than these are no ensemble.
LEAST_VOTES = 2


@dataclass(frozen=True)
class Combined:
    """The label, or None where the rule gives none; `by` is what decided it."""

    label: str | None
    by: str


def combined(votes: Mapping[str, str], *, rule: Rule, fallback: Fallback, offered: Collection[str]) -> Combined:
    """The votes by name, of those that voted, as one label of the scale.

    >>> votes = {"content": "1", "voice_quality": "2", "paralinguistics": "both_good"}
    >>> combined(votes, rule="majority", fallback="content", offered=("1", "2", "both_good", "both_bad"))
    Combined(label='1', by='content')
    """
    if len(votes) < LEAST_VOTES:
        return Combined(None, "fewer than two votes")
    if rule == "mean":
        return Combined(mean_label(votes.values(), offered), "mean")
    if (label := more_than_half(votes.values())) is not None:
        return Combined(label, "majority")
    if fallback == "mean":
        return Combined(mean_label(votes.values(), offered), "mean")
    if fallback == "content":
        return Combined(votes.get("content"), "content")
    return Combined("both_bad" if fallback == "both_bad" and "both_bad" in offered else None, fallback)


def mean_label(votes: Collection[str], offered: Collection[str]) -> str | None:
    """The mean of the votes (1 is 0, a tie ½, 2 is 1) as a label: below ½ it is 1, above ½ it is 2, at ½ a tie.

    That is how AudioJudge's ensemble over SpeakBench was computed (Table 8). Where ties have types, the tie is of
    the type that most tied votes have; without one there is no label.

    >>> mean_label(["1", "tie", "tie"], ("1", "2", "tie")), mean_label(["1", "2"], ("1", "2", "tie"))
    ('1', 'tie')
    """
    if not votes:
        return None
    mean = sum((_worth(vote) for vote in votes), Fraction(0)) / len(votes)
    if mean != Fraction(1, 2):
        return "1" if mean < Fraction(1, 2) else "2"
    ties = [one for one in TIES if one in offered]
    return ties[0] if len(ties) == 1 else more_than_half([vote for vote in votes if vote in ties])


def _worth(vote: str) -> Fraction:
    return {"1": Fraction(0), "2": Fraction(1)}.get(vote, Fraction(1, 2))
