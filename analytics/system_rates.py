"""How often systems win against one of them, by a judge's verdicts: of one aspect, or of several as one vote."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from analytics.label_arrays import JudgeRun, LabelArrays
from analytics.stats.judged import mean_vote, rates_against
from campaigns.models import Unit

#: What a label gives to a. Ties of any kind give half.
SCORES = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_good": 0.5, "both_bad": 0.5}


def ensemble_rates(
    arrays: LabelArrays, run: JudgeRun, *, aspects: Sequence[str], reference: str
) -> dict[str, Fraction | None]:
    """Each system's win rate against the reference, every verdict being a vote (AudioJudge §3 and Table 8).

    In each order, the labels of the aspects are one vote: their mean, where a tie is half, says who won. An aspect
    without an answer does not vote. Both orders of a unit are votes of their own. Raises KeyError for a reference
    that is not there.
    """
    pairs = Unit.objects.filter(pk__in=arrays.units, kind=Unit.Kind.PAIR)
    sides = {pk: (a, b) for pk, a, b in pairs.values_list("pk", "a__system__name", "b__system__name")}
    names = sorted({name for pair in sides.values() for name in pair})
    place = {name: at for at, name in enumerate(names)}
    rows = [(unit, said) for said in run.said.values() for unit in arrays.units if unit in sides]
    votes = np.array(
        [[SCORES.get(said.get(aspect, {}).get((unit, ""), ""), np.nan) for aspect in aspects] for unit, said in rows]
    ).reshape(len(rows), len(aspects))
    a, b = (np.array([place[sides[unit][side]] for unit, _ in rows], dtype=np.int64) for side in (0, 1))
    rates = rates_against(a, b, mean_vote(votes), reference=place[reference], n_systems=len(names))
    return dict(zip(names, rates, strict=True))
