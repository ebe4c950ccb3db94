"""Whether the longer, louder or faster response is preferred: in all votes, and where people found both equal."""

from collections.abc import Iterator

import numpy as np

from analytics.data.unit_numbers import gap_names
from analytics.reports.contract import Option
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from analytics.reports.source import SEED
from analytics.reports.swaying.voters import COVARIATES, LENGTH, Swayed, Voter
from infrastructure.wording.phrases import Phrase
from stats.agreement.labels import TIES
from stats.arrays import Bools, Floats
from stats.judges.bias import LengthBias, Preference, length_bias, preference, toward_test
from stats.results import Estimate

GAP = "gap"
LEAST = {"words": 5.0, "seconds": 1.0}
NOTE = Phrase(
    "Of the votes that name a winner, between responses that differ, with Wilson’s intervals of as many votes as "
    "these are worth where voters, and items, make them alike, and an exact p for no preference. The last p weighs "
    "each vote by how much the two differ: its signs are drawn anew."
)
TIED_NOTE = Phrase(
    "Only pairs that most people found equal, where whatever a judge prefers has another reason (AudioJudge §6.2). "
    "Shares are of all verdicts on such pairs; p compares longer and shorter, exactly and two-sided."
)


def gap_option() -> Option:
    least = Phrase("from 5 (1 second) on")
    return Option(GAP, Phrase("Differences of length that count"), (("", Phrase("all")), ("least", least)))


def covariate_figures(swayed: Swayed) -> Iterator[Figure]:
    titles = {
        "words": Phrase("Is the longer response preferred? Words"),
        "seconds": Phrase("Is the longer response preferred? Seconds"),
        "loudness": Phrase("Is the louder response preferred?"),
        "rate": Phrase("Is the faster response preferred?"),
    }
    for name in COVARIATES:
        why = swayed.why_no_gap(name)
        key = f"more-{name}"
        yield Figure(key, titles[name], instead=why) if why else _figure(swayed, name, key, titles[name])
    if name := swayed.source.option(LENGTH):
        title = Phrase("Is the response with more preferred? %(name)s", name=name)
        why = swayed.why_no_gap(name)
        yield Figure("more-number", title, instead=why) if why else _figure(swayed, name, "more-number", title)


def length_option(names: tuple[str, ...]) -> Option:
    """Numbers that came with the pairs of each response, in which length can be told."""
    own = tuple((name, name) for name in gap_names(names))
    return Option(LENGTH, Phrase("Length in"), (("", Phrase("words, else seconds")), *own) if own else ())


def _figure(swayed: Swayed, name: str, key: str, title: str) -> Figure:
    gaps = _counted(swayed, name)
    found = {voter: _preference(swayed, voter, gaps) for voter in swayed.voters}
    columns = (
        Column("who", Phrase("Who")),
        Column("more", Phrase("For the one with more"), "share"),
        Column("less", Phrase("For the one with less"), "share"),
        Column("difference", Phrase("Δ"), "share"),
        Column("p", Phrase("p"), "p"),
        Column("p_weighed", Phrase("p, weighed by the difference"), "p"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (voter.who, it.rate, it.other_rate, it.difference, it.p, weighed) for voter, (it, weighed) in found.items()
    )
    more = [it.rate for it, _ in found.values()]
    picture = Dots(
        tuple(voter.name for voter in found), {Phrase("For the one with more"): more}, form="share", mark=0.5,
        x_title=Phrase("Votes for the one with more"),
    )  # fmt: skip
    return Figure(key, title, Table(columns, rows), picture, (NOTE,))


def _counted(swayed: Swayed, name: str) -> Floats:
    """Gaps that count; others are NaN."""
    gaps = swayed.gaps[name]
    counted = LEAST | {swayed.source.option(LENGTH): LEAST["words"]}
    least = counted.get(name, 0.0) if swayed.source.option(GAP) else 0.0
    return np.where((gaps != 0) & (np.abs(gaps) >= least), gaps, np.nan)


def _preference(swayed: Swayed, voter: Voter, gaps: Floats) -> tuple[Preference, Estimate]:
    gap, toward = gaps[voter.votes.pairs], 2 * voter.votes.score - 1
    used = ~np.isnan(gap) & ~np.isnan(toward) & (toward != 0)
    rng = np.random.default_rng(SEED)
    clusters = swayed.pairs.clusters(voter.votes.where(used))
    return preference(toward[used] * gap[used] > 0, *clusters), toward_test(toward[used], gap[used], rng=rng)


def verbosity_figure(swayed: Swayed) -> Figure:
    key, title = "verbosity", Phrase("On pairs that people found equal: is the longer response preferred?")
    chosen = swayed.source.option(LENGTH)
    measures = (chosen,) if chosen else ("words", "seconds")
    name = next((it for it in measures if not swayed.why_no_gap(it)), "")
    if not name:
        why = Phrase("The responses have neither texts nor clips of a known length.")
        return Figure(key, title, instead=why)
    tied = _tied(swayed)
    judges = [voter for voter in swayed.voters if voter.run]
    if not tied.any() or not judges:
        why = Phrase("It takes pairs that most people found equal, and a judge’s verdicts on them.")
        return Figure(key, title, instead=why)
    found = {voter: _on_tied(voter, swayed, name, tied) for voter in judges}
    sorts = {"longer": Phrase("Longer"), "shorter": Phrase("Shorter"), "tied": Phrase("Tie")}
    columns = (
        Column("judge", Phrase("Judge")),
        *(Column(sort, heading, "share") for sort, heading in sorts.items()),
        *(
            Column(f"n_{sort}", Phrase("%(what)s, verdicts", what=heading), "count")
            for sort, heading in sorts.items()
        ),
        Column("difference", Phrase("Δ"), "share"),
        Column("p", Phrase("p"), "p"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            voter.who, *(it.shares[sort] for sort in sorts), *(int(getattr(it, sort)) for sort in sorts),
            it.difference, it.p,
        )
        for voter, it in found.items()
    )  # fmt: skip
    series: dict[str, list[Estimate | None]] = {
        heading: [it.shares[sort] for it in found.values()] for sort, heading in sorts.items()
    }
    picture = Dots(tuple(voter.name for voter in found), series, form="share", x_title=Phrase("Share of verdicts"))
    said = {"words": Phrase("Length is in words."), "seconds": Phrase("Length is in seconds.")}
    measured = said.get(name) or Phrase("Length is the number %(name)s that came with the units.", name=name)
    return Figure(key, title, Table(columns, rows), picture, (TIED_NOTE, measured))


def _tied(swayed: Swayed) -> Bools:
    """The pairs to which most people gave a tie of any kind."""
    side = swayed.side
    if side is None:
        return np.zeros(len(swayed.pairs.units), dtype=bool)
    equal = {code for code, label in enumerate(side.categories) if label in TIES}
    units = {unit for (unit, _), code in zip(side.places, side.reference.tolist(), strict=True) if code in equal}
    return np.array([unit in units for unit in swayed.pairs.units], dtype=bool)


def _on_tied(voter: Voter, swayed: Swayed, name: str, tied: Bools) -> LengthBias:
    used = tied[voter.votes.pairs] & ~np.isnan(swayed.gaps[name][voter.votes.pairs])
    scores = voter.votes.score[used]
    verdicts = [None if np.isnan(score) else "1" if score == 1 else "2" if score == 0 else "tie" for score in scores]
    gaps = swayed.gaps[name][voter.votes.pairs[used]]
    least = LEAST.get(name, LEAST["words"]) if swayed.source.option(GAP) else 0.0
    return length_bias(verdicts, gaps.tolist(), np.zeros(len(gaps)).tolist(), least_gap=least)
