"""What one evaluator's scores hang on: which criteria are asked, the turn, and how long responses are."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Count

from analytics.reports.kinds.arena_rubric.evaluators import Both, Evaluator
from analytics.reports.kinds.arena_rubric.scores import correlated, values
from analytics.reports.output.figures import Cell, Column, Curve, Curves, Dots, Figure, Scatter, Table
from analytics.reports.source import RESAMPLES, SEED
from corpus.models import Item, ResponseTurn
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.phrases import Phrase
from stats.intervals import Bootstrap
from stats.results import Estimate
from stats.systems.correlation import correlation
from stats.systems.means import cluster_mean
from stats.systems.rubrics import SCALE, Excluding, case_scores, rubric_exclusion, turn_trend

if TYPE_CHECKING:
    import pandas as pd

_SYSTEM = Column("system", Phrase("System"))
#: Of the criteria, what is left out.
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def trends(both: Both) -> Iterator[Figure]:
    yield _exclusion(both, both.chosen)
    yield _turns(both, both.chosen)
    yield from _duration(both, both.chosen)


def _exclusion(both: Both, one: Evaluator) -> Figure:
    title = Phrase("With some of the criteria left out: %(evaluator)s", evaluator=one.title)
    if not len(one.checks):
        return Figure("exclusion", title, instead=Phrase("No criteria were checked."))
    elo = values(both.elo(one.votes))
    known = [place for place, it in enumerate(elo) if it is not None]
    seen = set(one.checks.systems.tolist())
    among = [place for place in known if place in seen]
    with_all = _excluding(both, one, sorted(seen), None)
    with_arena = _excluding(both, one, among, [elo[place] or 0.0 for place in among]) if among else ()
    columns = (
        Column("share", Phrase("Left out"), "share"),
        Column("rubric", Phrase("ρ with all criteria"), "coefficient"),
        Column("arena", Phrase("ρ with Elo"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = [
        (it.share, it.rho, with_arena[place].rho if with_arena else None) for place, it in enumerate(with_all)
    ]
    curves = [_curve(Phrase("with all criteria"), with_all), _curve(Phrase("with Elo"), with_arena)]
    axes = Phrase("Share of criteria left out"), Phrase("Spearman’s ρ")
    picture = Curves(tuple(it for it in curves if it.x), *axes, x_form="share")
    notes = (
        Phrase(
            "Systems are ranked anew by the criteria that are left, %(n)s times; the mean ρ, and the middle 95 %% of "
            "them (MTalk-Bench Fig. 9).",
            n=f"{RESAMPLES:,}",
        ),
        Phrase("Here a system’s score is its share of criteria met."),
    )
    return Figure("exclusion", title, Table(columns, tuple(rows)), picture, notes)


def _excluding(
    both: Both, one: Evaluator, systems: list[int], reference: list[float] | None
) -> tuple[Excluding, ...]:
    """Among these systems alone."""
    place = np.full(len(both.systems), -1)
    place[systems] = np.arange(len(systems))
    kept = one.checks.where(place[one.checks.systems] >= 0)
    checks = type(kept.checks)(place[kept.systems], kept.items, kept.criteria, kept.met)
    rng = np.random.default_rng(SEED)
    return rubric_exclusion(checks, len(systems), reference, rng=rng, shares=SHARES, resamples=RESAMPLES)


def _curve(name: str, found: tuple[Excluding, ...]) -> Curve:
    there = [(it.share, it.rho.estimate, it.rho.interval) for it in found if it.rho.estimate is not None]
    bands = [(end.low, end.high) for *_, end in there if end]
    low, high = (tuple(it[side] for it in bands) if len(bands) == len(there) else () for side in (0, 1))
    return Curve(name, tuple(it[0] for it in there), tuple(it[1] or 0.0 for it in there), low, high)


def _turns(both: Both, one: Evaluator) -> Figure:
    title = Phrase("Rubric scores by turn: %(evaluator)s", evaluator=one.title)
    turn_of = _turn_of(both)
    scores, systems, items = case_scores(one.checks.checks)
    turns = np.array([turn_of[item] for item in items.tolist()], dtype=np.int64)
    there = sorted(set(turns.tolist()))
    if len(there) < 2:
        reason = Phrase("All items have the same number of turns (or the same fact “turn”).")
        return Figure("turns", title, instead=reason)
    columns = (
        _SYSTEM,
        *(Column(f"turn_{turn}", Phrase("Turn %(n)s", n=turn), "share") for turn in there),
        Column("slope", Phrase("Slope per turn"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    curves = []
    for place, name in enumerate(both.systems):
        own = systems == place
        found = turn_trend(scores[own].tolist(), turns[own].tolist(), ends=SCALE)
        means = [found.means[turn - 1] if turn <= len(found.means) else None for turn in there]
        rows.append((name, *means, found.slope))
        points = [
            (turn, it.estimate) for turn, it in zip(there, means, strict=True) if it and it.estimate is not None
        ]
        if points:
            curves.append(Curve(name, tuple(float(turn) for turn, _ in points), tuple(it for _, it in points)))
    note = Phrase(
        "A conversation counts for the turn at which it ends: its item’s fact “turn”, else its number of turns "
        "(MTalk-Bench App. D.2). The slope is that of least squares."
    )
    picture = Curves(tuple(curves), Phrase("Turn"), Phrase("Rubric score"), y_form="share")
    return Figure("turns", title, Table(columns, tuple(rows)), picture, (note,))


def _turn_of(both: Both) -> list[int]:
    counted = Item.objects.filter(pk__in=both.items).annotate(n=Count("turns")).values_list("pk", "n")
    n_turns = dict(counted)
    turns = [str(both.fact(item, "turn") or "") for item in both.items]
    return [
        max(1, n_turns.get(item, 1)) if (number := whole_number(turn)) is None else number
        for item, turn in zip(both.items, turns, strict=True)
    ]


def _duration(both: Both, one: Evaluator) -> Iterator[Figure]:
    title = Phrase("Duration and scores: %(evaluator)s", evaluator=one.title)
    seconds = _seconds(both)
    if seconds.empty:
        yield Figure("duration", title, instead=Phrase("The responses’ clips have no known duration."))
        return
    by_system = dict(list(seconds.reset_index().groupby("system")))
    nothing = seconds.reset_index()[:0]
    means = [
        cluster_mean(own["seconds"].tolist(), own["item"].tolist(), method="mean duration in seconds")
        for own in (by_system.get(place, nothing) for place in range(len(both.systems)))
    ]
    elo, rubric = both.elo(one.votes), both.scores(one.checks)
    columns = (
        _SYSTEM,
        Column("seconds", Phrase("Seconds"), "number"),
        Column("elo", Phrase("Elo"), "rating"),
        Column("rubric", Phrase("Rubric score"), "share"),
    )
    rows = tuple(zip(both.systems, means, elo, rubric, strict=True))
    points = [
        (name, s.estimate, score.estimate)
        for name, s, score in zip(both.systems, means, rubric, strict=True)
        if s.estimate is not None and score.estimate is not None
    ]
    picture = Scatter(
        tuple(it[0] for it in points), tuple(it[1] for it in points), tuple(it[2] for it in points),
        Phrase("Mean duration in seconds"), Phrase("Rubric score"), y_form="share",
    )  # fmt: skip
    yield Figure("duration", title, Table(columns, rows), picture)
    yield _with_duration(values(means), values(elo), values(rubric), _responses(one, seconds.to_dict()))


def _with_duration(
    seconds: list[float | None], elo: list[float | None], rubric: list[float | None], responses: Estimate
) -> Figure:
    columns = (Column("what", Phrase("Duration and")), Column("spearman", Phrase("Spearman’s ρ"), "coefficient"))
    found: dict[str, Estimate] = {
        Phrase("Elo of systems"): correlated(seconds, elo),
        Phrase("rubric score of systems"): correlated(seconds, rubric),
        Phrase("rubric score of single responses"): responses,
    }
    rows: tuple[tuple[Cell, ...], ...] = tuple(found.items())
    picture = Dots(tuple(found), {Phrase("Spearman’s ρ"): list(found.values())}, mark=0.0)
    note = Phrase(
        "Of systems, intervals are about all systems like these, from seven on; of responses, they are over items."
    )
    title = Phrase("Do longer responses get more?")
    return Figure("duration-correlation", title, Table(columns, rows), picture, (note,))


def _responses(one: Evaluator, seconds: Mapping[Any, float]) -> Estimate:
    scores, systems, items = case_scores(one.checks.checks)
    long = [seconds.get(key) for key in zip(systems.tolist(), items.tolist(), strict=True)]
    bootstrap = Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=items)
    return correlation(long, scores.tolist(), bootstrap=bootstrap)


def _seconds(both: Both) -> "pd.Series[float]":
    """By system and item, the mean duration of its responses, all turns together."""
    import pandas as pd  # noqa: PLC0415 - 0.7 s and 27 MB, which no web process pays at its start

    system = {name: at for at, name in enumerate(both.systems)}
    item_at = {item: at for at, item in enumerate(both.items)}
    rows = ResponseTurn.objects.filter(response__item__dataset=both.source.campaign.dataset_id, clip__isnull=False)
    turns = pd.DataFrame(
        rows.values_list("response__system__name", "response__item", "response", "clip__seconds"),
        columns=["system", "item", "response", "seconds"],
    )
    turns["system"] = turns["system"].map(lambda name: system.get(both.source.names[name]))
    turns["item"] = turns["item"].map(item_at)
    known = turns.dropna(subset=["system", "item"]).astype({"system": int, "item": int})
    return known.groupby(["system", "item", "response"])["seconds"].sum().groupby(["system", "item"]).mean()
