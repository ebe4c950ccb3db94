"""How many raters, how many items: what a study of another size can be expected to bring (a D study)."""

import math
from dataclasses import dataclass

import scipy

from stats.rater_models.components import Components


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

    `mean` and `difference` are half widths of the 95 % interval of a system's mean and of the difference of two;
    `plain_difference` is that without adjustment for severity. `reliability` (Eρ²) is how well systems are told apart
    by such means, `dependability` (Φ) how well means are known as such; None where systems do not differ at all.
    """

    size: Size
    mean: float
    difference: float
    plain_difference: float
    reliability: float | None
    dependability: float | None


def expected(components: Components, size: Size, *, level: float = 0.95) -> Expected:
    """Half widths and coefficients of generalizability for a study of another size (Brennan 2001, ch. 1 and 4).

    Where each rater rates every response this is the crossed design p × i × r; with fewer, what raters add to a mean
    has the share 1/m − 1/R of theirs on top, m of R raters being drawn for each response. Adjusting for severity
    takes that share of the raters' main effect away, from differences of systems; what it costs to estimate severity
    is left out, which is little where a rater has ten ratings or more.

    >>> pilot = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> found = expected(pilot, Size(items=20, raters=30, per_response=3))
    >>> round(found.difference, 3), round(found.plain_difference, 3), round(found.reliability, 3)
    (0.339, 0.387, 0.971)
    """
    variance = components.at_least_zero
    of_items, of_raters = 1 / size.items, 1 / size.raters
    drawn = (1 / size.per_response - of_raters) / size.items
    per_rating = 1 / size.per_system
    rest = (
        variance("response") * of_items
        + variance("system_rater") * (of_raters + drawn)
        + variance("residual") * per_rating
    )
    relative = rest + variance("item_rater") * drawn
    plain = relative + variance("rater") * drawn
    absolute = (
        rest + variance("item") * of_items + variance("rater") * of_raters + variance("item_rater") * per_rating
    )
    z = float(scipy.stats.norm.isf((1 - level) / 2))
    true = variance("system")
    return Expected(
        size,
        mean=z * math.sqrt(absolute),
        difference=z * math.sqrt(2 * relative),
        plain_difference=z * math.sqrt(2 * plain),
        reliability=true / (true + relative) if true else None,
        dependability=true / (true + absolute) if true else None,
    )


def items_needed(
    components: Components, *, difference: float, raters: int, per_response: int, most: int = 100_000
) -> int | None:
    """The fewest items with which the difference of two systems is known to ± `difference`; None where none suffice.

    More items do not help beyond how differently raters see systems.

    >>> pilot = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "residual": 0.9}, {}, 600)
    >>> items_needed(pilot, difference=0.2, raters=30, per_response=3)
    58
    """

    def reaches(items: int) -> bool:
        return expected(components, Size(items, raters, per_response)).difference <= difference

    if not reaches(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high
