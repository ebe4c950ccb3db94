"""How often intervals hold the truth, where the truth is known because it was simulated.

    python -m benchmarks.coverage [repeats]

Intervals of 95 % should hold it in 95 of 100 repeats: ratings in 93.5 to 96.5, everything else in 93 to 97. Voters
with tastes have preferences of their own for each system, with a standard deviation of 1 in log-odds; the truth is
then what votes of ever more voters tend to.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit

from analytics.stats.acceptability import acceptability
from analytics.stats.agreement import cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from analytics.stats.arrays import Bools, Floats, Ints
from analytics.stats.bradley_terry import bradley_terry
from analytics.stats.ceiling import human_ceiling
from analytics.stats.comparison import accuracy, accuracy_difference
from analytics.stats.contextual import rate_in_context
from analytics.stats.correlation import correlation
from analytics.stats.davidson import rate_with_ties
from analytics.stats.elo import POINTS
from analytics.stats.intervals import Bootstrap
from analytics.stats.labels import LabelTable
from analytics.stats.means import two_way_mean
from analytics.stats.prediction_powered import corrected_mean
from analytics.stats.rater_pairs import PairCells, alphas, kappas
from analytics.stats.ratings import RatingTable, rate, rate_votes
from analytics.stats.resampling import ClusterBootstrap, MultinomialBootstrap
from analytics.stats.results import Estimate
from analytics.stats.votes import Counts, Votes, count_votes
from benchmarks.timing import on_one_thread

LABELS = ("1", "2", "both_good", "both_bad")
TIES = 0.2


def main() -> None:
    on_one_thread("benchmarks.coverage")
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(f"Coverage of 95 % intervals in {repeats} repeats")
    for name, repeat in RATINGS.items():
        report(name, (hit for seed in range(repeats) for hit in repeat(np.random.default_rng(seed))), (0.935, 0.965))
    for name, single in STATISTICS.items():
        report(name, (single(np.random.default_rng(seed)) for seed in range(repeats)), (0.93, 0.97))


def report(name: str, hits: Iterator[bool | None], bounds: tuple[float, float]) -> None:
    """Print the share of intervals that held the truth, and how many were undefined."""
    found = list(hits)
    defined = [hit for hit in found if hit is not None]
    share = sum(defined) / len(defined)
    verdict = "met" if bounds[0] <= share <= bounds[1] else "MISSED"
    undefined = f", {len(found) - len(defined)} undefined" if len(defined) < len(found) else ""
    print(f"  {name:<72} {share:.1%} of {len(defined):,}{undefined}  {verdict}")


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


def judged(rng: np.random.Generator, n: int, judges: int) -> tuple[LabelTable, Bools]:
    """Raters who know the label with probability .7 and else guess; the last column is the label."""
    true = rng.integers(0, 4, n)
    knows = rng.random((n, judges)) < 0.7
    return LabelTable(
        np.column_stack([np.where(knows, true[:, np.newaxis], rng.integers(0, 4, (n, judges))), true]), LABELS
    ), knows


def kappa(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(cohen_kappa(table.raters(0, 1), bootstrap=Bootstrap(rng, resamples=400)), 0.49)


def alpha(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 3)
    return held(krippendorff_alpha(table.raters(0, 1, 2), bootstrap=Bootstrap(rng, resamples=400)), 0.49)


def alpha_over_items(rng: np.random.Generator) -> bool | None:
    """Sixty items of ten units each, on half of which raters know nothing."""
    item = np.repeat(np.arange(60), 10)
    table, _ = judged(rng, 600, 3)
    lost = (rng.random(60) < 0.5)[item, np.newaxis]
    codes = np.where(lost, rng.integers(0, 4, (600, 3)), table.codes[:, :3])
    bootstrap = Bootstrap(rng, resamples=400, clusters=item)
    return held(krippendorff_alpha(LabelTable(codes, LABELS), bootstrap=bootstrap), 0.245)


def of_pairs_over_items(
    rng: np.random.Generator, measure: Callable[..., tuple[PairCells, list[Estimate]]]
) -> bool | None:
    """The jackknife over items: forty of them with five units each, on half of which raters know nothing."""
    item = np.repeat(np.arange(40), 5)
    table, _ = judged(rng, 200, 4)
    lost = (rng.random(40) < 0.5)[item, np.newaxis]
    codes = np.where(lost, rng.integers(0, 4, (200, 4)), table.codes[:, :4])
    return held(measure(LabelTable(codes, LABELS), clusters=item)[1][0], 0.245)


def percent(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(percent_agreement(table.raters(0, 1)), 0.49 + 0.51 / 4)


def of_three(rng: np.random.Generator, measure: Callable[..., Estimate], truth: float, **how: Any) -> bool | None:
    """A coefficient of three raters on 200 units; where all guess alike, every coefficient tends to how many know."""
    return held(
        measure(judged(rng, 200, 3)[0].raters(0, 1, 2), bootstrap=Bootstrap(rng, resamples=400), **how), truth
    )


def weighted(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(cohen_kappa(table.raters(0, 1), weights="typed_tie", bootstrap=Bootstrap(rng, resamples=400)), 0.49)


def of_pairs(
    rng: np.random.Generator, measure: Callable[[LabelTable], tuple[PairCells, list[Estimate]]]
) -> bool | None:
    """The jackknife: one of the pairs, as they share raters."""
    return held(measure(judged(rng, 100, 4)[0].raters(0, 1, 2, 3))[1][0], 0.49)


#: Of three who know with .7 and else guess one of four: the third says what the other two say, where they agree.
CEILING = (0.775**3 + 3 * 0.075**3) / (0.775**2 + 3 * 0.075**2)


def right(rng: np.random.Generator) -> bool | None:
    return held(accuracy(judged(rng, 200, 1)[0], bootstrap=Bootstrap(rng, resamples=400)), 0.7 + 0.3 / 4)


def difference(rng: np.random.Generator) -> bool | None:
    return held(accuracy_difference(judged(rng, 200, 2)[0], bootstrap=Bootstrap(rng, resamples=400)), 0.0)


def pearson(rng: np.random.Generator) -> bool | None:
    one = rng.normal(size=60)
    other = 0.6 * one + 0.8 * rng.normal(size=60)
    found = correlation(one.tolist(), other.tolist(), kind="pearson", bootstrap=Bootstrap(rng, resamples=400))
    return held(found, 0.6)


def corrected(rng: np.random.Generator, n: int = 200) -> bool | None:
    """A win rate of 40 % from labels on some of 2,000 units, and a judge that is right on 85 % and else names one."""
    labels = (rng.random(2_000) < 0.4).astype(np.float64)
    said = np.where(rng.random(2_000) < 0.85, labels, 1.0)
    return held(corrected_mean(labels[:n], said[:n], said[n:]).estimate, 0.4)


def opinion(rng: np.random.Generator, n_raters: int = 20, raters: float = 0.4) -> bool | None:
    """Sixty items, each with ratings by three of the raters, who differ by `raters`; items and ratings do, too."""
    item = np.repeat(np.arange(60), 3)
    rater = np.concatenate([rng.choice(n_raters, 3, replace=False) for _ in range(60)])
    values = rng.normal(0, 0.7, 60)[item] + rng.normal(0, raters, n_raters)[rater] + rng.normal(size=180)
    return held(two_way_mean(values, item, rater), 0.0)


def clustered_spearman(rng: np.random.Generator) -> bool | None:
    """Two hundred responses to forty items that are common to five of them; ρ is 6/π · asin(0.5 / 2)."""
    item = np.repeat(np.arange(40), 5)
    common = rng.normal(size=40)[item]
    sides = [(common + rng.normal(size=200)).tolist() for _ in range(2)]
    found = correlation(sides[0], sides[1], bootstrap=Bootstrap(rng, resamples=400, clusters=item))
    return held(found, 6 / np.pi * float(np.arcsin(0.25)))


RATINGS: dict[str, Callable[[np.random.Generator], Iterator[bool | None]]] = {
    "ratings, sandwich over votes, a fifth of them ties": sandwich_over_votes,
    "ratings, bootstrap over votes": bootstrap_over_votes,
    "ratings, sandwich over 60 voters with tastes": sandwich_over_voters,
    "ratings, bootstrap over 60 voters with tastes": bootstrap_over_voters,
    "ratings, sandwich over 60 voters with tastes and 50 items (the default)": sandwich_over_voters_and_items,
    "differences of two of them": differences_over_voters_and_items,
    "ratings and ν of Davidson's model, sandwich over votes": davidson_over_votes,
    "ratings and effects at equal context, sandwich over votes": at_equal_context,
    "acceptability (Wilson)": acceptable,
    "a newcomer of the middle with 50 votes in an arena of 1,000,000": partial(newcomer, strength=0.0),
    "a newcomer near the top with 50 votes in an arena of 1,000,000": partial(newcomer, strength=1.3),
}
STATISTICS: dict[str, Callable[[np.random.Generator], bool | None]] = {
    "Cohen's κ, 200 units": kappa,
    "Krippendorff's α, 200 units, 3 raters": alpha,
    "Krippendorff's α over 60 items, half of them hard": alpha_over_items,
    "Krippendorff's α, typed ties, 200 units, 3 raters": partial(
        of_three, measure=krippendorff_alpha, truth=0.49, level="typed_tie"
    ),
    "Krippendorff's α, ordinal, 200 units, 3 raters": partial(
        of_three, measure=krippendorff_alpha, truth=0.49, level="ordinal"
    ),
    "Fleiss' κ, 200 units, 3 raters": partial(of_three, measure=fleiss_kappa, truth=0.49),
    "Gwet's AC1, 200 units, 3 raters": partial(of_three, measure=gwet_ac1, truth=0.49),
    "Cohen's κ with typed-tie weights, 200 units": weighted,
    "Cohen's κ of a pair among four, 100 units (jackknife)": partial(of_pairs, measure=kappas),
    "Krippendorff's α of a pair among four, 100 units (jackknife)": partial(of_pairs, measure=alphas),
    "Cohen's κ of a pair among four, 40 items of five units (jackknife over items)": partial(
        of_pairs_over_items, measure=kappas
    ),
    "Krippendorff's α of a pair among four, 40 items of five units (jackknife over items)": partial(
        of_pairs_over_items, measure=alphas
    ),
    "percent agreement, 200 units, 3 raters": partial(of_three, measure=percent_agreement, truth=0.49 + 0.51 / 4),
    "people against the others, 200 units, 3 raters": partial(of_three, measure=human_ceiling, truth=CEILING),
    "percent agreement, 200 units (Wilson)": percent,
    "accuracy, 200 units": right,
    "difference of two accuracies, 200 units, paired": difference,
    "Pearson's r, 60 items": pearson,
    "Spearman's ρ, 200 responses to 40 items": clustered_spearman,
    "mean opinion, 60 items, three of 20 raters each": opinion,
    "mean opinion, 60 items, three raters": partial(opinion, n_raters=3),
    "mean opinion, 60 items, three raters who hardly differ": partial(opinion, n_raters=3, raters=0.2),
    "mean opinion, 60 items, three raters who differ much": partial(opinion, n_raters=3, raters=1.2),
    "win rate corrected by a judge (PPI++), 200 labels among 2,000 units": corrected,
}

if __name__ == "__main__":
    main()
