"""Which parts of a unit's clips count as heard: what was reported, as far as it lies within the clips and the time.

A page plays one clip at a time, at the speed at which it was recorded. So all clips of a unit together cannot have
been heard for longer than the time since their addresses were handed out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Range = tuple[float, float]
#: A report may claim this much more than the time that passed before it is refused. None of that is credited.
TOLERANCE_S = 2.0


class MoreThanTime(ValueError):
    """More was reported as played than time has passed."""


@dataclass(frozen=True)
class Credit:
    """What counts as heard: ranges of seconds by clip, sorted and disjoint, and the seconds with repetitions."""

    ranges: Mapping[str, Sequence[Range]] = field(default_factory=dict)
    played_s: float = 0.0


def credited(
    before: Credit, reported: Mapping[str, Sequence[Range]], *, durations: Mapping[str, float], passed_s: float
) -> Credit:
    """What counts as heard with one report more, `passed_s` seconds after the clips were handed out.

    Of `reported`, by clip, only what lies within the clip counts, and only until `played_s` reaches `passed_s`; what
    is beyond is dropped. So neither `played_s` nor the seconds of all ranges together exceed `passed_s`, and no range
    reaches beyond its clip's end. Raises MoreThanTime for a report that claims more than TOLERANCE_S too much,
    ValueError for a range that runs backwards or is negative, KeyError for an unknown clip.

    >>> credited(Credit(), {"1-1": [(0, 1), (3, 9)]}, durations={"1-1": 4}, passed_s=10)
    Credit(ranges={'1-1': [(0, 1), (3, 4)]}, played_s=2.0)
    """
    claimed = sum(end - start for parts in reported.values() for start, end in parts)
    if not before.played_s + claimed <= passed_s + TOLERANCE_S:
        raise MoreThanTime
    ranges, played_s = dict(before.ranges), before.played_s
    for clip, parts in reported.items():
        counted = []
        for start, end in within(parts, durations[clip]):
            length = min(end - start, passed_s - played_s)
            if length > 0:
                counted.append((start, end if length == end - start else start + length))
                played_s += length
        ranges[clip] = merged([*ranges.get(clip, ()), *counted])
    return Credit(ranges, played_s)


def within(ranges: Iterable[Range], duration: float) -> list[Range]:
    """The parts of these ranges that lie in a clip of `duration` seconds.

    >>> within([(0, 2), (3, 9), (7, 8)], 4)
    [(0, 2), (3, 4)]
    """
    return [(start, min(end, duration)) for start, end in map(_checked, ranges) if start < duration]


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same parts as sorted, disjoint ranges. Raises ValueError for a range that runs backwards or is negative.

    Only ranges that touch or overlap become one: between two that are close nothing was played.

    >>> merged([(2, 3), (0, 1), (0.5, 2), (4, 4)])
    [(0, 3)]
    """
    result: list[Range] = []
    for start, end in sorted(map(_checked, ranges)):
        if start == end:
            continue
        if result and start <= result[-1][1]:
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
    return min(1.0, seconds(within(ranges, duration)) / duration)


def _checked(part: Range) -> Range:
    start, end = part
    if not 0 <= start <= end:
        raise ValueError(f"{start} to {end} s is no part of a clip")
    return part
