"""Votes and ratings by few people on few items, simulated, and the statistics whose intervals are over both at once.

The truth is what votes and ratings of ever more people on ever more items tend to.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from scipy.special import expit

from benchmarks.statistics.coverage_of_rater_models import World, severe_ratings
from benchmarks.statistics.coverage_of_ratings import pairs
from benchmarks.statistics.few_clusters_of_labels import Row, Seen
from stats.arrays import Bools, Floats, Ints
from stats.judges.bias import preference
from stats.rater_models.intraclass import intraclass
from stats.rater_models.severity import adjusted_means
from stats.ratings.acceptability import Clustered, acceptability, decisive_share, win_rates
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.contextual import fit_in_context, rate_in_context
from stats.ratings.davidson import davidson, rate_with_ties
from stats.ratings.elo import POINTS
from stats.ratings.table import RatingTable, rate_votes
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, Counts, Votes, count_votes
from stats.results import Estimate
from stats.systems.means import cluster_mean, two_way_mean

#: Votes by each voter on each item.
TIMES = 6
#: Standard deviations of log-odds: of voters' tastes, of how items suit systems, of how ready voters are to call a
#: tie, and a tie good, and of how far they lean to the first place.
TASTE, SUITS, READY, LEAN = 0.8, 0.4, 0.6, 0.4
STRENGTHS = np.linspace(-0.6, 0.6, 4)
#: How much of the log-odds a second of length is worth.
PER_SECOND = 0.3
_MANY = 400_000


class Arena:
    """Votes between four systems, with typed ties: the first place, and longer responses, are a little preferred."""

    def __init__(self, rng: np.random.Generator, voter: Ints, item: Ints, *, times: int = 1) -> None:
        self.voter, self.item = np.repeat(voter, times), np.repeat(item, times)
        n, n_voters, n_items = len(self.voter), int(voter.max()) + 1, int(item.max()) + 1
        tastes, suits = rng.normal(0, TASTE, (n_voters, 4)) + STRENGTHS, rng.normal(0, SUITS, (n_items, 4))
        first, second = pairs(rng, 4, n)
        self.seconds = rng.normal(0, 1, n)
        self.gap = tastes[self.voter, first] - tastes[self.voter, second]
        self.gap += suits[self.item, first] - suits[self.item, second]
        ready, kind, lean = rng.normal(0, 1, (3, n_voters))
        tied = rng.random(n) < expit(-1.2 + READY * ready[self.voter])
        good = rng.random(n) < expit(0.4 + 2 * READY * kind[self.voter] + rng.normal(0, READY, n_items)[self.item])
        wins = rng.random(n)
        ties = np.where(good, BOTH_GOOD, BOTH_BAD)
        self.tied, self.ties, self.wins, self.lean = tied, ties, wins, LEAN * lean[self.voter] + 0.2
        self.first, self.second = first, second

    def votes(self, *, more: Floats | float = 0.0) -> Votes:
        outcome = np.where(self.tied, self.ties, (self.wins > expit(self.gap + more)).astype(np.int64))
        return Votes(self.first, self.second, outcome, tuple("ABCD"))

    @property
    def in_context(self) -> Votes:
        return self.votes(more=PER_SECOND * self.seconds)

    @property
    def toward_first(self) -> tuple[Bools, Bools]:
        """Of the votes that name a winner, whether it came first; and which of all these are."""
        named = ~self.tied
        return (self.votes(more=self.lean).outcome == 0)[named], named


def arena(rng: np.random.Generator, raters: int, items: int) -> Arena:
    voter, item = np.divmod(np.arange(raters * items), items)
    return Arena(rng, voter, item, times=TIMES)


@cache
def endless() -> Arena:
    """As many votes as tell the truth, each by a voter, and on an item, of its own."""
    return Arena(np.random.default_rng(0), np.arange(_MANY), np.arange(_MANY))


@cache
def true_log_odds() -> Floats:
    """By quadrature, as votes with ties that hang on nothing but voters: each pair's chance of a win is averaged."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gaps = (STRENGTHS[:, np.newaxis] - STRENGTHS)[..., np.newaxis] + np.sqrt(2 * (TASTE**2 + SUITS**2)) * nodes
    chance = (expit(gaps) * weights / weights.sum()).sum(axis=-1)
    tied = float(endless().tied.mean())
    scores = (1 - tied) * chance + tied / 2
    np.fill_diagonal(scores, 0)
    return bradley_terry(scores).log_odds


def of_table(table: RatingTable, plain: RatingTable, truth: Floats) -> Iterator[Seen]:
    points = 1000 + POINTS * (truth - truth.mean())
    for row, own, point in zip(table.ratings, plain.ratings, points, strict=True):
        if not row.provisional:
            yield Seen(row.rating, float(point), own.rating)


def of_ratings(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    world = arena(rng, raters, items)
    votes = world.votes()
    yield from of_table(rate_votes(votes, world.voter, world.item)[0], rate_votes(votes)[0], true_log_odds())


def of_differences(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    world, truth = arena(rng, raters, items), true_log_odds()
    votes = world.votes()
    (table,), (plain,) = rate_votes(votes, world.voter, world.item), rate_votes(votes)
    for one, (name, other) in enumerate((("A", "B"), ("B", "C"), ("C", "D"))):
        gap = POINTS * float(truth[one] - truth[one + 1])
        yield Seen(table.difference(name, other), gap, plain.difference(name, other))


@cache
def true_davidson() -> tuple[Floats, float]:
    votes = endless().votes()
    fit = davidson(Counts(count_votes(votes).table, votes.systems))
    return fit.log_odds, float(np.exp(fit.log_tie))


def of_davidson(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    world, (truth, tie) = arena(rng, raters, items), true_davidson()
    votes = world.votes()
    (found,), (plain,) = rate_with_ties(votes, world.voter, world.item), rate_with_ties(votes)
    yield from of_table(found.table, plain.table, truth)
    yield Seen(found.tie, tie, plain.tie)


@cache
def true_context() -> tuple[Floats, float]:
    world = endless()
    fit = fit_in_context(world.in_context, world.seconds[:, np.newaxis])
    return fit.log_odds, float(fit.effects[0])


def of_context(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    world, (truth, effect) = arena(rng, raters, items), true_context()
    votes, columns = world.in_context, {"seconds": world.seconds}
    (found,), (plain,) = rate_in_context(votes, columns, world.voter, world.item), rate_in_context(votes, columns)
    yield from of_table(found.table, plain.table, truth)
    yield Seen(found.effects["seconds"], effect, plain.effects["seconds"])


#: Of votes that hang together by these clusters; by none, of each for itself.
Shares = Callable[[Arena, tuple[Ints, ...]], list[Estimate]]


def acceptable(world: Arena, clusters: tuple[Ints, ...]) -> list[Estimate]:
    votes = world.votes()
    return [it.acceptable for it in acceptability(count_votes(votes), among=Clustered(votes, clusters))]


def both_bad(world: Arena, clusters: tuple[Ints, ...]) -> list[Estimate]:
    votes = world.votes()
    return [it.both_bad for it in acceptability(count_votes(votes), among=Clustered(votes, clusters))]


def wins(world: Arena, clusters: tuple[Ints, ...]) -> list[Estimate]:
    votes = world.votes()
    return [it.rate for it in win_rates(count_votes(votes), among=Clustered(votes, clusters))]


def decisive(world: Arena, clusters: tuple[Ints, ...]) -> list[Estimate]:
    votes = world.votes()
    return [decisive_share(count_votes(votes), among=Clustered(votes, clusters))]


def for_the_first(world: Arena, clusters: tuple[Ints, ...]) -> list[Estimate]:
    first, named = world.toward_first
    return [preference(first, *(it[named] for it in clusters)).rate]


@cache
def true_shares(measure: Shares) -> list[float]:
    return [it.estimate or 0.0 for it in measure(endless(), ())]


def of_shares(rng: np.random.Generator, raters: int, items: int, measure: Shares) -> Iterator[Seen]:
    world = arena(rng, raters, items)
    found, plain = measure(world, (world.voter, world.item)), measure(world, ())
    for it, truth, own in zip(found, true_shares(measure), plain, strict=True):
        yield Seen(it, truth, own)


def opinions(rng: np.random.Generator, raters: int, items: int) -> tuple[Floats, Ints, Ints]:
    """Everybody rates every item once."""
    rater, item = np.divmod(np.arange(raters * items), items)
    values = rng.normal(0, 0.4, raters)[rater] + rng.normal(0, 0.5, items)[item] + rng.normal(0, 0.75, len(item))
    return values, item, rater


def of_opinions(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    values, item, rater = opinions(rng, raters, items)
    plain = cluster_mean(values.tolist(), range(len(values)))
    yield Seen(two_way_mean(values, item, rater), 0.0, plain)


_SPREAD = float(np.sqrt(0.4**2 + 0.5**2 + 0.75**2))
_MUSHRA = np.clip(80 + 15 * _SPREAD * np.random.default_rng(0).normal(size=_MANY), 0, 100).mean()


def of_mushra(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    """On a scale of 0 to 100, near its end."""
    values, item, rater = opinions(rng, raters, items)
    values = np.clip(80 + 15 * values, 0, 100)
    plain = cluster_mean(values.tolist(), range(len(values)), ends=(0.0, 100.0))
    yield Seen(two_way_mean(values, item, rater, ends=(0.0, 100.0)), float(_MUSHRA), plain)


def of_adjusted(rng: np.random.Generator, raters: int, items: int, of: str) -> Iterator[Seen]:
    world = World(systems=4, items=items, raters=raters, per_response=max(2, min(3, raters - 1)), taste=0.2)
    rated, means, severity = severe_ratings(rng, world)
    found = adjusted_means(rated, n_systems=4, n_raters=raters)
    if of == "severity":
        yield from (Seen(found.severity_of(it), float(severity[it])) for it in range(raters))
    elif of == "difference":
        yield from (Seen(found.difference(it + 1, it), float(means[it + 1] - means[it])) for it in range(3))
    else:
        for it in range(4):
            own = rated.where(rated.systems == it).values.tolist()
            yield Seen(found.mean(it), float(means[it]), cluster_mean(own, range(len(own))))


def of_reliability(rng: np.random.Generator, raters: int, items: int, model: str) -> Iterator[Seen]:
    values, item, rater = opinions(rng, raters, items)
    found = intraclass(values, item, rater)
    share = 0.25 / (0.25 + 0.16 + 0.5625)
    yield Seen(found.one_way if model == "one-way" else found.two_way, share)


VOTE_ROWS: dict[str, Row] = {
    "ratings": of_ratings,
    "differences of ratings": of_differences,
    "ratings and ν by Davidson": of_davidson,
    "ratings and the effect of length in context": of_context,
    "acceptable": partial(of_shares, measure=acceptable),
    "both bad": partial(of_shares, measure=both_bad),
    "win rates on the board": partial(of_shares, measure=wins),
    "decisive votes": partial(of_shares, measure=decisive),
    "preference for the first place": partial(of_shares, measure=for_the_first),
    "mean opinion": of_opinions,
    "mean opinion from 0 to 100, near its end": of_mushra,
    "means adjusted for severity": partial(of_adjusted, of="mean"),
    "differences adjusted for severity": partial(of_adjusted, of="difference"),
    "severity of each rater": partial(of_adjusted, of="severity"),
    "ICC(1)": partial(of_reliability, model="one-way"),
    "ICC(2,1)": partial(of_reliability, model="two-way"),
}
