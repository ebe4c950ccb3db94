"""Judges against people: every judge, annotator and imported label set beside one reference, aspect by aspect.

A missing answer counts: it is wrong where shares are taken, and a label of its own that agrees with nothing in κ,
unless something else was chosen (`counting`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from analytics.data.label_arrays import PEOPLE, Group, JudgeRun, LabelArrays
from analytics.judged.counting import AS_USUAL, Counting
from analytics.judged.differences import Difference, differences
from analytics.judged.looks import ONE_LOOK, Looks, looks_of
from analytics.judged.sides import Baselines, Measured, Pairs, Side, Ties
from infrastructure.wording.phrases import phrased
from judges.models import Run, Verdict
from protocols import Aspect
from stats import reasons
from stats.arrays import Bools, Ints
from stats.judges.judged import against_the_others, majority
from stats.judges.watched import LEAST_PEOPLE
from stats.results import Estimate

#: Where a place has no verdict at all.
NOT_JUDGED = "not_judged"
INCONSISTENT = "inconsistent"
NO_ANSWERS = reasons.NO_ANSWER_TO_THESE()


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
class Comparison:
    """`reference` is a key of `references`, which has every group that could be one, with its title.

    Intervals that hold at every look are `over_people`, too, unless these are few. `differences` are those of every
    two judges, by aspect.
    """

    reference: str
    references: tuple[tuple[str, str], ...]
    aspects: tuple[str, ...]
    rows: tuple[RaterRow, ...]
    baselines: dict[str, Baselines]
    n_units: int
    n_runs: int
    looks: Looks = ONE_LOOK
    over_people: bool = False
    differences: dict[str, tuple[Difference, ...]] = field(default_factory=dict)


def compared_aspects(arrays: LabelArrays) -> list[Aspect]:
    """Those that are chosen and not written, the overall one first."""
    chosen = [replace(it, title=phrased(it.title)) for it in arrays.campaign.protocol.counted_aspects]
    return sorted(chosen, key=lambda aspect: aspect.name != "overall")


def compare(
    arrays: LabelArrays, reference: str = "", counting: Counting = AS_USUAL, *, planned: bool = False
) -> Comparison:
    """Compare everybody with the reference of this name, else with the campaign's people, else the first labels.

    `planned` says whether the campaign closed at its planned size.
    """
    chosen = reference_group(arrays, reference)
    looks = looks_of(chosen, planned=planned)
    sides = sides_of(arrays, chosen, counting, looks)
    return Comparison(
        reference=chosen.key if chosen else "",
        references=tuple((group.key, group.title) for group in arrays.groups),
        aspects=tuple(aspect.name for aspect in compared_aspects(arrays)),
        rows=(*_rows(arrays, chosen, sides), *_rater_rows(arrays, chosen, sides)) if chosen else (),
        baselines={name: side.baselines() for name, side in sides.items()},
        n_units=len(arrays.units),
        n_runs=len(arrays.runs),
        looks=looks,
        over_people=looks.every and chosen is not None and len(chosen.raters) >= LEAST_PEOPLE,
        differences={name: differences(side, arrays.runs) for name, side in sides.items()},
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


def sides_of(
    arrays: LabelArrays, reference: Group | None, counting: Counting = AS_USUAL, looks: Looks = ONE_LOOK
) -> dict[str, Side]:
    """Every compared aspect with this reference, by name."""
    aspects = compared_aspects(arrays) if reference else []
    return {aspect.name: Side(arrays, aspect, reference, counting, looks) for aspect in aspects if reference}


def together_rows(arrays: LabelArrays, reference: Group, sides: dict[str, Side]) -> tuple[RaterRow, ...]:
    """People each against the others, every judge, and the groups that are not the reference, each as one."""
    return tuple(_rows(arrays, reference, sides))


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
    return _against_the_others(side)


def _together(side: Side, group: Group) -> Measured:
    own = majority(side.table([rater.said.get(side.people_aspect, {}) for rater in group.raters]))
    return _beside(side, own, side.ties_of(group))


def _rater(side: Side, group: Group, place: int) -> Measured:
    """A person is compared with the others where they are part of the reference."""
    if group.key == side.group.key:
        return _against_the_others(side, place)
    own = side.table([group.raters[place].said.get(side.people_aspect, {})]).codes[:, 0]
    return _beside(side, own, side.ties_of(group))


def _against_the_others(side: Side, rater: int | None = None) -> Measured:
    """Of people: what they were never asked about is nothing that they failed to answer."""
    found = against_the_others(side.people, rater)
    said = Pairs(found.table.codes, found.units, found.raters)
    return side.measure(side.compared(said), ties=side.reference_ties)


def _beside(side: Side, own: Ints, ties: Ties) -> Measured:
    said = Pairs(np.stack([own, side.reference], axis=1), np.arange(len(side.places)))
    return side.measure(side.compared(said), ties=ties)


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
    codes, _at = side.beside(run)
    found = side.measure(side.around(run), ties=side.ties_asked, of_judge=True)
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
