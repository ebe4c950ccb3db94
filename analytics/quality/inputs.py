"""The answers of one campaign as columns, for the signals. One row is one standing answer of one annotator."""

from dataclasses import dataclass, field

import numpy as np

from stats.arrays import Bools, Floats, Ints

STUDY = "study"
REPEAT = "repeat"


@dataclass(frozen=True, eq=False)
class Given:
    """Columns of the same length, in the order in which the answers were recorded.

    `value` is the main answer in the stored frame, as an index of `values`, -1 where there is none; `mirror` has the
    index that a value gets when the two sides are swapped. `turned` says that b was heard as 1. `took` and `audio`
    are seconds and `heard` is the share of the least heard response, NaN where unknown. `passed` is 1 or 0 for a
    check with an expected answer and -1 for everything else. `counts` marks the answers with which others are
    compared: used in the analysis, and of people who are not paused. `at` is when an answer was recorded, in seconds,
    and `origin` numbers the network addresses, -1 where none was noted.

    `a` and `b` are the places in `systems` of the two responses of a pair, -1 where there is none; `outcomes` has for
    each of the `values` what it says of them, as in `stats.ratings.votes` where a was presented first, and -1 where
    it does not say who is better.
    """

    n_raters: int
    values: tuple[str, ...]
    mirror: Ints
    sided: Bools
    rater: Ints
    unit: Ints
    purpose: np.ndarray[tuple[int], np.dtype[np.str_]]
    value: Ints
    turned: Bools
    took: Floats
    audio: Floats
    heard: Floats
    passed: Ints
    counts: Bools
    texts: tuple[str, ...]
    at: Floats = field(default_factory=lambda: np.zeros(0))
    origin: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    a: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    b: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    outcomes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    systems: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Unknown where times, origins and systems of answers were not recorded."""
        if len(self.at) != len(self.rater):
            object.__setattr__(self, "at", np.zeros(len(self.rater)))
        if len(self.origin) != len(self.rater):
            object.__setattr__(self, "origin", np.full(len(self.rater), -1))
        if len(self.a) != len(self.rater):
            object.__setattr__(self, "a", np.full(len(self.rater), -1))
            object.__setattr__(self, "b", np.full(len(self.rater), -1))
        if len(self.outcomes) != len(self.values):
            object.__setattr__(self, "outcomes", np.full(len(self.values), -1))

    @property
    def is_study(self) -> Bools:
        return np.asarray(self.purpose == STUDY)

    @property
    def shown(self) -> Ints:
        """The main answer as it stood on the screen, where `a` stands for 1."""
        swapped = np.where(self.value >= 0, self.mirror[self.value], -1)
        return np.where(self.turned, swapped, self.value)

    @property
    def standing(self) -> Bools:
        """Which annotators have answers that count."""
        return self.per_rater(self.counts) > 0

    def per_rater(self, which: Bools) -> Ints:
        """How many of these rows each annotator has."""
        return np.bincount(self.rater[which], minlength=self.n_raters)


@dataclass(frozen=True, eq=False)
class Others:
    """What everybody else said, about each unit and altogether, seen from one annotator.

    `on_unit` has, for each of the annotator's `rows`, how often the others gave each value there; `overall` how often
    they gave it anywhere.
    """

    rows: Ints
    on_unit: Floats
    overall: Floats

    @property
    def n_on_unit(self) -> Floats:
        return np.asarray(self.on_unit.sum(axis=1))


def others_of_each(given: Given) -> list[Others]:
    """For each annotator, the others' answers to the study's units. Answers that do not count are left out."""
    study = given.is_study & (given.value >= 0)
    _, unit = np.unique(given.unit, return_inverse=True)
    size = len(given.values)
    counted = study & given.counts
    cells = np.bincount(
        unit[counted] * size + given.value[counted], minlength=(unit.max(initial=-1) + 1) * size
    ).reshape(-1, size)
    seen = []
    for rater in range(given.n_raters):
        rows = np.flatnonzero(study & (given.rater == rater))
        on_unit = cells[unit[rows]].astype(float)
        mine = counted[rows]
        on_unit[np.flatnonzero(mine), given.value[rows[mine]]] -= 1
        own = np.bincount(given.value[rows[mine]], minlength=size)
        seen.append(Others(rows, on_unit, (cells.sum(axis=0) - own).astype(float)))
    return seen
