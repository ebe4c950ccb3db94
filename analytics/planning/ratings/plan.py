"""What studies of several sizes bring and cost, and which is the cheapest that suffices: no Django, numbers only."""

from dataclasses import dataclass

from stats.rater_models.components import Components
from stats.rater_models.decision import (
    FEWEST,
    Expected,
    Quantity,
    Size,
    expected,
    half_width,
    raters_needed,
    reaching,
)

#: The sizes that are looked at beside what there is.
ITEMS, RATERS = (10, 20, 50, 100, 200), (3, 5, 10, 20, 50)
#: So many numbers of raters are in the table and the picture.
MOST_COLUMNS = 4
#: As good as endlessly many.
ENDLESS = 1_000_000


@dataclass(frozen=True)
class Asked:
    """What is to be known (`of`) to ± `half`, with at most so many raters and items; `pace` in seconds per rating."""

    of: Quantity
    half: float
    raters: int
    items: int
    per_response: int
    systems: int
    pace: int


@dataclass(frozen=True)
class Design:
    """A size of a study, what it can be expected to bring, and what it costs."""

    found: Expected
    ratings: int
    hours: float
    reaches: bool


@dataclass(frozen=True)
class RatingPlan:
    """`grid` has every size that was looked at; `reaching` the fewest items by raters per response, `cheapest` first
    by ratings, None where no size suffices. `least` is what remains with endlessly many items, and `fewest_raters`
    how many are needed with all items there are; None where no number suffices.
    """

    asked: Asked
    grid: tuple[Design, ...]
    reaching: tuple[Design, ...]
    cheapest: Design | None
    least: float | None
    fewest_raters: int | None

    @property
    def raters(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(it.found.size.raters for it in self.grid))

    def halves(self, raters: int) -> tuple[tuple[float, float], ...]:
        """Items and half widths of what is asked for, with so many raters."""
        return tuple(
            (float(it.found.size.items), half)
            for it in self.grid
            if it.found.size.raters == raters and (half := it.found.half(self.asked.of)) is not None
        )


def plan_ratings(components: Components, asked: Asked) -> RatingPlan:
    """Sizes around what is asked for, from these variances (`stats.rater_models.decision`)."""
    grid = tuple(
        _design(expected(components, Size(items, raters, asked.per_response)), asked)
        for raters in _around(RATERS, asked.raters, least=max(FEWEST, asked.per_response))
        for items in _around(ITEMS, asked.items, least=FEWEST, most=len(ITEMS) + 1)
    )
    if min(asked.raters, asked.items) < FEWEST:
        return RatingPlan(asked, grid, (), None, None, None)
    suffices = tuple(
        _design(it, asked)
        for it in reaching(components, half=asked.half, raters=asked.raters, of=asked.of, most=asked.items)
    )
    most = min(asked.raters, asked.per_response)
    return RatingPlan(
        asked,
        grid,
        suffices,
        min(suffices, key=lambda it: (it.ratings, it.found.size.items), default=None),
        half_width(components, Size(ENDLESS, asked.raters, most), asked.of),
        raters_needed(components, half=asked.half, items=asked.items, per_response=asked.per_response, of=asked.of),
    )


def _design(found: Expected, asked: Asked) -> Design:
    ratings = found.size.per_system * asked.systems
    half = found.half(asked.of)
    return Design(found, ratings, ratings * asked.pace / 3600, half is not None and half <= asked.half)


def _around(usual: tuple[int, ...], own: int, *, least: int, most: int = MOST_COLUMNS) -> list[int]:
    """One's own number among those of the usual ones that are the fewest times as many or as few, from `least` on.

    >>> _around((3, 5, 10, 20, 50), 20, least=3), _around((3, 5, 10, 20, 50), 10, least=12)
    ([5, 10, 20, 50], [12, 20, 50])
    """
    own = max(own, least)
    near = sorted({it for it in usual if it >= least and it != own}, key=lambda it: max(it / own, own / it))
    near = near[: most - 1]
    return sorted([own, *near])
