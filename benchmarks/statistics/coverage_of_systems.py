"""Systems that are simulated, and whether intervals of how alike two sides rank them hold how alike they truly are.

Every repeat draws its systems anew, whose strengths by the two sides are so far alike (`alike`, in log-odds), and
then items and votes. The truth is the correlation of these very systems' win rates, or means, over endlessly many
items. Where systems are few a coefficient of ranks has few values, so the share moves in steps.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Literal

import numpy as np
from scipy.special import expit

from benchmarks.statistics.coverage_of_ratings import held
from stats.arrays import Floats
from stats.results import Estimate
from stats.systems.correlation import Coefficient, drawn_correlation
from stats.systems.system_level import OverItems
from stats.systems.system_rates import Rates, correlations, rank_correlation, rates_by_item, resample_items

RESAMPLES = 1_000
TIES = 0.15
#: How much one item suits a system, as a standard deviation in log-odds, half of it for both sides alike.
SUITS, IN_COMMON = 0.7, 0.5


def strengths(rng: np.random.Generator, systems: int, alike: float) -> Floats:
    """Of systems by both sides, shape (systems, 2)."""
    drawn = rng.normal(size=(systems, 2))
    drawn[:, 1] = alike * drawn[:, 0] + np.sqrt(1 - alike**2) * drawn[:, 1]
    return drawn


@cache
def _points() -> tuple[Floats, Floats]:
    at, weights = np.polynomial.hermite_e.hermegauss(15)
    return at, weights / weights.sum()


def true_rates(strength: Floats) -> Floats:
    """Of systems that meet each other equally often, over endlessly many items."""
    at, weights = _points()
    gaps = (strength[:, np.newaxis] - strength)[..., np.newaxis] + np.sqrt(2) * SUITS * at
    chance = expit(gaps) @ weights
    np.fill_diagonal(chance, 0)
    rates: Floats = (1 - TIES) * chance.sum(axis=1) / (len(strength) - 1) + TIES / 2
    return rates


def votes_on_items(rng: np.random.Generator, strength: Floats, items: int, votes: int) -> tuple[Rates, Rates]:
    """Both sides vote once on the same pairs, `votes` of them on each item."""
    systems = len(strength)
    suits = rng.normal(size=(3, items, systems))
    item = np.repeat(np.arange(items), votes)
    a = rng.integers(systems, size=len(item))
    b = (a + rng.integers(1, systems, size=len(item))) % systems
    found = []
    for side in (0, 1):
        mixed = SUITS * (np.sqrt(IN_COMMON) * suits[2] + np.sqrt(1 - IN_COMMON) * suits[side])
        gap = strength[a, side] + mixed[item, a] - strength[b, side] - mixed[item, b]
        score = np.where(rng.random(len(item)) < TIES, 0.5, rng.random(len(item)) < expit(gap))
        found.append(rates_by_item(a, b, score, item, shape=(items, systems)))
    return found[0], found[1]


def of_rates(
    rng: np.random.Generator, kind: Coefficient, systems: int, alike: float | None = None, votes: int = 4
) -> bool | None:
    """As `reports.kinds.systems` shows a judge beside people; alike by anything from 0 to 1 where nothing is said."""
    strength = strengths(rng, systems, float(rng.random()) if alike is None else alike)
    sides = votes_on_items(rng, strength, 200, votes)
    drawn = resample_items(sides, rng=rng, resamples=RESAMPLES)
    found = rank_correlation(*sides, (drawn.rates[0], drawn.rates[1]), drawn, kind=kind)
    return _held_within(found, true_rates(strength[:, 0]), true_rates(strength[:, 1]), kind)


def of_means(
    rng: np.random.Generator, kind: Coefficient, systems: int, alike: float, *, whole: bool = False
) -> bool | None:
    """Means of ratings of 60 items beside those of a metric, or beside scores of whole systems (`reports…scales`)."""
    true = strengths(rng, systems, alike)
    items, places = np.repeat(np.arange(60), systems), np.tile(np.arange(systems), 60)
    over = OverItems(60, systems, rng=rng, resamples=RESAMPLES)
    rated, measured = (true[places, side] + rng.normal(0, 2, len(places)) for side in (0, 1))
    other = over.constant(true[:, 1]) if whole else over.means(measured, items, places)
    return _held_within(
        over.correlate(over.means(rated, items, places), other, kind=kind), true[:, 0], true[:, 1], kind
    )


def of_sample(rng: np.random.Generator, kind: Literal["pearson", "spearman"], systems: int) -> bool | None:
    """Scores of a few systems, and the truth of all from which they are drawn (`reports…arena_rubric`)."""
    alike = float(rng.random())
    one, other = strengths(rng, systems, alike).T
    truth = alike if kind == "pearson" else 6 / np.pi * float(np.arcsin(alike / 2))
    return held(drawn_correlation(one.tolist(), other.tolist(), kind=kind), truth)


def _held_within(found: Estimate, one: Floats, other: Floats, kind: Coefficient) -> bool | None:
    """Whether the interval holds the true coefficient; ends and truth are the same where only rounding parts them."""
    truth = float(correlations(one[np.newaxis], other[np.newaxis], kind=kind)[0])
    return held(found, round(truth, 12))


SYSTEMS: dict[str, Callable[[np.random.Generator], bool | None]] = {
    "Kendall's τ-b of eight systems' true win rates, judge and people": partial(
        of_rates, kind="kendall", systems=8, alike=0.7
    ),
    "Spearman's ρ of eight systems' true win rates, judge and people": partial(
        of_rates, kind="spearman", systems=8, alike=0.7
    ),
    "Pearson's r of eight systems' true win rates, judge and people": partial(
        of_rates, kind="pearson", systems=8, alike=0.7
    ),
    "Kendall's τ-b of 13 systems' true win rates, a judge much like people": partial(
        of_rates, kind="kendall", systems=13, alike=0.9
    ),
    "Pearson's r of 13 systems' true win rates, a judge unlike people": partial(
        of_rates, kind="pearson", systems=13, alike=0.2
    ),
    "Spearman's ρ of 13 systems' true win rates, any judge, one vote on each of 200 items": partial(
        of_rates, kind="spearman", systems=13, votes=1
    ),
    "Pearson's r of five systems' true win rates, any judge": partial(of_rates, kind="pearson", systems=5),
    "Spearman's ρ of five systems' true win rates, any judge": partial(of_rates, kind="spearman", systems=5),
    "Kendall's τ-b of five systems' true win rates, any judge": partial(of_rates, kind="kendall", systems=5),
    "Spearman's ρ of eight systems' true means, ratings and a metric of 60 items": partial(
        of_means, kind="spearman", systems=8, alike=0.7
    ),
    "Pearson's r of eight systems' true means, ratings and a metric of 60 items": partial(
        of_means, kind="pearson", systems=8, alike=0.7
    ),
    "Spearman's ρ of 13 systems' true means, ratings and a score of whole systems": partial(
        of_means, kind="spearman", systems=13, alike=0.7, whole=True
    ),
    "Pearson's r of all systems like these six": partial(of_sample, kind="pearson", systems=6),
    "Spearman's ρ of all systems like these seven": partial(of_sample, kind="spearman", systems=7),
    "Spearman's ρ of all systems like these 13": partial(of_sample, kind="spearman", systems=13),
}
