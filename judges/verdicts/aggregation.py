"""One answer out of several: of samples by majority, of both orders by agreement. Values are in the stored frame."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

T = TypeVar("T")
#: `one`: there is an answer; `missing`: too little was read; `split`: samples are equally divided; `inconsistent`:
#: the answer hangs on the order in which the responses are heard.
State = Literal["one", "missing", "split", "inconsistent"]
#: The answers of one order, as many as there are samples; None where one is missing.
Samples = tuple[str | None, ...]


@dataclass(frozen=True)
class Reconciled:
    """An answer, or why there is none; `compared` where it was read in several orders."""

    state: State
    value: str | None = None
    compared: bool = False


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


@lru_cache(maxsize=4096)
def reconcile(orders: tuple[Samples, ...]) -> Reconciled:
    """Each order's majority; if they agree that, if they differ inconsistent, if one has no answer as that one.

    A judge that was asked in one order alone answers by that one (AudioJudge §6.3).

    >>> reconcile((("a",), ("a",))).value, reconcile((("a",), ("b",))).state, reconcile((("a",), (None,))).state
    ('a', 'inconsistent', 'missing')
    """
    found = [majority(samples) for samples in orders]
    states: set[State] = {one.state for one in found}
    if "missing" in states or not found:
        return Reconciled("missing")
    if "split" in states:
        return Reconciled("split")
    several = len(found) > 1
    if len({one.value for one in found}) > 1:
        return Reconciled("inconsistent", compared=several)
    return Reconciled("one", found[0].value, compared=several)


def as_stored(order: str) -> bool:
    """Whether the responses were heard in the order of their slots; of three or more, any other is turned round."""
    return order == "".join(sorted(order))


def by_order(said: Iterable[tuple[str, T]], *, both: bool) -> list[list[T]]:
    """Samples that come with the order in which each was heard: those as stored, and those turned round.

    In a run of both orders, one that was never heard has no sample; a single response is heard in both.

    >>> by_order([("ab", 1), ("ba", 2), ("ab", 3)], both=True), by_order([("ab", 1)], both=True)
    ([[1, 3], [2]], [[1], []])
    """
    found: dict[bool, list[T]] = {True: [], False: []} if both else {}
    for order, sample in said:
        for way in (True, False) if both and len(order) == 1 else (as_stored(order),):
            found.setdefault(way, []).append(sample)
    return list(found.values())


def tally(of_units: Iterable[tuple[Samples, ...]]) -> Tally:
    """How many units are of each state."""
    found = [reconcile(orders) for orders in of_units]
    return Tally(dict(Counter(one.state for one in found)), sum(one.compared for one in found))
