"""How many raters, how many items: what a study of another size can be expected to bring (a D study)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import scipy

from stats.rater_models.components import Components
from stats.systems.means import generalized_half, two_way_freedom

#: Half widths that a study can be planned for: of a system's mean, and of the difference of two.
Quantity = Literal["mean", "difference", "plain_difference"]
#: With fewer raters, or items, there is no interval over both.
FEWEST = 3
#: More items are not looked at.
MOST_ITEMS = 100_000
#: More raters of one response are not looked at.
MOST_PER_RESPONSE = 12
#: The normal quantile of 95 % intervals, so that SciPy is not loaded for it.
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Size:
    """A study: every system's response to each of `items`, rated by `per_response` of `raters`, drawn at random."""

    items: int
    raters: int
    per_response: int

    def __post_init__(self) -> None:
        if not 1 <= self.per_response <= self.raters or self.items < 1:
            raise ValueError("a response is rated by one rater at least, and by no more than there are")

    @property
    def per_system(self) -> int:
        return self.items * self.per_response


@dataclass(frozen=True)
class Expected:
    """What a study of this size can be expected to bring.

    `mean` and `difference` are the expected half widths of the intervals that `severity.adjusted_means` gives for a
    system's mean and for the difference of two, `plain_difference` is that without adjustment for severity; None with
    fewer than three raters or items. The errors are standard errors. `reliability` (Eρ²) is how well systems are told
    apart by such means, `dependability` (Φ) how well means are known as such; None where systems do not differ.
    """

    size: Size
    mean: float | None
    difference: float | None
    plain_difference: float | None
    mean_error: float
    difference_error: float
    plain_error: float
    reliability: float | None
    dependability: float | None

    def half(self, quantity: Quantity) -> float | None:
        return {"mean": self.mean, "difference": self.difference, "plain_difference": self.plain_difference}[quantity]


@dataclass(frozen=True)
class _Variances:
    """The variance of a figure, as it is summed over items, over raters, and over what one rater said of one item."""

    items: float
    raters: float
    cells: float
    systems: int

    @property
    def total(self) -> float:
        return self.items + self.raters - self.cells

    def half(self, size: Size, level: float) -> float | None:
        """The expected half width of the generalized interval (`means.generalized_half`), from expected variances.

        That an interval from few raters or items is on average shorter than the one at the expected variances
        (Jensen) is allowed for as for the root of a χ² with the degrees of freedom of Satterthwaite (1946).
        """
        if min(size.items, size.raters) < FEWEST:
            return None
        if self.total <= 0:
            return 0.0
        parts = (self.items, self.raters, self.cells)
        freedom = two_way_freedom(parts, *_clusters(size, self.systems))
        known = self.total**2 / sum(it**2 / df for it, df in zip(parts, freedom, strict=True))
        shorter = math.sqrt(2 / known) * math.exp(math.lgamma((known + 1) / 2) - math.lgamma(known / 2))
        return generalized_half(parts, freedom, level) * shorter


def expected(components: Components, size: Size, *, level: float = 0.95) -> Expected:
    """Half widths and coefficients of generalizability for a study of another size (Brennan 2001, ch. 1 and 4).

    Where each rater rates every response this is the crossed design p × i × r; with fewer, what raters add to a mean
    has the share 1/m − 1/R of theirs on top, m of R raters being drawn for each response. Adjusting for severity
    takes that share of the raters' main effect away, from differences of systems; what it costs to estimate severity
    is left out, which is little where a rater has ten ratings or more. Few raters, or items, widen an interval beyond
    its error, as they know their own variance badly.

    >>> pilot = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> found = expected(pilot, Size(items=20, raters=30, per_response=3))
    >>> round(found.difference_error, 3), round(found.plain_error, 3), round(found.reliability, 3)
    (0.173, 0.197, 0.971)
    >>> round(found.difference, 2), round(found.mean, 2)
    (0.38, 0.36)
    """
    mean, difference, plain = _of_mean(components, size), *_of_differences(components, size)
    true = components.at_least_zero("system")
    relative = difference.total / 2
    return Expected(
        size,
        mean=mean.half(size, level),
        difference=difference.half(size, level),
        plain_difference=plain.half(size, level),
        mean_error=math.sqrt(mean.total),
        difference_error=math.sqrt(difference.total),
        plain_error=math.sqrt(plain.total),
        reliability=true / (true + relative) if true else None,
        dependability=true / (true + mean.total) if true else None,
    )


def _clusters(size: Size, systems: int) -> tuple[tuple[float, float, float], tuple[float, float]]:
    """How many items, raters who are drawn at least once, and ratings; how many pairs of ratings share either."""
    responses = systems * size.items
    share = size.per_response / size.raters
    n, seen = float(systems * size.per_system), size.raters * (1 - (1 - share) ** responses)
    of_items = n * (systems * size.per_response - 1)
    of_raters = size.raters * responses * (responses - 1) * share**2
    return (size.items, seen, n), (of_items, of_raters)


def _drawn(size: Size) -> float:
    """The share of raters' effects that comes on top because others are drawn for each response."""
    return (1 / size.per_response - 1 / size.raters) / size.items


def _of_mean(components: Components, size: Size) -> _Variances:
    """Of a system's mean, adjusted: severity counts over raters, and not over items and cells."""
    variance = components.at_least_zero
    per_rating, drawn = 1 / size.per_system, _drawn(size)
    both = variance("item_rater") + variance("residual")
    of_items, tastes = variance("item") + variance("response"), variance("system_rater")
    return _Variances(
        items=of_items / size.items + (tastes + both) * per_rating,
        raters=variance("rater") / size.raters + tastes * (1 / size.raters + drawn) + (of_items + both) * per_rating,
        cells=(of_items + tastes + both) * per_rating,
        systems=1,
    )


def _of_differences(components: Components, size: Size) -> tuple[_Variances, _Variances]:
    """Of the difference of two systems, adjusted and plain: what one rater has for both systems falls out of it."""
    variance = components.at_least_zero
    per_rating, drawn = 1 / size.per_system, _drawn(size)
    response, tastes, rest = variance("response"), variance("system_rater"), variance("residual")
    shared = variance("item_rater") * drawn

    def of(severity: float) -> _Variances:
        return _Variances(
            items=2 * (response / size.items + (tastes + rest) * per_rating + shared + severity),
            raters=2 * (tastes * (1 / size.raters + drawn) + (response + rest) * per_rating + shared + severity),
            cells=2 * ((response + tastes + rest) * per_rating + shared + severity),
            systems=2,
        )

    return of(0.0), of(variance("rater") * drawn)


def half_width(components: Components, size: Size, of: Quantity, *, level: float = 0.95) -> float | None:
    """One of the half widths of `expected` alone."""
    return _of(components, size, of).half(size, level)


def items_needed(
    components: Components,
    *,
    half: float,
    raters: int,
    per_response: int,
    of: Quantity = "difference",
    most: int = MOST_ITEMS,
) -> int | None:
    """The fewest items with which this quantity is known to ± `half`; None where none suffice.

    More items do not help beyond how differently raters see systems.

    >>> pilot = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> items_needed(pilot, half=0.2, raters=30, per_response=3)
    68
    """

    def by_errors(longer: float) -> int | None:
        """The fewest where an interval is so much longer than the error's part of it."""
        return _first(lambda items: longer * half_by_error(items) <= half, low + 1, most)

    def half_by_error(items: int) -> float:
        return _Z * math.sqrt(_of(components, Size(items, raters, per_response), of).total)

    def reaches(items: int) -> bool:
        found = half_width(components, Size(items, raters, per_response), of)
        return found is not None and found <= half

    low = FEWEST - 1
    high = by_errors(1.0)
    while high is not None and not reaches(high):
        low, found = high, half_width(components, Size(high, raters, per_response), of)
        high = by_errors(found / half_by_error(high)) if found else None
    return None if high is None else _first(reaches, low + 1, high)


def raters_needed(
    components: Components,
    *,
    half: float,
    items: int,
    per_response: int,
    of: Quantity = "difference",
    most: int = 1_000,
) -> int | None:
    """The fewest raters in all, `per_response` of them for each response, with which this is known to ± `half`.

    None where no number suffices.

    >>> pilot = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> raters_needed(pilot, half=0.3, items=100, per_response=3, of="mean")
    18
    """

    def reaches(raters: int) -> bool:
        found = half_width(components, Size(items, raters, per_response), of)
        return found is not None and found <= half

    return _first(reaches, max(FEWEST, per_response), most)


def reaching(
    components: Components, *, half: float, raters: int, of: Quantity = "difference", most: int = MOST_ITEMS
) -> tuple[Expected, ...]:
    """Of each number of raters per response, the study with the fewest items that reaches ± `half`, if any.

    >>> pilot = Components({"system": 0.5, "response": 0.2, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> [(it.size.per_response, it.size.items) for it in reaching(pilot, half=0.4, raters=4)]
    [(1, 119), (2, 66), (3, 48), (4, 40)]
    """
    found = []
    for per_response in range(1, min(raters, MOST_PER_RESPONSE) + 1):
        items = items_needed(components, half=half, raters=raters, per_response=per_response, of=of, most=most)
        if items is not None:
            found.append(expected(components, Size(items, raters, per_response)))
    return tuple(found)


def known_within(levels: int, *, level: float = 0.95) -> tuple[float, float] | None:
    """By how much a variance between so many raters, or items, may be smaller and greater than it was found to be.

    Of normal effects without other error (χ² with one degree of freedom less); None of fewer than two.

    >>> [round(it, 1) for it in known_within(5)]
    [0.4, 8.3]
    """
    if levels < 2:
        return None
    freedom, tail = levels - 1, (1 - level) / 2
    return float(freedom / scipy.stats.chi2.isf(tail, freedom)), float(freedom / scipy.stats.chi2.ppf(tail, freedom))


def _of(components: Components, size: Size, of: Quantity) -> _Variances:
    if of == "mean":
        return _of_mean(components, size)
    return _of_differences(components, size)[of == "plain_difference"]


def _first(holds: Callable[[int], bool], least: int, most: int) -> int | None:
    """The least number from here on for which this holds, which it then does for all that are greater."""
    if least > most:
        return None
    step, low, high = 1, least - 1, least
    while not holds(high):
        if high == most:
            return None
        low, high, step = high, min(most, high + step), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
