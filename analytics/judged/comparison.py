"""Judges against people: every judge, annotator and imported label set beside one reference, aspect by aspect.

A missing answer counts: it is wrong where shares are taken, and a label of its own that agrees with nothing in κ.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analytics.data.label_arrays import PEOPLE, Group, JudgeRun, LabelArrays, Place, Together, answers_of, table_of
from analytics.stats import reasons
from analytics.stats.agreement.coefficients import cohen_kappa
from analytics.stats.agreement.labels import MISSING, LabelTable, merged_ties
from analytics.stats.arrays import Bools, Ints
from analytics.stats.intervals import Bootstrap
from analytics.stats.judges.comparison import accuracy, accuracy_difference, majority_baseline, random_baseline
from analytics.stats.judges.judged import against_the_others, majority, with_no_answer
from analytics.stats.results import Estimate
from infrastructure.wording.phrases import phrased
from judges.models import Run, Verdict
from protocols import Aspect

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


def compare(arrays: LabelArrays, reference: str = "") -> Comparison:
    """Compare everybody with the reference of this name, else with the campaign's people, else the first labels."""
    chosen = reference_group(arrays, reference)
    sides = sides_of(arrays, chosen)
    return Comparison(
        reference=chosen.key if chosen else "",
        references=tuple((group.key, group.title) for group in arrays.groups),
        aspects=tuple(aspect.name for aspect in compared_aspects(arrays)),
        rows=(*_rows(arrays, chosen, sides), *_rater_rows(arrays, chosen, sides)) if chosen else (),
        baselines={name: side.baselines() for name, side in sides.items()},
        n_units=len(arrays.units),
        n_runs=len(arrays.runs),
    )


def reference_group(arrays: LabelArrays, reference: str) -> Group | None:
    """The group of this key, else the campaign's people, else the first labels; None without any answers."""
    groups = {group.key: group for group in arrays.groups}
    return groups.get(reference) or next(iter(arrays.groups), None)


def sides_of(arrays: LabelArrays, reference: Group | None) -> "dict[str, Side]":
    """Every compared aspect with this reference, by name."""
    aspects = compared_aspects(arrays) if reference else []
    return {aspect.name: Side(arrays, aspect, reference) for aspect in aspects if reference}


def together_rows(arrays: LabelArrays, reference: Group, sides: "dict[str, Side]") -> tuple[RaterRow, ...]:
    """People each against the others, every judge, and the groups that are not the reference, each as one."""
    return tuple(_rows(arrays, reference, sides))


class Side:
    """One aspect with its reference: what everybody is compared with."""

    def __init__(self, arrays: LabelArrays, aspect: Aspect, group: Group) -> None:
        self.aspect, self.title, self.scale, self.group = aspect.name, aspect.title, aspect.scale, group
        self._answers: dict[int, Together] = {}
        self.categories = arrays.categories(aspect)
        self.places = arrays.places(aspect.name)
        self.ties_asked = _ties(aspect.scale.kind.values)
        self.reference_ties = self.ties_of(group)
        self.people = self.table([rater.said.get(self.aspect, {}) for rater in group.raters])
        self.reference = majority(self.people)
        self.units = np.array([unit for unit, _ in self.places], dtype=np.int64)

    def table(self, columns: list[dict[Place, str]]) -> LabelTable:
        return table_of(columns, self.places, self.categories)

    def ties_of(self, group: Group) -> Ties:
        """The ties that the protocol offered to people, or those that occur in imported labels."""
        return self.ties_asked if group.key == PEOPLE else _ties(_values(group, self.aspect))

    def answers(self, run: JudgeRun) -> Together:
        """What the run says of each place, in all orders and samples together."""
        if run.run.pk not in self._answers:
            self._answers[run.run.pk] = answers_of(run, self.aspect, self.places, self.categories)
        return self._answers[run.run.pk]

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
        return {self.ties_asked, self.reference_ties} == {"typed", "untyped"}

    def labels(self, codes: Ints) -> LabelTable:
        """A table of judges, people and the reference, ties merged where the two sides' differ."""
        table = LabelTable(codes, self.categories)
        return merged_ties(table) if self.merges_ties else table

    def bootstrap(self, used: Bools) -> Bootstrap:
        """For a table of these places."""
        return _bootstrap(self.units[used])

    def baselines(self) -> Baselines:
        other = {"typed": ("tie",), "untyped": ("both_good", "both_bad")}.get(self.reference_ties, ())
        column = LabelTable(self.reference[:, np.newaxis], self.categories).recoded(dict.fromkeys(other))
        label = self.most_frequent(self.reference)
        return Baselines(
            random_baseline(column), majority_baseline(column), "" if label < 0 else self.categories[label]
        )

    def most_frequent(self, reference: Ints) -> int:
        """The code of the most frequent label of the reference, MISSING where it has none."""
        counts = np.bincount(reference[reference >= 0], minlength=len(self.categories))
        return int(counts.argmax()) if counts.sum() else MISSING

    def measure(self, codes: Ints, units: Ints, *, ties: Ties) -> Measured:
        """κ, accuracy and gain of labels beside their reference, shape (places, 2), over places of these units.

        `ties` are those that the labels could have. Where those of the reference are of the other kind, neither side
        has a type.
        """
        merged = {ties, self.reference_ties} == {"typed", "untyped"}
        table = LabelTable(codes, self.categories)
        table = merged_ties(table) if merged else table
        bootstrap = _bootstrap(units)
        constant = np.full(table.n_units, self.most_frequent(table.codes[:, 1]))
        three = np.column_stack([table.codes[:, 0], constant, table.codes[:, 1]])
        return Measured(
            kappa=cohen_kappa(with_no_answer(table), bootstrap=_bootstrap(units)),
            accuracy=accuracy(table, bootstrap=bootstrap),
            gain=accuracy_difference(LabelTable(three, table.categories), bootstrap=_bootstrap(units)),
            ties_merged=merged,
        )


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
    return _only_compared(side, found.table.codes, side.units[found.units], side.reference_ties)


def _together(side: Side, group: Group) -> Measured:
    own = majority(side.table([rater.said.get(side.aspect, {}) for rater in group.raters]))
    return _only_compared(side, np.stack([own, side.reference], axis=1), side.units, side.ties_of(group))


def _rater(side: Side, group: Group, place: int) -> Measured:
    """A person is compared with the others where they are part of the reference."""
    if group.key == side.group.key:
        found = against_the_others(side.people, place)
        return _only_compared(side, found.table.codes, side.units[found.units], side.reference_ties)
    own = side.table([group.raters[place].said.get(side.aspect, {})]).codes[:, 0]
    return _only_compared(side, np.stack([own, side.reference], axis=1), side.units, side.ties_of(group))


def _only_compared(side: Side, codes: Ints, units: Ints, ties: Ties) -> Measured:
    """Of people: what they were never asked about is nothing that they failed to answer."""
    both = (codes >= 0).all(axis=1)
    return side.measure(codes[both], units[both], ties=ties)


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
    codes = np.stack([said.codes, side.reference], axis=1)[asked]
    found = side.measure(codes, side.units[asked], ties=side.ties_asked)
    silent = asked & (said.codes < 0)
    n_unsaid, cancelled = int((unsaid & (side.reference >= 0)).sum()), run.run.status == Run.Status.CANCELLED
    if asked.any() and not (said.codes[asked] >= 0).any():
        found = replace(found, kappa=Estimate(None, 0, found.kappa.method, reason=NO_ANSWERS))
    return replace(
        found,
        missing=_why_missing(side, run, silent, said.inconsistent),
        to_do=0 if cancelled else n_unsaid,
        cancelled=n_unsaid if cancelled else 0,
        inconsistent=int((said.inconsistent & asked).sum()),
        both=int((said.both & asked).sum()),
    )


def _why_missing(side: Side, run: JudgeRun, silent: Bools, inconsistent: Bools) -> tuple[tuple[str, int], ...]:
    """How many answers are not there, by why: the worst that became of the verdicts on that unit."""
    counts: dict[str, int] = {}
    for at in np.flatnonzero(silent):
        unit = side.places[at][0]
        states = [state for state in run.states.get(unit, ()) if state in Verdict.MISSING]
        why = INCONSISTENT if inconsistent[at] else states[0] if states else NOT_JUDGED
        counts[why] = counts.get(why, 0) + 1
    return tuple(sorted(counts.items()))
