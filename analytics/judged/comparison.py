"""Judges against people: every judge, annotator and imported label set beside one reference, aspect by aspect.

A missing answer counts: it is wrong where shares are taken, and a label of its own that agrees with nothing in κ,
unless something else was chosen (`counting`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
from infrastructure.wording.phrases import phrased
from judges.models import Run, Verdict
from protocols import Aspect
from stats import reasons
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
from stats.judges.judged import against_the_others, majority, with_no_answer
from stats.results import Estimate

SEED = 20_240_601
RESAMPLES = 1_000
TO_DO = Verdict.Status.WAITING
#: Where a place has no verdict at all.
NOT_JUDGED = "not_judged"
INCONSISTENT = "inconsistent"
NO_ANSWERS = reasons.NO_ANSWER_TO_THESE()
Ties = Literal["typed", "untyped", ""]


@dataclass(frozen=True)
class Measured:
    """One rater on one aspect: κ first. `missing` says how many answers are not there, by what became of them.

    `gain` is the accuracy above always giving the reference's most frequent label, on the same resamples of units.
    What is `to_do`, or was left so when the run was `cancelled`, counts nowhere. `inconsistent` is of `both` places
    that were judged in both orders. With `ties_merged`, one side has ties without a type, and those of the other were
    taken as such.
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

    @property
    def n_missing(self) -> int:
        return sum(n for _, n in self.missing)


@dataclass(frozen=True)
class RaterRow:
    """`kind` is `humans` (each person against the others), `people` or `set` (together), `rater`, `labels` or
    `judge`."""

    key: str
    kind: str
    title: str
    by_aspect: dict[str, Measured]
    run: int | None = None
    state: str = ""
    usd_per_1000: float | None = None
    seconds_per_1000: float | None = None
    refused: str = ""


@dataclass(frozen=True)
class Baselines:
    """What chance and the most frequent label alone would reach, and which label that is."""

    random: Estimate
    majority: Estimate
    label: str


@dataclass(frozen=True)
class Comparison:
    """`reference` is a key of `references`, which has every group that could be one, with its title."""

    reference: str
    references: tuple[tuple[str, str], ...]
    aspects: tuple[str, ...]
    rows: tuple[RaterRow, ...]
    baselines: dict[str, Baselines]
    n_units: int
    n_runs: int


def compared_aspects(arrays: LabelArrays) -> list[Aspect]:
    """Those that are chosen and not written, the overall one first."""
    chosen = [replace(it, title=phrased(it.title)) for it in arrays.campaign.protocol.counted_aspects]
    return sorted(chosen, key=lambda aspect: aspect.name != "overall")


def compare(arrays: LabelArrays, reference: str = "", counting: Counting = AS_USUAL) -> Comparison:
    """Compare everybody with the reference of this name, else with the campaign's people, else the first labels."""
    chosen = reference_group(arrays, reference)
    sides = sides_of(arrays, chosen, counting)
    return Comparison(
        reference=chosen.key if chosen else "",
        references=tuple((group.key, group.title) for group in arrays.groups),
        aspects=tuple(aspect.name for aspect in compared_aspects(arrays)),
        rows=(*_rows(arrays, chosen, sides), *_rater_rows(arrays, chosen, sides)) if chosen else (),
        baselines={name: side.baselines() for name, side in sides.items()},
        n_units=len(arrays.units),
        n_runs=len(arrays.runs),
    )


def by_kappa(rows: Iterable[RaterRow], aspect: str) -> list[RaterRow]:
    """By κ on the aspect, the highest first, and last those that have none."""

    def place(row: RaterRow) -> tuple[bool, float]:
        found = row.by_aspect.get(aspect)
        kappa = found.kappa.estimate if found and not row.refused else None
        return kappa is None, -(kappa or 0.0)

    return sorted(rows, key=place)


def reference_group(arrays: LabelArrays, reference: str) -> Group | None:
    """The group of this key, else the campaign's people, else the first labels; None without any answers."""
    groups = {group.key: group for group in arrays.groups}
    return groups.get(reference) or next(iter(arrays.groups), None)


#: A reference without raters.
NOBODY = Group("", "", ())


def sides_of(arrays: LabelArrays, reference: Group | None, counting: Counting = AS_USUAL) -> "dict[str, Side]":
    """Every compared aspect with this reference, by name."""
    aspects = compared_aspects(arrays) if reference else []
    return {aspect.name: Side(arrays, aspect, reference, counting) for aspect in aspects if reference}


def together_rows(arrays: LabelArrays, reference: Group, sides: "dict[str, Side]") -> tuple[RaterRow, ...]:
    """People each against the others, every judge, and the groups that are not the reference, each as one."""
    return tuple(_rows(arrays, reference, sides))


@dataclass(frozen=True, eq=False)
class Cast:
    """A judge's votes on one aspect: a code each or MISSING, the place that it is about, and whether it counts.

    Those that are `silent` say nothing, and would count if they did.
    """

    codes: Ints
    at: Ints
    counts: Bools
    silent: Bools


class Side:
    """One aspect with its reference: what everybody is compared with, and how answers count."""

    def __init__(self, arrays: LabelArrays, aspect: Aspect, group: Group, counting: Counting = AS_USUAL) -> None:
        self.aspect, self.title, self.scale, self.group = aspect.name, aspect.title, aspect.scale, group
        self.counting = counting
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
        asked, at = self.asked(run), np.arange(len(self.places))
        if self.counting.differ == TWO:
            ways, heard = answers_each_way(run, self.aspect, self.places, self.categories)
            codes, at = ways.reshape(-1), np.tile(at, 2)
            counts = np.tile(asked, 2) & np.repeat(heard, len(self.places))
        else:
            codes, counts = self.answers(run).codes, asked
        silent = counts & (codes < 0)
        if self.counting.missing == LEFT_OUT:
            counts = counts & ~silent
        if self.counting.ties == WINNERS:
            counts = counts & ~self._is_tie(codes)
        return Cast(codes, at, counts, silent)

    def beside(self, run: JudgeRun) -> tuple[Ints, Ints]:
        """The votes that count beside the reference, shape (votes, 2), and the place of each."""
        cast = self.cast(run)
        at = cast.at[cast.counts]
        return np.stack([cast.codes[cast.counts], self.reference[at]], axis=1), at

    def without_ties(self, reference: Ints) -> Ints:
        """The same, with nothing where people's label is left out."""
        dropped = {OUT: None, WINNERS: None, BOTH_GOOD: {BOTH_GOOD}, BOTH_BAD: {BOTH_BAD}}
        if self.counting.ties not in dropped:
            return reference
        return np.where(self._is_tie(reference, dropped[self.counting.ties]), MISSING, reference)

    def _is_tie(self, codes: Ints, which: set[str] | None = None) -> Bools:
        those = [at for at, label in enumerate(self.categories) if label in (which or TIES)]
        return np.isin(codes, those)

    def compared(self, codes: Ints, at: Ints) -> Bools:
        """Which rows of people's labels, shape (rows, 2), count; `at` has their places."""
        found: Bools = (codes[:, 0] >= 0) & (self.without_ties(codes[:, 1]) >= 0) & self.over[at]
        return found & ~self._is_tie(codes[:, 0]) if self.counting.ties == WINNERS else found

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

    def measure(self, codes: Ints, units: Ints, *, ties: Ties, of_judge: bool = False) -> Measured:
        """κ, accuracy and gain of labels beside their reference, shape (places, 2), over places of these units.

        `ties` are those that the labels could have. Where those of the reference are of the other kind, neither side
        has a type.
        """
        merged = self._mixed(ties, of_judge=of_judge)
        table = LabelTable(codes, self.categories)
        table = merged_ties(table) if merged else table
        bootstrap = _bootstrap(units)
        constant = np.full(table.n_units, self.most_frequent(table.codes[:, 1]))
        three = np.column_stack([table.codes[:, 0], constant, table.codes[:, 1]])
        return Measured(
            kappa=cohen_kappa(with_no_answer(table), bootstrap=_bootstrap(units)),
            accuracy=accuracy(table, bootstrap=bootstrap, unanswered=self.unanswered),
            gain=accuracy_difference(
                LabelTable(three, table.categories), bootstrap=_bootstrap(units), unanswered=self.unanswered
            ),
            ties_merged=merged,
        )


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


def _rows(arrays: LabelArrays, reference: Group, sides: dict[str, Side]) -> Iterator[RaterRow]:
    if len(reference.raters) > 1:
        yield RaterRow("humans", "humans", reference.title, {name: _humans(side) for name, side in sides.items()})
    for run in arrays.runs:
        yield _judge_row(run, sides)
    for group in arrays.groups:
        if group.key != reference.key and len(group.raters) > 1:
            kind = "people" if not group.title else "set"
            yield RaterRow(
                group.key, kind, group.title, {name: _together(side, group) for name, side in sides.items()}
            )


def _rater_rows(arrays: LabelArrays, reference: Group, sides: dict[str, Side]) -> Iterator[RaterRow]:
    for group in arrays.groups:
        if group.key == reference.key and len(group.raters) == 1:
            continue  # no rater is compared with itself
        for place, rater in enumerate(group.raters):
            found = {name: _rater(side, group, place) for name, side in sides.items()}
            yield RaterRow(rater.key, "rater" if group.key == PEOPLE else "labels", rater.title, found)


def _humans(side: Side) -> Measured:
    found = against_the_others(side.people)
    return _only_compared(side, found.table.codes, found.units, side.reference_ties)


def _together(side: Side, group: Group) -> Measured:
    own = majority(side.table([rater.said.get(side.people_aspect, {}) for rater in group.raters]))
    places = np.arange(len(side.places))
    return _only_compared(side, np.stack([own, side.reference], axis=1), places, side.ties_of(group))


def _rater(side: Side, group: Group, place: int) -> Measured:
    """A person is compared with the others where they are part of the reference."""
    if group.key == side.group.key:
        found = against_the_others(side.people, place)
        return _only_compared(side, found.table.codes, found.units, side.reference_ties)
    own = side.table([group.raters[place].said.get(side.people_aspect, {})]).codes[:, 0]
    places = np.arange(len(side.places))
    return _only_compared(side, np.stack([own, side.reference], axis=1), places, side.ties_of(group))


def _only_compared(side: Side, codes: Ints, places: Ints, ties: Ties) -> Measured:
    """Of people: what they were never asked about is nothing that they failed to answer."""
    both = side.compared(codes, places)
    return side.measure(codes[both], side.units[places[both]], ties=ties)


def _judge_row(run: JudgeRun, sides: dict[str, Side]) -> RaterRow:
    return RaterRow(
        key=f"run-{run.run.pk}",
        kind="judge",
        title=run.run.judge.title,
        by_aspect={name: measure_judge(side, run) for name, side in sides.items()},
        run=run.run.pk,
        state=run.run.status,
        usd_per_1000=run.per_thousand(run.cost_usd),
        seconds_per_1000=run.per_thousand(run.seconds),
    )


def measure_judge(side: Side, run: JudgeRun) -> Measured:
    said, unsaid, asked = side.answers(run), side.to_do(run), side.asked(run)
    codes, at = side.beside(run)
    found = side.measure(codes, side.units[at], ties=side.ties_asked, of_judge=True)
    cast = side.cast(run)
    n_unsaid, cancelled = int((unsaid & (side.reference >= 0)).sum()), run.run.status == Run.Status.CANCELLED
    if len(codes) and not (codes[:, 0] >= 0).any():
        found = replace(found, kappa=Estimate(None, 0, found.kappa.method, reason=NO_ANSWERS))
    return replace(
        found,
        missing=_why_missing(side, run, cast.at[cast.silent], said.inconsistent),
        to_do=0 if cancelled else n_unsaid,
        cancelled=n_unsaid if cancelled else 0,
        inconsistent=int((said.inconsistent & asked).sum()),
        both=int((said.both & asked).sum()),
    )


def _why_missing(side: Side, run: JudgeRun, silent: Ints, inconsistent: Bools) -> tuple[tuple[str, int], ...]:
    """How many answers are not there, by why: the worst that became of the verdicts on that unit."""
    counts: dict[str, int] = {}
    for at in silent.tolist():
        unit = side.places[at][0]
        states = [state for state in run.states.get(unit, ()) if state in Verdict.MISSING]
        why = INCONSISTENT if inconsistent[at] else states[0] if states else NOT_JUDGED
        counts[why] = counts.get(why, 0) + 1
    return tuple(sorted(counts.items()))
