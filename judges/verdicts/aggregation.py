"""One answer out of several: of samples by majority, of both orders by agreement. Values are in the stored frame."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: `one`: there is an answer; `missing`: too little was read; `split`: samples are equally divided; `inconsistent`:
#: the answer hangs on the order in which the responses are heard.
State = Literal["one", "missing", "split", "inconsistent"]


@dataclass(frozen=True)
class Reconciled:
    """An answer, or why there is none."""

    state: State
    value: str | None = None


@dataclass(frozen=True)
class Tally:
    """How many there are of each state; `compared` were read in both orders."""

    counts: Mapping[State, int]
    compared: int = 0

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def inconsistent_share(self) -> float | None:
        """Of what was read in both orders; undefined where nothing was."""
        return self.counts.get("inconsistent", 0) / self.compared if self.compared else None


def majority(values: Sequence[str | None]) -> Reconciled:
    """The value that most samples have. Missing ones have no vote; equally many votes are split, and no answer.

    >>> majority(["a", "b", "a"]).value, majority(["a", "b", None]).state, majority([None]).state
    ('a', 'split', 'missing')
    """
    votes = Counter(value for value in values if value is not None).most_common(2)
    if not votes:
        return Reconciled("missing")
    if len(votes) > 1 and votes[0][1] == votes[1][1]:
        return Reconciled("split")
    return Reconciled("one", votes[0][0])


def reconcile(samples_by_order: Mapping[str, Sequence[str | None]]) -> Reconciled:
    """Each order's majority; if they agree that, if they differ inconsistent, if one has no answer as that one.

    >>> reconcile({"ab": ["a"], "ba": ["a"]}).value, reconcile({"ab": ["a"], "ba": ["b"]}).state
    ('a', 'inconsistent')
    >>> reconcile({"ab": ["a"], "ba": [None]}).state
    'missing'
    """
    found = [majority(values) for values in samples_by_order.values()]
    for state in ("missing", "split"):
        if any(one.state == state for one in found) or not found:
            return Reconciled(state if found else "missing")
    if len({one.value for one in found}) > 1:
        return Reconciled("inconsistent")
    return found[0]


def tally(of_units: Iterable[Mapping[str, Sequence[str | None]]]) -> Tally:
    """How many units are of each state."""
    counts: Counter[State] = Counter()
    compared = 0
    for samples_by_order in of_units:
        state = reconcile(samples_by_order).state
        counts[state] += 1
        compared += len(samples_by_order) > 1 and state in ("one", "inconsistent")
    return Tally(dict(counts), compared)
