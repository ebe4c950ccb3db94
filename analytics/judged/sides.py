"""One aspect with its reference: how labels are compared with it, and how answers count."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from analytics.data.label_arrays import (
    PEOPLE,
    Group,
    JudgeRun,
    LabelArrays,
    Place,
    Together,
    answers_each_way,
    answers_of,
    table_of,
)
from analytics.judged.counting import (
    AS_USUAL,
    BOTH_BAD,
    BOTH_GOOD,
    HALF,
    JUDGED,
    LEFT_OUT,
    OUT,
    TIE,
    TWO,
    WINNERS,
    Counting,
    asked_of_people,
)
from analytics.judged.looks import ONE_LOOK, Looks
from judges.models import Verdict
from protocols import Aspect
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import MISSING, TIES, LabelTable, merged_ties
from stats.arrays import Bools, Ints
from stats.intervals import Bootstrap
from stats.judges.comparison import (
    Unanswered,
    accuracy,
    accuracy_difference,
    majority_baseline,
    random_baseline,
)
from stats.judges.judged import ByLabel, Without, by_label, majority, with_no_answer, without_each
from stats.judges.watched import (
    Beside,
    accuracy_influence,
    at_every_look,
    figure_spread,
    gain_influence,
    kappa_influence,
)
from stats.results import Estimate

SEED = 20_240_601
RESAMPLES = 1_000
TO_DO = Verdict.Status.WAITING
Ties = Literal["typed", "untyped", ""]
#: A reference without raters.
NOBODY = Group("", "", ())


@dataclass(frozen=True)
class Measured:
    """One rater on one aspect: κ first. `missing` says how many answers are not there, by what became of them.

    `gain` is the accuracy above always giving the reference's most frequent label, on the same resamples of units.
    What is `to_do`, or was left so when the run was `cancelled`, counts nowhere. `inconsistent` is of `both` places
    that were judged in both orders. With `ties_merged`, one side has ties without a type, and those of the other were
    taken as such. `planned` are the same figures with intervals for one look, where the size was planned.
    """

    kappa: Estimate
    accuracy: Estimate
    gain: Estimate
    missing: tuple[tuple[str, int], ...] = ()
    to_do: int = 0
    cancelled: int = 0
    inconsistent: int = 0
    both: int = 0
    ties_merged: bool = False
    planned: "Measured | None" = None

    @property
    def n_missing(self) -> int:
        return sum(n for _, n in self.missing)


@dataclass(frozen=True)
class Baselines:
    """What chance and the most frequent label alone would reach, and which label that is."""

    random: Estimate
    majority: Estimate
    label: str


@dataclass(frozen=True, eq=False)
class Cast:
    """A judge's votes on one aspect: a code each or MISSING, the place that it is about, and whether it counts.

    Those that are `silent` say nothing, and would count if they did. Those that are `undecided` would count if people
    had a label that most of them gave.
    """

    codes: Ints
    at: Ints
    counts: Bools
    silent: Bools
    undecided: Bools


@dataclass(frozen=True, eq=False)
class Pairs:
    """Labels beside a reference, codes of shape (rows, 2), at these places; the reference may be MISSING.

    `raters` has, where the labels are of raters of the reference, which of them each is of.
    """

    codes: Ints
    places: Ints
    raters: Ints | None = None

    def where(self, rows: Bools) -> "Pairs":
        raters = None if self.raters is None else self.raters[rows]
        return Pairs(self.codes[rows], self.places[rows], raters)


class Side:
    """One aspect with its reference: what everybody is compared with, and how answers count."""

    def __init__(
        self,
        arrays: LabelArrays,
        aspect: Aspect,
        group: Group,
        counting: Counting = AS_USUAL,
        looks: Looks = ONE_LOOK,
    ) -> None:
        self.aspect, self.title, self.scale, self.group = aspect.name, aspect.title, aspect.scale, group
        self.counting, self.looks = counting, looks
        self._answers: dict[int, Together] = {}
        self._cast: dict[int, Cast] = {}
        of_people = asked_of_people(arrays.campaign.protocol, aspect, counting)
        self.people_aspect = of_people.name
        self.categories, self.places = _frame(arrays, aspect, of_people)
        self.ties_asked, self.people_ties = _ties(aspect.scale.kind.values), _ties(of_people.scale.kind.values)
        if counting.differ == TIE:  # what two orders leave open has no type
            self.categories = tuple(dict.fromkeys((*self.categories, TIE)))
        self.reference_ties = self.ties_of(group)
        self.people = self.table([rater.said.get(self.people_aspect, {}) for rater in group.raters])
        self.reference = self.without_ties(majority(self.people))
        self.units = np.array([unit for unit, _ in self.places], dtype=np.int64)
        asked = {unit for run in arrays.runs for unit in run.states} if counting.over == JUDGED else set(arrays.units)
        self.over = np.array([unit in asked for unit, _ in self.places], dtype=bool)

    def table(self, columns: list[dict[Place, str]]) -> LabelTable:
        return table_of(columns, self.places, self.categories)

    def ties_of(self, group: Group) -> Ties:
        """The ties that the protocol offered to people, or those that occur in imported labels."""
        return self.people_ties if group.key == PEOPLE else _ties(_values(group, self.people_aspect))

    def answers(self, run: JudgeRun) -> Together:
        """What the run says of each place, in all orders and samples together."""
        if run.run.pk not in self._answers:
            found = answers_of(run, self.aspect, self.places, self.categories)
            if self.counting.differ == TIE:
                found = replace(found, codes=np.where(found.inconsistent, self.categories.index(TIE), found.codes))
            self._answers[run.run.pk] = found
        return self._answers[run.run.pk]

    def cast(self, run: JudgeRun) -> Cast:
        """The run's votes: one on each place, or one in each order, those as stored first."""
        if run.run.pk not in self._cast:
            self._cast[run.run.pk] = self._votes(run)
        return self._cast[run.run.pk]

    def _votes(self, run: JudgeRun) -> Cast:
        asked, at = ~self.to_do(run), np.arange(len(self.places))
        if self.counting.differ == TWO:
            ways, heard = answers_each_way(run, self.aspect, self.places, self.categories)
            codes, at = ways.reshape(-1), np.tile(at, 2)
            counts = np.tile(asked, 2) & np.repeat(heard, len(self.places))
        else:
            codes, counts = self.answers(run).codes, asked
        decided = (self.reference >= 0)[at]
        silent = counts & (codes < 0) & decided
        if self.counting.missing == LEFT_OUT:
            counts = counts & (codes >= 0)
        if self.counting.ties == WINNERS:
            counts = counts & ~self._is_tie(codes)
        return Cast(codes, at, counts & decided, silent, counts & ~decided & self._labelled[at])

    def beside(self, run: JudgeRun) -> tuple[Ints, Ints]:
        """The votes that count beside the reference, shape (votes, 2), and the place of each."""
        cast = self.cast(run)
        at = cast.at[cast.counts]
        return np.stack([cast.codes[cast.counts], self.reference[at]], axis=1), at

    def around(self, run: JudgeRun) -> Pairs:
        """The same with those on which people are undecided."""
        cast = self.cast(run)
        rows = cast.counts | cast.undecided
        at = cast.at[rows]
        return Pairs(np.stack([cast.codes[rows], self.reference[at]], axis=1), at)

    @cached_property
    def _labelled(self) -> Bools:
        """The places that people labelled."""
        return np.asarray(self._labels.counts.any(axis=1))

    @cached_property
    def _without(self) -> Without:
        """People's label of each place without each person."""
        return without_each(self.people, labels=self._labels)

    @cached_property
    def _labels(self) -> ByLabel:
        return by_label(self.people)

    def without_ties(self, reference: Ints) -> Ints:
        """The same, with nothing where people's label is left out."""
        dropped = {OUT: None, WINNERS: None, BOTH_GOOD: {BOTH_GOOD}, BOTH_BAD: {BOTH_BAD}}
        if self.counting.ties not in dropped:
            return reference
        return np.where(self._is_tie(reference, dropped[self.counting.ties]), MISSING, reference)

    def _is_tie(self, codes: Ints, which: set[str] | None = None) -> Bools:
        those = [at for at, label in enumerate(self.categories) if label in (which or TIES)]
        return np.isin(codes, those)

    def compared(self, said: Pairs) -> Pairs:
        """The rows of people's labels that count, or would if the others had a label that most of them gave."""
        own, reference = said.codes.T
        found: Bools = (own >= 0) & self.over[said.places]
        if self.counting.ties == WINNERS:
            found = found & ~self._is_tie(own)
        return replace(said, codes=np.stack([own, self.without_ties(reference)], axis=1)).where(found)

    def to_do(self, run: JudgeRun) -> Bools:
        """The places of units on which the run still has something to say."""
        waiting = {unit for unit, states in run.states.items() if TO_DO in states}
        return np.array([unit in waiting for unit, _ in self.places], dtype=bool)

    def asked(self, run: JudgeRun) -> Bools:
        """The places that count for the run: they have a reference, and its verdicts are in."""
        return np.asarray((self.reference >= 0) & ~self.to_do(run))

    @property
    def merges_ties(self) -> bool:
        """Whether judges and reference have ties of different kinds, so that neither side's have a type."""
        return self._mixed(self.ties_asked, of_judge=True)

    def _mixed(self, ties: Ties, *, of_judge: bool) -> bool:
        """Whether labels with such ties and the reference do not have the same kind of them."""
        kinds = {ties, self.reference_ties, *(("untyped",) if of_judge and self.counting.differ == TIE else ())}
        return {"typed", "untyped"} <= kinds

    def labels(self, codes: Ints) -> LabelTable:
        """A table of judges, people and the reference, ties merged where the two sides' differ."""
        table = LabelTable(codes, self.categories)
        return merged_ties(table) if self.merges_ties else table

    @property
    def unanswered(self) -> Unanswered:
        """What a missing answer is worth among those that count."""
        return "half" if self.counting.missing == HALF else "wrong"

    def bootstrap(self, used: Bools | Ints) -> Bootstrap:
        """For a table of these places."""
        return _bootstrap(self.units[used])

    def baselines(self) -> Baselines:
        other = {"typed": ("tie",), "untyped": ("both_good", "both_bad")}.get(self.reference_ties, ())
        reference = self.reference[self.over]
        column = LabelTable(reference[:, np.newaxis], self.categories).recoded(dict.fromkeys(other))
        label = self.most_frequent(reference)
        return Baselines(
            random_baseline(column), majority_baseline(column), "" if label < 0 else self.categories[label]
        )

    def most_frequent(self, reference: Ints) -> int:
        """The code of the most frequent label of the reference, MISSING where it has none."""
        counts = np.bincount(reference[reference >= 0], minlength=len(self.categories))
        return int(counts.argmax()) if counts.sum() else MISSING

    def measure(self, said: Pairs, *, ties: Ties, of_judge: bool = False) -> Measured:
        """κ, accuracy and gain of labels beside their reference; those without one say what a person changes.

        `ties` are those that the labels could have. Where those of the reference are of the other kind, neither side
        has a type.
        """
        counted = said.where(said.codes[:, 1] >= 0)
        merged = self._mixed(ties, of_judge=of_judge)
        if not self.looks.every:
            return self._once(counted, merged)
        found = self._watched(said, counted, merged)
        return replace(found, planned=self._once(counted, merged)) if self.looks.planned else found

    def _once(self, said: Pairs, merged: bool) -> Measured:
        """With intervals for one look."""
        units = self.units[said.places]
        return self._figures(said, merged, tuple(_bootstrap(units) for _ in range(3)))

    def _watched(self, said: Pairs, counted: Pairs, merged: bool) -> Measured:
        """With intervals that hold at every look."""
        found = self._figures(counted, merged, (None, None, None))
        if not len(counted.codes):
            return found
        beside, constant = self.beside_people(said, merged=merged), self._constant(self._table(counted, merged))
        influences = (kappa_influence, accuracy_influence(self.unanswered), gain_influence(constant, self.unanswered))
        kappa, right, gain = (
            replace(it, interval=None)
            if it.estimate is None
            else at_every_look(it, figure_spread(beside, influence), low=low, high=1.0)
            for it, influence, low in zip(
                (found.kappa, found.accuracy, found.gain), influences, (-1.0, 0.0, -1.0), strict=True
            )
        )
        return replace(found, kappa=kappa, accuracy=right, gain=gain)

    def _figures(self, said: Pairs, merged: bool, bootstraps: tuple[Bootstrap | None, ...]) -> Measured:
        table = self._table(said, merged)
        of_kappa, of_accuracy, of_gain = bootstraps
        constant = np.full(table.n_units, self._constant(table))
        three = LabelTable(np.column_stack([table.codes[:, 0], constant, table.codes[:, 1]]), table.categories)
        return Measured(
            kappa=cohen_kappa(with_no_answer(table), bootstrap=of_kappa),
            accuracy=accuracy(table, bootstrap=of_accuracy, unanswered=self.unanswered),
            gain=accuracy_difference(three, bootstrap=of_gain, unanswered=self.unanswered),
            ties_merged=merged,
        )

    def _table(self, said: Pairs, merged: bool) -> LabelTable:
        table = LabelTable(said.codes, self.categories)
        return merged_ties(table) if merged else table

    def _constant(self, table: LabelTable) -> int:
        """The most frequent label of the reference, the second column."""
        return self.most_frequent(table.codes[:, 1])

    def beside_people(self, said: Pairs, *, merged: bool) -> Beside:
        """The labels with what of their reference each person decides."""
        table = self._table(said, merged)
        own, reference = table.codes.T
        if said.raters is None:
            without = self._without.at(said.places)
        else:
            without = without_each(self.people, said.places, said.raters, labels=self._labels)
        column = Pairs(self.without_ties(without.reference)[:, np.newaxis], without.rows)
        changed = replace(without, reference=self._table(column, merged).codes[:, 0])
        return Beside(own, reference, self.units[said.places], len(table.categories), changed)


def _frame(arrays: LabelArrays, aspect: Aspect, of_people: Aspect) -> tuple[tuple[str, ...], list[Place]]:
    """Labels and places of both aspects together, which mostly are one."""
    categories, places = arrays.categories(aspect), arrays.places(aspect.name)
    if of_people.name == aspect.name:
        return categories, places
    both = {*places, *arrays.places(of_people.name)}
    order = {unit: at for at, unit in enumerate(arrays.units)}
    named = tuple(dict.fromkeys((*categories, *arrays.categories(of_people))))
    return named, sorted(both, key=lambda place: (order[place[0]], place[1]))


def _ties(values: Iterable[str]) -> Ties:
    """Which ties there are among these values."""
    found = set(values)
    return "typed" if found & {"both_good", "both_bad"} else "untyped" if "tie" in found else ""


def _values(group: Group, aspect: str) -> set[str]:
    return {value for rater in group.raters for value in rater.said.get(aspect, {}).values()}


def _bootstrap(units: Ints) -> Bootstrap:
    """Whole units are drawn, with everything that was said about them."""
    several = len(np.unique(units)) < len(units)
    return Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=units if several else None)
