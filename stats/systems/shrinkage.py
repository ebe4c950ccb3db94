"""What two sets of measured means say of the true ones: resamples drawn together by what is noise in them."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats
from stats.intervals import MAX_UNDEFINED, percentiles
from stats.results import Estimate, Interval

#: How far fewer systems truly differ cannot be told.
FEWEST_SYSTEMS = 5
#: Of how far systems lie apart (variance), more than this may not be noise.
MOST_NOISE = 0.5
#: As many variances as resamples are wanted; those that are less than the noise are drawn again, so often.
_TRIES = 8
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Measured:
    """Means of systems as they are, shape (systems,), and over resamples of `n_items` items, (resamples, systems)."""

    means: Floats
    resampled: Floats
    n_items: int


def true_means(one: Measured, other: Measured, *, rng: np.random.Generator) -> tuple[Floats, Floats] | Reason:
    """Draw what the systems' true means may be on both sides, (draws, systems) each, or say why that means nothing.

    Means of finitely many items differ more than the true ones, and correlate less: resamples of them have the noise
    twice. How far systems truly differ is the variance of the means less that of the resamples around them; with few
    systems it is itself uncertain, so it is drawn from what is left open (inverse Wishart, no less than the noise),
    and each resample is drawn towards the middle by as much as it says (Morris 1983, §1: with the variance known,
    this is the normal posterior of the true means).

    >>> rng = np.random.default_rng(0)
    >>> sides = [Measured(np.arange(6.0), np.arange(6) + rng.normal(0, 0.1, (50, 6)), 40) for _ in range(2)]
    >>> [side.shape for side in true_means(*sides, rng=rng)]
    [(50, 6), (50, 6)]
    """
    known = ~np.isnan(np.concatenate([one.resampled, other.resampled], axis=1)).any(axis=1)
    undefined = int((~known).sum())
    if undefined > MAX_UNDEFINED * len(known):
        return reasons.RESAMPLES_UNDEFINED(undefined=undefined, n=len(known))
    n = len(one.means)
    if n < FEWEST_SYSTEMS:
        return reasons.FEW_FOR_INTERVAL(least=FEWEST_SYSTEMS, n=n)
    middle = _centred(np.stack([one.means, other.means], axis=-1))
    off = _centred(np.stack([one.resampled[known], other.resampled[known]], axis=-1) - middle)
    off *= _stretch(one.n_items)
    spread = middle.T @ middle / (n - 1)
    noise = np.einsum("bsi,bsj->ij", off, off) / len(off) / (n - 1)
    if (np.diag(noise) > MOST_NOISE * np.diag(spread)).any():
        return reasons.MAYBE_NOISE()
    if spread[0, 1] ** 2 > (1 - _SAME) * spread[0, 0] * spread[1, 1]:
        return middle[:, 0] + off[:, :, 0], middle[:, 1] + off[:, :, 1]
    noise += np.diag(_SAME * np.diag(spread))
    drawn = _variances(spread, n, len(off), noise, rng)
    if drawn is None:
        return reasons.NOISE()
    pulled, kept = _shrinkage(drawn, noise)
    truth = np.einsum("bij,sj->bsi", pulled, middle) + np.einsum("bij,bsj->bsi", kept, off)
    return truth[:, :, 0], truth[:, :, 1]


def interval_between(estimate: Estimate, values: Floats, *, level: float, method: str) -> Estimate:
    """Add the interval between percentiles of drawn values; of one that comes often, half counts as beyond it.

    Coefficients of few systems' ranks have few values; ends that leave the whole of one inside hold too often
    (mid-distribution quantiles: Ma, Genton & Parzen 2011).

    >>> interval_between(Estimate(2, n=9, method="ρ"), np.repeat([0.0, 1, 2], 3), level=0.5, method="drawn").interval
    Interval(low=1.0, high=1.0, level=0.5, method='drawn')
    """
    found, times = np.unique(np.round(values[~np.isnan(values)], 12), return_counts=True)
    below = (np.cumsum(times) - times / 2) / times.sum()
    tail = (1 - level) / 2
    low, high = np.searchsorted(below, tail), np.searchsorted(below, 1 - tail, side="right") - 1
    return replace(estimate, interval=Interval(float(found[low]), float(found[high]), level, method))


def _centred(systems: Floats) -> Floats:
    centred: Floats = systems - systems.mean(axis=-2, keepdims=True)
    return centred


def _stretch(n_items: int) -> float:
    """By how much resamples of few items vary too little (see `intervals.percentiles`)."""
    return float(scipy.special.ndtri(percentiles(0.95, n_items).high) / scipy.stats.norm.ppf(0.975))


def _variances(spread: Floats, n: int, size: int, noise: Floats, rng: np.random.Generator) -> Floats | None:
    """Variances of measured means that the spread of n systems leaves open, (size, 2, 2), none below the noise."""
    bartlett = np.zeros((_TRIES * size, 2, 2))
    bartlett[:, 0, 0] = np.sqrt(rng.chisquare(n - 1, len(bartlett)))
    bartlett[:, 1, 1] = np.sqrt(rng.chisquare(n - 2, len(bartlett)))
    bartlett[:, 1, 0] = rng.normal(size=len(bartlett))
    root = np.linalg.cholesky((n - 1) * spread) @ np.linalg.inv(bartlett).transpose(0, 2, 1)
    drawn: Floats = root @ root.transpose(0, 2, 1)
    drawn = drawn[_exceeds(drawn, noise)]
    if len(drawn) < size // 10:
        return None
    return drawn[np.arange(size) % len(drawn)]


def _exceeds(variances: Floats, noise: Floats) -> Bools:
    left = variances - noise
    one, other, both = left[:, 0, 0], left[:, 1, 1], left[:, 0, 1]
    return np.asarray((one > 0) & (other > 0) & (one * other > both * both))


def _shrinkage(variances: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Matrices that take measured means to the middle of what true ones may be, and noise to what is left of it."""
    root, back = (_power(noise, exponent) for exponent in (0.5, -0.5))
    values, vectors = np.linalg.eigh(back @ variances @ back)
    share, turned = np.clip(1 - 1 / values, 0, 1)[:, np.newaxis], vectors.transpose(0, 2, 1)
    return root @ (vectors * share) @ turned @ back, root @ (vectors * np.sqrt(share)) @ turned @ back


def _power(matrix: Floats, exponent: float) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    powered: Floats = (vectors * values**exponent) @ vectors.T
    return powered
