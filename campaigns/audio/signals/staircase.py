"""A staircase that finds how much noise somebody just notices: two right answers make it harder, one wrong easier.

It settles where 70.7 % of the answers are right (Levitt, "Transformed up-down methods in psychoacoustics", JASA 49,
1971). One of each pair has a signal-to-noise ratio of CLEAN_DB, the other that of the step; the higher that is, the
less is there to hear.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

CLEAN_DB, EASIEST_DB, HARDEST_DB = 50, 30, 48
#: Steps in dB before and after the first turn, and the number of turns and of pairs after which it is over.
COARSE, FINE = 6, 2
ENOUGH_TURNS, MOST_PAIRS = 6, 18
#: So many wrong answers where the noise is loudest, and no threshold is to be found.
MOST_LOST = 3


@dataclass(frozen=True)
class Staircase:
    """Where it stands. `threshold_db` is None until it is over, and where none is to be found."""

    snr_db: int
    turns: tuple[int, ...]
    lost: int
    is_over: bool
    threshold_db: float | None


def climb(right: Sequence[bool]) -> Staircase:
    """The staircase after these answers; `snr_db` is the ratio of the next pair.

    >>> climb([]).snr_db, climb([True, True]).snr_db, climb([True, True, False]).snr_db
    (30, 36, 34)
    >>> climb([False, False, False]).is_over, climb([False, False, False]).threshold_db
    (True, None)
    """
    level, direction, in_a_row, lost = EASIEST_DB, 0, 0, 0
    turns: list[int] = []
    for answer in right:
        in_a_row = in_a_row + 1 if answer else 0
        lost += not answer and level == EASIEST_DB
        if answer and in_a_row < 2:
            continue
        in_a_row = 0
        to = 1 if answer else -1
        if direction and to != direction:
            turns.append(level)
        direction = to
        step = FINE if turns else COARSE
        level = min(HARDEST_DB, max(EASIEST_DB, level + to * step))
    over = len(turns) >= ENOUGH_TURNS or lost >= MOST_LOST or len(right) >= MOST_PAIRS
    return Staircase(level, tuple(turns), lost, over, _threshold(turns, level, lost) if over else None)


def _threshold(turns: Sequence[int], level: int, lost: int) -> float | None:
    """The mean of the turns after the first; where there are none, the ratio that was reached."""
    if lost >= MOST_LOST:
        return None
    return float(mean(turns[1:])) if len(turns) > 1 else float(level)
