"""Votes that are simulated, and whether the ratings' intervals hold what they were simulated from.

Voters with tastes have preferences of their own for each system, with a standard deviation of 1 in log-odds; the
truth is then what votes of ever more voters tend to.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from scipy.special import expit

from stats.arrays import Floats, Ints
from stats.ratings.acceptability import acceptability
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.contextual import rate_in_context
from stats.ratings.davidson import rate_with_ties
from stats.ratings.elo import POINTS
from stats.ratings.resampling import ClusterBootstrap, MultinomialBootstrap
from stats.ratings.table import RatingTable, rate, rate_votes
from stats.ratings.votes import Counts, Votes, count_votes
from stats.results import Estimate

TIES = 0.2
#: How unlike few voters are, as the standard deviation of their tastes in log-odds.
FEW = {"with tastes": 1.0, "who are alike": 0.0}
#: Rows whose intervals may be too wide, and never too narrow: few clusters cannot tell their variance.
AT_LEAST = tuple(f"ratings, {n} voters {kind}" for n in (3, 4, 6, 8) for kind in FEW)


def held(estimate: Estimate, truth: float) -> bool | None:
    interval = estimate.interval
    return None if interval is None else bool(interval.low <= truth <= interval.high)


def all_held(table: RatingTable, truth: Floats) -> Iterator[bool | None]:
    points = 1000 + POINTS * (truth - truth.mean())
    return (held(it.rating, point) for it, point in zip(table.ratings, points, strict=True))


def expected_log_odds(chance: Floats) -> Floats:
    """The log-odds to which half-win ratings tend, from each pair's chances of a win; ties of a share TIES."""
    scores = (1 - TIES) * chance + TIES / 2
    np.fill_diagonal(scores, 0)
    return bradley_terry(scores).log_odds


def votes_of(rng: np.random.Generator, gap: Floats, first: Ints, second: Ints, systems: int) -> Votes:
    tied = rng.random(len(gap)) < TIES
    outcome = np.where(tied, rng.integers(2, 4, len(gap)), rng.random(len(gap)) > expit(gap))
    return Votes(first, second, outcome, tuple(map(str, range(systems))))


def plain_votes(rng: np.random.Generator, n: int = 2_000) -> tuple[Votes, Floats]:
    log_odds = np.linspace(-1, 1, 8)
    first, second = pairs(rng, 8, n)
    truth = expected_log_odds(expit(log_odds[:, np.newaxis] - log_odds))
    return votes_of(rng, log_odds[first] - log_odds[second], first, second, 8), truth


def pairs(rng: np.random.Generator, systems: int, n: int) -> tuple[Ints, Ints]:
    first = rng.integers(systems, size=n)
    second: Ints = (first + rng.integers(1, systems, size=n)) % systems
    return first, second


def tasteful_votes(rng: np.random.Generator) -> tuple[Votes, Ints, Floats]:
    """Sixty voters with a hundred votes each, between ten systems."""
    log_odds, voter = np.linspace(-1, 1, 10), np.arange(6_000) // 100
    tastes = rng.normal(0, 1, (60, 10)) + log_odds
    first, second = pairs(rng, 10, len(voter))
    votes = votes_of(rng, tastes[voter, first] - tastes[voter, second], first, second, 10)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gaps = (log_odds[:, np.newaxis] - log_odds)[..., np.newaxis] + np.sqrt(2) * nodes
    return votes, voter, expected_log_odds((expit(gaps) * weights / weights.sum()).sum(axis=-1))


def votes_on_items(rng: np.random.Generator, n_items: int = 50) -> tuple[Votes, Ints, Ints, Floats]:
    """The same on fifty items, each of which suits every system a little more or less."""
    log_odds, voter = np.linspace(-1, 1, 10), np.arange(6_000) // 100
    tastes, suits = rng.normal(0, 1, (60, 10)) + log_odds, rng.normal(0, 0.5, (n_items, 10))
    first, second = pairs(rng, 10, len(voter))
    item = rng.integers(n_items, size=len(voter))
    gap = tastes[voter, first] - tastes[voter, second] + suits[item, first] - suits[item, second]
    votes = votes_of(rng, gap, first, second, 10)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gaps = (log_odds[:, np.newaxis] - log_odds)[..., np.newaxis] + np.sqrt(2 * 1.25) * nodes
    return votes, voter, item, expected_log_odds((expit(gaps) * weights / weights.sum()).sum(axis=-1))


def sandwich_over_votes(rng: np.random.Generator) -> Iterator[bool | None]:
    votes, truth = plain_votes(rng)
    return all_held(rate_votes(votes)[0], truth)


def bootstrap_over_votes(rng: np.random.Generator) -> Iterator[bool | None]:
    votes, truth = plain_votes(rng)
    return all_held(rate(count_votes(votes), errors=MultinomialBootstrap(rng, resamples=400))[0], truth)


def sandwich_over_voters(rng: np.random.Generator) -> Iterator[bool | None]:
    votes, voter, truth = tasteful_votes(rng)
    return all_held(rate_votes(votes, voter)[0], truth)


def sandwich_over_voters_and_items(rng: np.random.Generator) -> Iterator[bool | None]:
    votes, voter, item, truth = votes_on_items(rng)
    return all_held(rate_votes(votes, voter, item)[0], truth)


def few_votes(rng: np.random.Generator, n: int, unlike: float) -> tuple[Votes, Ints, Ints, Floats]:
    """As many voters as items, each of whom votes on each item eight times, between four systems.

    Voters' tastes have a standard deviation of `unlike` in log-odds, and items suit systems half as unlike.
    """
    log_odds, cell = np.linspace(-0.6, 0.6, 4), np.arange(8 * n * n) // 8
    voter, item = cell // n, cell % n
    tastes, suits = rng.normal(0, unlike, (n, 4)) + log_odds, rng.normal(0, unlike / 2, (n, 4))
    first, second = pairs(rng, 4, len(cell))
    gap = tastes[voter, first] - tastes[voter, second] + suits[item, first] - suits[item, second]
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gaps = (log_odds[:, np.newaxis] - log_odds)[..., np.newaxis] + np.sqrt(2 * 1.25) * unlike * nodes
    truth = expected_log_odds((expit(gaps) * weights / weights.sum()).sum(axis=-1))
    return votes_of(rng, gap, first, second, 4), voter, item, truth


def over_few_voters_and_items(rng: np.random.Generator, n: int, unlike: float) -> Iterator[bool | None]:
    votes, voter, item, truth = few_votes(rng, n, unlike)
    (table,) = rate_votes(votes, voter, item)
    return (None if row.provisional else hit for row, hit in zip(table.ratings, all_held(table, truth), strict=True))


def differences_over_voters_and_items(rng: np.random.Generator) -> Iterator[bool | None]:
    """Each system against the next: what the sentence on two systems, and ranks, are made of."""
    votes, voter, item, truth = votes_on_items(rng)
    (table,) = rate_votes(votes, voter, item)
    names = votes.systems
    return (
        held(table.difference(names[it], names[it + 1]), POINTS * float(truth[it] - truth[it + 1])) for it in range(9)
    )


def davidson_over_votes(rng: np.random.Generator) -> Iterator[bool | None]:
    """Votes as Davidson's model has them, with ν = 0.8: every rating, and ν."""
    log_odds = np.linspace(-1, 1, 8)
    first, second = pairs(rng, 8, 2_000)
    parts = np.exp(np.stack([log_odds[first], log_odds[second], (log_odds[first] + log_odds[second]) / 2]))
    parts[2] *= 0.8
    outcome = (rng.random(2_000) > (parts / parts.sum(axis=0)).cumsum(axis=0)).sum(axis=0)
    (found,) = rate_with_ties(Votes(first, second, outcome, tuple(map(str, range(8)))))
    yield from all_held(found.table, log_odds)
    yield held(found.tie, 0.8)


def at_equal_context(rng: np.random.Generator) -> Iterator[bool | None]:
    """Systems at equal duration, and the effect of duration and of position, each vote for itself."""
    log_odds = np.linspace(-1, 1, 8)
    first, second = pairs(rng, 8, 2_000)
    longer = rng.normal(0, 1, 2_000) + log_odds[first] - log_odds[second]
    gap = log_odds[first] - log_odds[second] + 0.3 * longer + 0.2
    votes = Votes(first, second, (rng.random(2_000) > expit(gap)).astype(np.int64), tuple(map(str, range(8))))
    (found,) = rate_in_context(votes, {"seconds": longer, "first": np.ones(2_000)})
    yield from all_held(found.table, log_odds)
    yield held(found.effects["seconds"], 0.3)
    yield held(found.effects["first"], 0.2)


def acceptable(rng: np.random.Generator) -> Iterator[bool | None]:
    """Wilson's interval of the share of votes that find a system good enough."""
    outcome = rng.choice(4, p=[0.3, 0.3, 0.25, 0.15], size=300)
    first, second = pairs(rng, 3, 300)
    found = acceptability(count_votes(Votes(first, second, outcome, ("A", "B", "C"))))
    return (held(it.acceptable, (0.3 + 0.25) / (0.3 + 0.25 + 0.15)) for it in found)


def bootstrap_over_voters(rng: np.random.Generator) -> Iterator[bool | None]:
    votes, voter, truth = tasteful_votes(rng)
    return all_held(rate(count_votes(votes), errors=ClusterBootstrap(votes, voter, rng, resamples=400))[0], truth)


@cache
def arena(strength: float) -> tuple[Counts, float]:
    """A million votes between thirty systems, and the rating to which a newcomer of that strength tends."""
    log_odds, rng = among_thirty(strength), np.random.default_rng(0)
    first, second = pairs(rng, 30, 1_000_000)
    counts = count_votes(votes_of(rng, log_odds[first] - log_odds[second], first, second, 31))
    scores = (1 - TIES) * expit(log_odds[:, np.newaxis] - log_odds) + TIES / 2
    scores[:30, :30] *= 1e5
    np.fill_diagonal(scores, 0)
    tends = bradley_terry(scores).log_odds
    return counts, float(1000 + POINTS * (tends[30] - tends[:30].mean()))


def among_thirty(strength: float) -> Floats:
    return np.append(np.linspace(-1.5, 1.5, 30), strength)


def newcomer(rng: np.random.Generator, strength: float) -> Iterator[bool | None]:
    """A system with 50 votes among thirty that have a million."""
    counts, truth = arena(strength)
    log_odds = among_thirty(strength)
    others, is_first = rng.integers(30, size=50), rng.random(50) < 0.5
    first, second = np.where(is_first, 30, others), np.where(is_first, others, 30)
    own = count_votes(votes_of(rng, log_odds[first] - log_odds[second], first, second, 31))
    (table,) = rate(Counts(counts.table + own.table, counts.systems))
    yield None if table.provisional else held(table.ratings[30].rating, truth)


RATINGS: dict[str, Callable[[np.random.Generator], Iterator[bool | None]]] = {
    "ratings, sandwich over votes, a fifth of them ties": sandwich_over_votes,
    "ratings, bootstrap over votes": bootstrap_over_votes,
    "ratings, sandwich over 60 voters with tastes": sandwich_over_voters,
    "ratings, bootstrap over 60 voters with tastes": bootstrap_over_voters,
    "ratings, sandwich over 60 voters with tastes and 50 items (the default)": sandwich_over_voters_and_items,
    "differences of two of them": differences_over_voters_and_items,
    **{
        f"ratings, {n} voters {kind} crossed with {n} items": partial(over_few_voters_and_items, n=n, unlike=unlike)
        for n in (3, 4, 6, 8)
        for kind, unlike in FEW.items()
    },
    "ratings and ν of Davidson's model, sandwich over votes": davidson_over_votes,
    "ratings and effects at equal context, sandwich over votes": at_equal_context,
    "acceptability (Wilson)": acceptable,
    "a newcomer of the middle with 50 votes in an arena of 1,000,000": partial(newcomer, strength=0.0),
    "a newcomer near the top with 50 votes in an arena of 1,000,000": partial(newcomer, strength=1.3),
}
