"""Which parts of a clip were played, as sorted ranges of seconds that do not touch."""

from collections.abc import Iterable

Range = tuple[float, float]
#: Ranges closer than this are one: players report in steps.
GAP = 0.05


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same parts as sorted, disjoint ranges. Raises ValueError for a range that runs backwards or is negative.

    >>> merged([(2, 3), (0, 1), (0.5, 2)])
    [(0, 3)]
    """
    result: list[Range] = []
    for start, end in sorted(ranges):
        if not 0 <= start <= end:
            raise ValueError(f"{start} to {end} s is no part of a clip")
        if result and start <= result[-1][1] + GAP:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def seconds(ranges: Iterable[Range]) -> float:
    """How many different seconds were played, however often.

    >>> seconds([(0, 2), (1, 3)])
    3
    """
    return sum(end - start for start, end in merged(ranges))


def share(ranges: Iterable[Range], duration: float) -> float:
    """The part of a clip of `duration` seconds that was played, from 0 to 1."""
    if duration <= 0:
        return 1.0
    return min(1.0, seconds((start, min(end, duration)) for start, end in ranges if start < duration) / duration)
