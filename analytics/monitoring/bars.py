"""A chart of bars in numbers: what a template needs to draw it as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP = 480.0, 96.0, 3.0


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


def bars(counts: Sequence[int]) -> list[Bar]:
    """Bars side by side over the whole width; the highest count reaches the top, and 0 has no height.

    >>> [(bar.x, bar.height) for bar in bars([0, 2, 1])]
    [(1.5, 0.0), (161.5, 96.0), (321.5, 48.0)]
    """
    top = max(counts, default=0) or 1
    step = WIDTH / max(len(counts), 1)
    heights = [round(HEIGHT * n / top, 2) for n in counts]
    return [
        Bar(round(place * step + GAP / 2, 2), HEIGHT - height, round(step - GAP, 2), height)
        for place, height in enumerate(heights)
    ]
