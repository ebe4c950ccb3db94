"""What votes say of a system alone: how often it won, and whether it was good enough at all."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from stats import reasons
from stats.arrays import Floats, Ints, ratio
from stats.intervals import proportion, wilson
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, Counts
from stats.results import Estimate, Excluded, left_out

_UNTYPED = reasons.UNTYPED_TIES()


@dataclass(frozen=True)
class WinRate:
    """A system's wins and half its ties over its votes, exactly, and as an estimate with its interval."""

    system: str
    exact: Fraction | None
    rate: Estimate


@dataclass(frozen=True)
class Acceptability:
    """How often a system was found good enough, whatever it was compared with.

    A win or `both_good` says that it was, `both_bad` that it was not; a loss leaves it open. `acceptable` is the
    share among votes that say; among all votes it lies between `at_least` and `at_most`. `both_bad` is over all.
    """

    system: str
    acceptable: Estimate
    both_bad: Estimate
    at_least: float | None
    at_most: float | None


def win_rates(counts: Counts, *, against: str | None = None, level: float = 0.95) -> tuple[WinRate, ...]:
    """Each system's share of wins, a tie counting half (MTalk-Bench Fig. 4; AudioJudge Table 8).

    Over all its votes, or over those `against` one system (AlpacaEval's way), which then has no rate itself. `exact`
    is for ranking: fractions that are equal stay equal. The interval is Wilson's, for as many votes as would vary
    like these if none were ties. Undefined without votes; a system with ties alone has no interval. Raises KeyError
    for an unknown opponent.

    >>> counts = Counts(np.array([[[0, 0, 0, 0], [2, 1, 1, 0]], [[0, 0, 0, 0], [0, 0, 0, 0]]]), ("A", "B"))
    >>> [it.exact for it in win_rates(counts)]
    [Fraction(5, 8), Fraction(3, 8)]
    """
    if against is not None and against not in counts.systems:
        raise KeyError(against)
    opponents = np.array([against in {None, system} for system in counts.systems], dtype=bool)
    wins, ties = counts.wins(), counts.tied()[:, opponents].sum(axis=1)
    won, lost = wins[:, opponents].sum(axis=1), wins[opponents].sum(axis=0)
    excluded = left_out((counts.n_against_itself, reasons.AGAINST_ITSELF()))
    found = []
    for system, *of_system in zip(counts.systems, won.tolist(), lost.tolist(), ties.tolist(), strict=True):
        win, loss, tie = (int(number) for number in of_system)
        n = win + loss + tie
        exact = Fraction(2 * win + tie, 2 * n) if n else None
        found.append(WinRate(system, exact, _win_rate(exact, win, loss, n, level, excluded)))
    return tuple(found)


def win_rate_matrix(counts: Counts) -> Floats:
    """The row's share of wins against the column, ties half, shape (systems, systems); NaN where two never met."""
    scores = counts.scores()
    return ratio(scores, scores + scores.T)


def decisive_share(counts: Counts, *, level: float = 0.95) -> Estimate:
    """The share of votes that named a winner, with Wilson's interval."""
    decisive, tied = int(counts.wins().sum()), int(counts.tied().sum()) // 2
    return proportion(decisive, decisive + tied, method="decisive votes", level=level, reason=reasons.NO_VOTES())


def meetings(counts: Counts) -> Ints:
    """How often each two systems met, shape (systems, systems)."""
    wins = counts.wins()
    met: Ints = wins + wins.T + counts.tied()
    return met


def acceptability(counts: Counts, *, level: float = 0.95) -> tuple[Acceptability, ...]:
    """Each system's acceptability and both-bad rate with Wilson's intervals (TRACE/HCoT §3.2, the five steps).

    Undefined without votes, and where ties have no type.

    >>> counts = Counts(np.array([[[0, 0, 0, 0], [2, 1, 1, 4]], [[0, 0, 0, 0], [0, 0, 0, 0]]]), ("A", "B"))
    >>> first, _ = acceptability(counts)
    >>> round(first.acceptable.estimate, 4), first.both_bad.estimate, first.at_least, first.at_most
    (0.4286, 0.5, 0.375, 0.5)
    """
    if counts.ties != "typed":
        none = Estimate(None, 0, "acceptability", reason=_UNTYPED)
        return tuple(Acceptability(system, none, none, None, None) for system in counts.systems)
    wins = counts.wins()
    rows = zip(
        counts.systems,
        wins.sum(axis=1).tolist(),
        wins.sum(axis=0).tolist(),
        counts.tied(BOTH_GOOD).sum(axis=1).tolist(),
        counts.tied(BOTH_BAD).sum(axis=1).tolist(),
        strict=True,
    )
    return tuple(_acceptability(system, won, lost, good, bad, level) for system, won, lost, good, bad in rows)


def _win_rate(
    exact: Fraction | None, won: int, lost: int, n: int, level: float, excluded: tuple[Excluded, ...]
) -> Estimate:
    method = "win rate, ties as half wins"
    if exact is None:
        return Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_VOTES())
    if won + lost == 0:
        return Estimate(0.5, n, method, excluded=excluded, reason=reasons.ALL_TIES())
    rate = float(exact)
    variance = (won + (n - won - lost) / 4) / n - rate**2
    # Ties make votes vary less, which is as if there were more of them.
    effective = n * rate * (1 - rate) / variance if variance > 0 else n
    return Estimate(rate, n, method, wilson(rate * effective, effective, level=level), excluded)


def _acceptability(system: str, won: int, lost: int, good: int, bad: int, level: float) -> Acceptability:
    n = won + lost + good + bad
    share = proportion(
        won + good,
        won + good + bad,
        method="acceptable",
        level=level,
        reason=reasons.ACCEPTABILITY_NOT_SAID(),
    )
    return Acceptability(
        system,
        replace(share, excluded=left_out((lost, reasons.LOST()))),
        proportion(bad, n, method="both bad", level=level, reason=reasons.NO_VOTES()),
        (won + good) / n if n else None,
        (n - bad) / n if n else None,
    )
