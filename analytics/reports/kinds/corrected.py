"""Few labels of people and many verdicts of a judge: estimates for systems that hold all the same (PPI++)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics.data.label_arrays import Group, JudgeRun, answers_of
from analytics.data.preferences import preferences_of_scale
from analytics.data.ratings import Frame, frame_of, rated_aspects
from analytics.data.votes.of_people import pair_aspects, scores_by_place
from analytics.reports.contract import Option, ReportKind
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Form, Table
from analytics.reports.references import reference_of, reference_option
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from judges.models import Run
from protocols import Aspect
from stats import reasons
from stats.arrays import Floats, Ints
from stats.judges.prediction_powered import FEWEST, Corrected, corrected_mean, label_mean
from stats.results import Estimate
from stats.systems.means import cluster_mean

_TITLE = Phrase("Corrected estimates")
_SCORES = (1.0, 0.0, 0.5, 0.5)


@dataclass(frozen=True, eq=False)
class Sides:
    """Each place from the side of one system: what people and the judge say, NaN where nothing, and its item."""

    people: Floats
    judge: Floats
    items: Ints


@dataclass(frozen=True)
class Row:
    system: str
    found: Corrected
    human: Estimate
    n_others: int


def figures(source: Source) -> Iterator[Figure]:
    group, run = reference_of(source), _run(source)
    if group is None or run is None:
        reason = Phrase("Nobody has answered yet.") if group is None else Phrase("No judge has given a verdict yet.")
        yield Figure("corrected", _TITLE, instead=reason)
        return
    aspect = _aspect(source)
    frame = frame_of(source.arrays, source.units)
    sides = _sides(source, group, run, aspect, frame)
    rows = [_corrected(name, sides[name]) for name in frame.systems]
    yield _estimates(rows, run, aspect)
    yield _labels(rows, sides, aspect)


def why_not(campaign: Campaign) -> Reason | None:
    if not _aspects(campaign):
        return reasons.NEITHER_BETTER_NOR_RATED()
    if not Run.objects.filter(campaign=campaign, perturbation__isnull=True).exists():
        return reasons.NO_JUDGE_RUN()
    return None


def options(campaign: Campaign) -> tuple[Option, ...]:
    runs = Run.objects.filter(campaign=campaign, perturbation__isnull=True).select_related("judge").order_by("pk")
    judges = tuple((str(run.pk), f"{run.judge.title} ({run.pk})") for run in runs)
    asked = tuple((aspect.name, aspect.title) for aspect in _aspects(campaign))
    return (
        Option("run", Phrase("The judge"), judges),
        Option("question", Phrase("Question"), asked),
        reference_option(campaign),
    )


def _aspects(campaign: Campaign) -> list[Aspect]:
    rated = [it for it in rated_aspects(campaign.protocol) if not it.scale.kind.is_signed]
    return [*pair_aspects(campaign.protocol), *rated]


def _aspect(source: Source) -> Aspect:
    asked = _aspects(source.campaign)
    return next((it for it in asked if it.name == source.option("question")), asked[0])


def _run(source: Source) -> JudgeRun | None:
    runs = {str(run.run.pk): run for run in source.arrays.runs}
    return runs.get(source.option("run")) or next(iter(runs.values()), None)


def _sides(source: Source, group: Group, run: JudgeRun, aspect: Aspect, frame: Frame) -> dict[str, Sides]:
    places, categories = source.arrays.places(aspect.name), source.arrays.categories(aspect)
    compares = aspect in pair_aspects(source.campaign.protocol)
    said = [rater.said.get(aspect.name, {}) for rater in group.raters]
    if compares:
        people = scores_by_place(said, aspect)
    else:
        given: dict[tuple[int, str], list[float]] = {}
        for one in said:
            for place, value in one.items():
                if (number := aspect.scale.kind.number(value)) is not None:
                    given.setdefault(place, []).append(number)
        people = {place: sum(numbers) / len(numbers) for place, numbers in given.items()}
    numbers = np.array([*(_number(aspect, category, compares=compares) for category in categories), np.nan])
    judge = numbers[answers_of(run, aspect.name, places, categories).codes]
    rows: dict[str, list[tuple[float, float, int]]] = {name: [] for name in frame.systems}
    item_at = {item: at for at, item in enumerate(frame.items)}
    for place, verdict in zip(places, judge.tolist(), strict=True):
        facts, label = frame.units[place[0]], people.get(place, np.nan)
        item = item_at[facts.item]
        if compares:
            rows[facts.systems["a"]].append((label, verdict, item))
            rows[facts.systems["b"]].append((1 - label, 1 - verdict, item))
        else:
            rows[facts.systems[place[1] or next(iter(facts.systems))]].append((label, verdict, item))
    found = {name: np.array(own, dtype=np.float64).reshape(-1, 3) for name, own in rows.items()}
    return {name: Sides(own[:, 0], own[:, 1], own[:, 2].astype(np.int64)) for name, own in found.items()}


def _number(aspect: Aspect, category: str, *, compares: bool) -> float:
    if compares:
        preferences = preferences_of_scale(aspect.scale)
        outcome = preferences.outcomes.get(category) if preferences else None
        return np.nan if outcome is None else _SCORES[outcome]
    number = aspect.scale.kind.number(category)
    return np.nan if number is None else number


def _corrected(system: str, sides: Sides) -> Row:
    human, judge = ~np.isnan(sides.people), ~np.isnan(sides.judge)
    both, others = human & judge, judge & ~human
    found = corrected_mean(
        sides.people[both], sides.judge[both], sides.judge[others], clusters=(sides.items[both], sides.items[others])
    )
    alone = label_mean(sides.people[human], sides.items[human])
    return Row(system, found, alone, int(others.sum()))


def _estimates(rows: list[Row], run: JudgeRun, aspect: Aspect) -> Figure:
    form = _form(aspect)
    columns = (
        Column("system", Phrase("System")),
        Column("corrected", Phrase("People and judge"), form),
        Column("people", Phrase("People alone"), form),
        Column("judge", Phrase("Judge alone"), form),
        Column("saved", Phrase("Labels saved"), "number"),
        Column("worth", Phrase("Worth as many labels as"), "number"),
        Column("weight", Phrase("Weight of the judge's verdicts"), "coefficient"),
    )
    cells: list[tuple[Cell, ...]] = []
    rows = sorted(rows, key=_place)
    for row in rows:
        saved, n = row.found.saved, row.found.human.n
        worth = None if saved is None else n + saved
        cells.append(
            (row.system, row.found.estimate, row.human, row.found.judge_mean, saved, worth, row.found.weight)
        )
    picture = Dots(
        tuple(row.system for row in rows),
        {
            Phrase("People and judge"): [row.found.estimate for row in rows],
            Phrase("People alone"): [row.human for row in rows],
        },
        form=form,
    )
    return Figure("corrected", _TITLE, Table(columns, tuple(cells)), picture, _notes(rows, run))


def _place(row: Row) -> tuple[bool, float, float]:
    """The highest first; those that the judge does not help by what people said, at the end."""
    corrected, human = row.found.estimate.estimate, row.human.estimate
    return corrected is None, -(corrected or 0.0), -(human or 0.0)


def _notes(rows: list[Row], run: JudgeRun) -> tuple[str, ...]:
    notes = [
        Phrase(
            "%(judge)s has verdicts on many units, people have labelled some. The judge’s mean over all of them is "
            "moved by what it gets wrong where people know better (prediction-powered inference, PPI++).",
            judge=repr(run.run.judge.title),
        ),
        Phrase(
            "This holds where the units that people labelled were drawn at random from all. The figure below puts "
            "the judge’s means on both parts side by side: if they lie far apart, they were not."
        ),
        Phrase(
            "Intervals are over items, with Student’s t; those of win rates as if one win and one loss more had been "
            "labelled, so that they hold near 0 and 100 %%, too. At least %(n)s items with labels are needed.",
            n=FEWEST,
        ),
    ]
    refused = [row for row in rows if row.found.estimate.estimate is None]
    if refused:
        note = Phrase(
            "Of %(refused)s of %(all)s systems the judge does not help; why stands in their rows, and people’s own "
            "estimate holds all the same.",
            refused=len(refused), all=len(rows),
        )  # fmt: skip
        notes.append(note)
    return tuple(notes)


def _form(aspect: Aspect) -> Form:
    return "share" if preferences_of_scale(aspect.scale) else "number"


def _labels(rows: list[Row], sides: dict[str, Sides], aspect: Aspect) -> Figure:
    """What there is to learn from, and whether people's units look like the others."""
    form = _form(aspect)
    columns = (
        Column("system", Phrase("System")),
        Column("labelled", Phrase("Units with both"), "count"),
        Column("others", Phrase("Units with a verdict only"), "count"),
        Column("people_only", Phrase("Units with a label only"), "count"),
        Column("judge_labelled", Phrase("Judge’s mean where people answered"), form),
        Column("judge_others", Phrase("Judge’s mean elsewhere"), form),
    )
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        own = sides[row.system]
        human, judge = ~np.isnan(own.people), ~np.isnan(own.judge)
        cells.append(
            (
                row.system, int((human & judge).sum()), row.n_others, int((human & ~judge).sum()),
                _mean(own.judge[human & judge], own.items[human & judge]),
                _mean(own.judge[judge & ~human], own.items[judge & ~human]),
            )
        )  # fmt: skip
    note = Phrase("Units of which the judge’s orders disagree, or whose verdict failed, have no verdict here.")
    return Figure("labels", Phrase("What the estimates rest on"), Table(columns, tuple(cells)), notes=(note,))


def _mean(values: Floats, items: Ints) -> Estimate:
    return cluster_mean(values.tolist(), items.tolist(), method="mean of verdicts")


KIND = ReportKind(
    name="corrected",
    title=_TITLE,
    lead=Phrase(
        "Few labels of people and many verdicts of a judge together: estimates as valid as people’s, and narrower."
    ),
    claims=Phrase(
        "It may be claimed of the population that the human-labelled items were drawn from, if they were drawn at "
        "random; not where people labelled a chosen part, and never that the judge alone is right."
    ),
    version="5",
    figures=figures,
    why_not=why_not,
    options=options,
)
