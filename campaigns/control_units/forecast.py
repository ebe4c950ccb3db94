"""What is said of an annotator who guesses. Numbers alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ControlUnit:
    """`passes` is the chance of passing by guessing. It can come after `after` units of the study."""

    kind: str
    passes: float
    after: int = 0


@dataclass(frozen=True)
class Noticed:
    """By which unit, control units included, a guesser was noticed.

    `chance` is that of being noticed in the session at all; `typical` is the median, None where fewer than half are
    noticed. `n_sessions` is 0 where the figures are exact.
    """

    chance: float
    typical: int | None
    n_sessions: int

    @property
    def percent(self) -> int:
        """The chance, rounded down: what may fail is never said to be certain."""
        return int(100 * self.chance + 1e-9)


@dataclass(frozen=True)
class GuesserForecast:
    """Of an annotator who guesses and answers all `units` units of the study.

    `flagged` is by a rule of any action, `stopped` by one that pauses or excludes; None where the campaign has no
    such rule about its control units. `out_of_reach` repeats cannot come: at least `apart` units must lie between the
    first time and the second.
    """

    units: int
    apart: int
    out_of_reach: int
    flagged: Noticed | None
    stopped: Noticed | None

    def is_noticed(self, least: float) -> bool:
        """Whether a rule notices a guesser with this chance at least."""
        return self.flagged is not None and self.flagged.chance >= least

    @property
    def n_sessions(self) -> int:
        """How many sessions were simulated; 0 where all figures are exact."""
        return max((it.n_sessions for it in (self.flagged, self.stopped) if it), default=0)
