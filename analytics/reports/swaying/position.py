"""Whether what is presented first is preferred, and whether judges keep to their answer when the order is turned."""

from dataclasses import dataclass

import numpy as np

from analytics.reports.output.figures import Bars, Cell, Column, Dots, Figure, Table
from analytics.reports.swaying.voters import Swayed, Voter
from infrastructure.wording.phrases import Phrase
from judges.models import Run, Verdict
from stats import reasons
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Ints
from stats.judges.bias import PositionBias, Preference, position_bias, preference
from stats.judges.judged import majority
from stats.proportions import proportion
from stats.results import Estimate

PLACES = ("1", "2", "tie")
FIRST_NOTE = Phrase(
    "Of the votes that name a winner, how many went to the response presented first, with Wilson’s intervals of as "
    "many votes as these are worth where voters, and items, make them alike. Δ is the difference of both rates; p is "
    "exact, for no preference at all."
)
FLIPPED_NOTE = Phrase(
    "Each pair in both orders: the same response twice is stable. Ties and missing answers, in either order, are "
    "neither, and count in the shares of all units. p compares both places, exactly and two-sided."
)


def first_figure(swayed: Swayed) -> Figure:
    found = {voter.name: _of_first(swayed, voter) for voter in swayed.voters}
    columns = (
        Column("who", Phrase("Who")),
        Column("first", Phrase("For the first"), "share"),
        Column("second", Phrase("For the second"), "share"),
        Column("difference", Phrase("Δ"), "share"),
        Column("p", Phrase("p"), "p"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (voter.who, it.rate, it.other_rate, it.difference, it.p)
        for voter, it in zip(swayed.voters, found.values(), strict=True)
    )
    picture = Dots(
        tuple(found), {Phrase("For the first"): [it.rate for it in found.values()]}, form="share", mark=0.5,
        x_title=Phrase("Votes for what was presented first"),
    )  # fmt: skip
    title = Phrase("Is the first place preferred?")
    return Figure("first", title, Table(columns, rows), picture, (FIRST_NOTE,))


def _of_first(swayed: Swayed, voter: Voter) -> Preference:
    """Votes that name a winner, where they say which response was presented first."""
    toward = voter.votes.toward_first
    known = ~np.isnan(toward)
    named = known & (toward != 0)
    none = reasons.ALL_TIES() if known.any() else reasons.FIRST_NOT_SAID()
    clusters = swayed.pairs.clusters(voter.votes.where(named))
    return preference(toward[named] > 0, *clusters, none=none)


@dataclass(frozen=True)
class Flipped:
    """`bias` is of the pairs that were answered in both orders, `n` how many were asked in both."""

    bias: PositionBias
    n: int

    def of_all(self, name: str) -> Estimate:
        count: int = getattr(self.bias, name)
        return proportion(count, self.n, method=f"share {name}", reason=reasons.NO_PAIR_JUDGED_BOTH_WAYS())

    @property
    def other(self) -> Estimate:
        decided = self.bias.stable + self.bias.first_twice + self.bias.second_twice
        return proportion(self.n - decided, self.n, method="share of ties and missing answers")


def flipped_figure(swayed: Swayed) -> Figure:
    title = Phrase("Does the answer stay when the order is turned?")
    found = {voter: flipped(swayed, voter) for voter in swayed.voters}
    found = {voter: it for voter, it in found.items() if it.n}
    if not found:
        why = Phrase("No judge has heard pairs in both orders: start a run both ways.")
        return Figure("flipped", title, instead=why)
    names = {"stable": Phrase("Stable"), "first_twice": Phrase("First twice"), "second_twice": Phrase("Second twice")}
    columns = (
        Column("judge", Phrase("Judge")),
        *(Column(name, heading, "share") for name, heading in names.items()),
        Column("other", Phrase("Tie or none"), "share"),
        *(
            Column(f"{name}_of_decided", Phrase("%(what)s, of the decided", what=heading), "share")
            for name, heading in names.items()
        ),
        Column("p", Phrase("p, both places"), "p"),
        Column("first_rate", Phrase("Verdicts for the first"), "share"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            voter.who, *(it.of_all(name) for name in names), it.other,
            *(it.bias.of_decided[name] for name in names), it.bias.p, _of_first(swayed, voter).rate,
        )
        for voter, it in found.items()
    )  # fmt: skip
    shares: dict[str, list[float]] = {
        heading: [it.of_all(name).estimate or 0.0 for it in found.values()] for name, heading in names.items()
    }
    shares[Phrase("Tie or none")] = [it.other.estimate or 0.0 for it in found.values()]
    picture = Bars(tuple(voter.name for voter in found), shares, form="share")
    return Figure("flipped", title, Table(columns, rows), picture, (FLIPPED_NOTE,))


def flipped(swayed: Swayed, voter: Voter) -> Flipped:
    asked, places = swayed_places(swayed, voter)
    return Flipped(position_bias(LabelTable(places[asked], PLACES)), len(asked))


def swayed_places(swayed: Swayed, voter: Voter) -> tuple[Ints, Ints]:
    """The pairs that a judge was asked about in both orders, and which place won in each order, of all pairs.

    The latter are codes of PLACES, shape (pairs, 2); of several samples in one order, what most of them say.
    """
    run, n = voter.run, len(swayed.pairs.units)
    if run is None or run.run.orders != Run.Orders.BOTH:
        return np.zeros(0, dtype=np.int64), np.full((n, 2), MISSING, dtype=np.int64)
    heard, toward = voter.votes.heard.reshape(-1, n)[:, 0], voter.votes.toward_first.reshape(-1, n)
    codes = np.select([toward == 1, toward == -1, toward == 0], [0, 1, 2], MISSING)
    by_order = [majority(LabelTable(codes[heard == order].T, PLACES)) for order in (1, -1)]
    states = [run.states.get(unit, ()) for unit in swayed.pairs.units]
    n_verdicts = 2 * run.run.samples
    judged = [len(it) >= n_verdicts and Verdict.Status.WAITING not in it for it in states]
    return np.flatnonzero(judged), np.stack(by_order, axis=1)
