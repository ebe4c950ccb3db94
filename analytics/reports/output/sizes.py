"""How much room rows and labels of a picture need, and the numbers at a scale that is shown from end to end."""

from collections.abc import Iterable, Sequence

from analytics.reports.output import style
from analytics.reports.output.wording import wrapped

#: Of a scale that is shown from end to end.
_MOST_STEPS = 10


def row_height(labels: Sequence[str], letters: int = style.BESIDE) -> float:
    """Inches of a line of a list: the label with the most lines of so many letters has room."""
    return max((height_of(wrapped(it, letters)) for it in labels), default=style.ROW)


def height_of(said: str) -> float:
    """Inches that a row needs for these lines."""
    return max(style.ROW, style.LINE_OF_LABEL * (said.count("\n") + 1) + 0.04)


def width_of(said: Iterable[str]) -> float:
    """Inches of the longest line of these texts, as letters are on the whole."""
    return style.LETTER * max((len(line) for it in said for line in it.split("\n")), default=0)


def steps_of(low: float, high: float) -> list[float]:
    """From end to end in whole numbers where those are few, else in quarters.

    >>> steps_of(1, 5), steps_of(0, 1)
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    whole = high - low
    n = int(whole) if whole == int(whole) and 2 <= whole <= _MOST_STEPS else 4
    return [low + whole * step / n for step in range(n + 1)]
