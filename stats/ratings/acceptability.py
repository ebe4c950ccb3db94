"""What votes say of a system alone: how often it won, and whether it was good enough at all."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from stats import reasons
from stats.arrays import Floats, Ints, ratio
from stats.design_effects import design_effects
from stats.proportions import proportion, wilson
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, TIE, Counts, Votes
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


@dataclass(frozen=True, eq=False)
class Clustered:
    """The votes that were counted, with the voter or item of each, or both: votes of one hang together."""

    votes: Votes
    clusters: tuple[Ints, ...]

    def effects(self, *worth: float, other: tuple[float, ...], level: float) -> Floats:
        """The design effect of each system's mean, of what each outcome is worth to the first, and to the `other`.

        NaN says nothing.
        """
        votes = self.votes
        played = votes.first != votes.second
        values = np.concatenate([np.array(it)[votes.outcome[played]] for it in (worth, other)])
        of = np.concatenate([votes.first[played], votes.second[played]]).astype(np.int64)
        said = ~np.isnan(values)
        clusters = (np.tile(it[played], 2)[said] for it in self.clusters)
        return design_effects(values[said], of[said], len(votes.systems), *clusters, level=level)


def win_rates(
    counts: Counts, *, against: str | None = None, level: float = 0.95, among: Clustered | None = None
) -> tuple[WinRate, ...]:
    """Each system's share of wins, a tie counting half (MTalk-Bench Fig. 4; AudioJudge Table 8).

    Over all its votes, or over those `against` one system (AlpacaEval's way), which then has no rate itself. `exact`
    is for ranking: fractions that are equal stay equal. The interval is Wilson's, for as many votes as would vary
    like these if none were ties; fewer where they hang together (`among`). Undefined without votes; a system with
    ties alone has no interval. Raises KeyError for an unknown opponent.

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
    effects = _effects(_against(among, against), (1.0, 0.0, 0.5, 0.5), (0.0, 1.0, 0.5, 0.5), len(won), level)
    found = []
    rows = zip(counts.systems, effects, won.tolist(), lost.tolist(), ties.tolist(), strict=True)
    for system, effect, *of_system in rows:
        win, loss, tie = (int(number) for number in of_system)
        n = win + loss + tie
        exact = Fraction(2 * win + tie, 2 * n) if n else None
        found.append(WinRate(system, exact, _win_rate(exact, win, loss, n, level, excluded, effect)))
    return tuple(found)


def win_rate_matrix(counts: Counts) -> Floats:
    """The row's share of wins against the column, ties half, shape (systems, systems); NaN where two never met."""
    scores = counts.scores()
    return ratio(scores, scores + scores.T)


def decisive_share(counts: Counts, *, level: float = 0.95, among: Clustered | None = None) -> Estimate:
    """The share of votes that named a winner, with Wilson's interval, wider where votes hang together (`among`)."""
    decisive, tied = int(counts.wins().sum()), int(counts.tied().sum()) // 2
    effect = 1.0
    if among is not None:
        played = among.votes.first != among.votes.second
        values = (among.votes.outcome[played] < TIE).astype(np.float64)
        clusters = (it[played] for it in among.clusters)
        (effect,) = design_effects(values, np.zeros(len(values), dtype=np.int64), 1, *clusters, level=level).tolist()
    return proportion(
        decisive, decisive + tied, method="decisive votes", level=level, reason=reasons.NO_VOTES(), effect=effect
    )


def meetings(counts: Counts) -> Ints:
    """How often each two systems met, shape (systems, systems)."""
    wins = counts.wins()
    met: Ints = wins + wins.T + counts.tied()
    return met


def acceptability(
    counts: Counts, *, level: float = 0.95, among: Clustered | None = None
) -> tuple[Acceptability, ...]:
    """Each system's acceptability and both-bad rate with Wilson's intervals (TRACE/HCoT §3.2, the five steps).

    Published figures count each vote for itself; `among` says where votes hang together. Undefined without votes, and
    where ties have no type.

    >>> counts = Counts(np.array([[[0, 0, 0, 0], [2, 1, 1, 4]], [[0, 0, 0, 0], [0, 0, 0, 0]]]), ("A", "B"))
    >>> first, _ = acceptability(counts)
    >>> round(first.acceptable.estimate, 4), first.both_bad.estimate, first.at_least, first.at_most
    (0.4286, 0.5, 0.375, 0.5)
    """
    if counts.ties != "typed":
        none = Estimate(None, 0, "acceptability", reason=_UNTYPED)
        return tuple(Acceptability(system, none, none, None, None) for system in counts.systems)
    wins, nan = counts.wins(), float("nan")
    good = _effects(among, (1.0, nan, 1.0, 0.0), (nan, 1.0, 1.0, 0.0), len(wins), level)
    bad = _effects(among, (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), len(wins), level)
    rows = zip(
        counts.systems,
        zip(good, bad, strict=True),
        wins.sum(axis=1).tolist(),
        wins.sum(axis=0).tolist(),
        counts.tied(BOTH_GOOD).sum(axis=1).tolist(),
        counts.tied(BOTH_BAD).sum(axis=1).tolist(),
        strict=True,
    )
    return tuple(
        _acceptability(system, win, lost, both, neither, level, of_both)
        for system, of_both, win, lost, both, neither in rows
    )


def _against(among: Clustered | None, system: str | None) -> Clustered | None:
    """Those of the votes in which this one took part."""
    if among is None or system is None:
        return among
    votes, place = among.votes, among.votes.systems.index(system)
    kept = (votes.first == place) | (votes.second == place)
    return Clustered(votes.where(kept), tuple(it[kept] for it in among.clusters))


def _effects(
    among: Clustered | None, worth: tuple[float, ...], other: tuple[float, ...], n: int, level: float
) -> list[float]:
    return [1.0] * n if among is None else among.effects(*worth, other=other, level=level).tolist()


def _win_rate(
    exact: Fraction | None,
    won: int,
    lost: int,
    n: int,
    level: float,
    excluded: tuple[Excluded, ...],
    effect: float,
) -> Estimate:
    method = "win rate, ties as half wins"
    if exact is None:
        return Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_VOTES())
    if won + lost == 0:
        return Estimate(0.5, n, method, excluded=excluded, reason=reasons.ALL_TIES())
    rate = float(exact)
    variance = (won + (n - won - lost) / 4) / n - rate**2
    # Ties make votes vary less, which is as if there were more of them.
    effective = (n * rate * (1 - rate) / variance if variance > 0 else n) / effect
    return Estimate(rate, n, method, wilson(rate * effective, effective, level=level), excluded)


def _acceptability(
    system: str, won: int, lost: int, good: int, bad: int, level: float, effects: tuple[float, float]
) -> Acceptability:
    n = won + lost + good + bad
    share = proportion(
        won + good,
        won + good + bad,
        method="acceptable",
        level=level,
        reason=reasons.ACCEPTABILITY_NOT_SAID(),
        effect=effects[0],
    )
    return Acceptability(
        system,
        replace(share, excluded=left_out((lost, reasons.LOST()))),
        proportion(bad, n, method="both bad", level=level, reason=reasons.NO_VOTES(), effect=effects[1]),
        (won + good) / n if n else None,
        (n - bad) / n if n else None,
    )
