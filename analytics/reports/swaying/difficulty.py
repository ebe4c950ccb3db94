"""Whether judges lean on the order more where people disagree more (AudioJudge App. G, by people's split)."""

from dataclasses import dataclass

import numpy as np

from analytics.data.unit_numbers import gap_names, unit_names
from analytics.judged.counting import LEFT_OUT
from analytics.judged.sides import Side
from analytics.reports.contract import Option
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from analytics.reports.swaying.position import PLACES, swayed_places
from analytics.reports.swaying.voters import Swayed, Voter
from infrastructure.wording.phrases import Phrase
from stats import reasons
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Floats, Ints
from stats.judges.bias import position_bias
from stats.judges.comparison import accuracy
from stats.proportions import proportion
from stats.results import Estimate

BINS = (
    Phrase("All people agree"),
    Phrase("More than half agree"),
    Phrase("Half or fewer agree"),
)
NOTE = Phrase(
    "Units with two answers of people or more, by the share of them that gave the most frequent label. Agreement is "
    "with the label of most; it needs one. Orders are compared on pairs that were judged in both."
)


NUMBER_NOTE = Phrase(
    "Units in four parts with equally many, by a number that came with them; of what both responses have, by how "
    "much they differ. Units without it are left out. Orders are compared on pairs that were judged in both."
)
#: The name of the option, and how many parts there are.
BY, PARTS = "by", 4


def by_option(names: tuple[str, ...]) -> Option:
    """What units can be difficult by: people's split, or a number that came with them."""
    found = (("", Phrase("People’s split")), *((name, name) for name in (*unit_names(names), *gap_names(names))))
    return Option(BY, Phrase("Difficult by"), found if len(found) > 1 else ())


def values_of(swayed: Swayed, side: Side, name: str) -> Floats:
    """The number of each place; the size of a difference where both responses have one."""
    values = swayed.number(name, side.units.tolist())
    of_unit = any(name in numbers for numbers in swayed.numbers.values())
    return values if of_unit else np.abs(values)


def parts_of(values: Floats) -> tuple[tuple[str, ...], list[Bools]]:
    """Parts of places with equally many values, equal ones together, and between which values each lies.

    >>> parts_of(np.array([1.0, 2, 3, 4, np.nan]))[0]
    ('1 … 1', '2 … 2', '3 … 3', '4 … 4')
    """
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return (), []
    starts = np.unique([known[len(known) * part // PARTS] for part in range(PARTS)])
    ends = [*starts[1:], np.inf]
    bins = [np.asarray((values >= start) & (values < end)) for start, end in zip(starts, ends, strict=True)]
    names = tuple(f"{values[there].min():g} … {values[there].max():g}" for there in bins)
    return names, bins


@dataclass(frozen=True)
class _InBin:
    n: int
    agrees: Estimate
    turned: Estimate
    first: Estimate


def difficulty_figure(swayed: Swayed) -> Figure:
    key, title = "difficulty", Phrase("Are judges swayed more where people disagree?")
    side = swayed.side
    judges = [voter for voter in swayed.voters if voter.run]
    by = swayed.source.option(BY)
    names: tuple[str, ...] = BINS
    bins = difficulty_bins(side) if side else []
    if side and by:
        names, bins = parts_of(values_of(swayed, side, by))
    if side is None or not judges or not any(there.any() for there in bins):
        why = Phrase("It takes units that two people or more answered, and a judge’s verdicts on them.")
        why = Phrase("It takes units with this number, and a judge’s verdicts on them.") if by else why
        return Figure(key, title, instead=why)
    found = {voter: _in_bins(swayed, side, voter, bins) for voter in judges}
    columns = (
        Column("judge", Phrase("Judge")),
        Column("people", by or Phrase("People")),
        Column("units", Phrase("Units"), "count"),
        Column("agrees", Phrase("Agreement"), "share"),
        Column("turned", Phrase("Same place in both orders"), "share"),
        Column("first", Phrase("Votes for the first"), "share"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (voter.who, name, it.n, it.agrees, it.turned, it.first)
        for voter, of_bins in found.items()
        for name, it in zip(names, of_bins, strict=True)
    )
    turned = any(it.turned.estimate is not None for of_bins in found.values() for it in of_bins)
    series: dict[str, list[Estimate | None]] = {
        name: [of_bins[at].turned if turned else of_bins[at].agrees for of_bins in found.values()]
        for at, name in enumerate(names)
    }
    heading = Phrase("Same place in both orders") if turned else Phrase("Agreement")
    picture = Dots(tuple(voter.name for voter in found), series, form="share", x_title=heading)
    return Figure(key, title, Table(columns, rows), picture, (NUMBER_NOTE if by else NOTE,))


def difficulty_bins(side: Side) -> list[Bools]:
    """Which places are in each of BINS."""
    counts = side.people.counts()
    labels, most = counts.sum(axis=1), counts.max(axis=1, initial=0)
    several = labels >= 2
    return [
        several & (most == labels),
        several & (most < labels) & (2 * most > labels),
        several & (2 * most <= labels),
    ]


def _in_bins(swayed: Swayed, side: Side, voter: Voter, bins: list[Bools]) -> list[_InBin]:
    if voter.run is None:
        return []
    done = ~side.to_do(voter.run)
    codes = np.column_stack([side.answers(voter.run).codes, side.reference])
    if side.counting.missing == LEFT_OUT:
        done = done & (codes[:, 0] >= 0)
    both = swayed_places(swayed, voter)
    return [_in_bin(swayed, side, voter, (codes, done & there), both) for there in bins]


def _in_bin(
    swayed: Swayed, side: Side, voter: Voter, used_codes: tuple[Ints, Bools], both: tuple[Ints, Ints]
) -> _InBin:
    """Of the codes that are used, and of pairs asked in both orders with the places that won."""
    (codes, used), (asked, places) = used_codes, both
    units = np.unique(side.units[used])
    inside = np.isin(swayed.pairs.units, units)
    bias = position_bias(LabelTable(places[asked[inside[asked]]], PLACES))
    twice = bias.first_twice + bias.second_twice
    toward = voter.votes.toward_first[inside[voter.votes.pairs]]
    decided = toward[~np.isnan(toward) & (toward != 0)]
    return _InBin(
        n=int(used.sum()),
        agrees=accuracy(side.labels(codes[used]), unanswered=side.unanswered),
        turned=proportion(
            twice, bias.stable + twice, method="same place in both orders",
            reason=reasons.NO_PAIR_DECIDED_BOTH_WAYS(),
        ),
        first=proportion(
            int((decided > 0).sum()), len(decided), method="first place preferred", reason=reasons.NO_VOTES()
        ),
    )  # fmt: skip
