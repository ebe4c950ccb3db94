"""Which labelled units may stand as examples beside a unit, and which of them do. Pure."""

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

#: Up to so many labels are used in turn; more are only counted, in their proportions.
BALANCED_UP_TO = 16


@dataclass(frozen=True)
class Candidate:
    """A labelled unit in the order in which it would be heard. `label` is the answer that matters most."""

    unit: int
    item: int
    clips: frozenset[int]
    order: str
    answers: Mapping[str, str]
    label: str


@dataclass(frozen=True)
class Guard:
    """What would tell on the unit at hand: itself, its item, its clips, and units that are held out."""

    unit: int
    item: int
    clips: frozenset[int]
    held_out: Collection[int] = frozenset()

    def lets(self, candidate: Candidate) -> bool:
        return not (
            candidate.unit == self.unit
            or candidate.item == self.item
            or candidate.clips & self.clips
            or candidate.unit in self.held_out
        )


def chosen(candidates: Iterable[Candidate], guard: Guard, n: int, *, seed: int) -> list[Candidate]:
    """At most `n` that the guard lets pass, each label in its turn; the same for the same seed.

    The order is drawn before the guard looks, so that almost every unit is judged beside the same examples.
    """
    rng = random.Random(seed)  # noqa: S311 - a shuffle, not a secret
    drawn = sorted(candidates, key=lambda one: one.unit)
    rng.shuffle(drawn)
    allowed = [one for one in drawn if guard.lets(one)]
    if n > BALANCED_UP_TO:
        return allowed[:n]
    by_label: dict[str, list[Candidate]] = {}
    for one in drawn:
        by_label.setdefault(one.label, [])
    for one in allowed:
        by_label[one.label].append(one)
    in_turn = (one for row in zip_longest(*by_label.values()) for one in row if one is not None)
    return [one for one, _ in zip(in_turn, range(n), strict=False)]
