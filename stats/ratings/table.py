"""Ratings that say what they do not know: intervals, ranks as ranges, islands apart, provisional where votes lack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, Fit, bradley_terry
from stats.ratings.connectivity import core, has_maximum, islands
from stats.ratings.elo import POINTS
from stats.ratings.errors import Errors, OverClusters, OverVotes, provisional_spread
from stats.ratings.sandwich import NoSpread
from stats.ratings.spread import Spread
from stats.ratings.votes import Counts, Votes, count_votes
from stats.results import Estimate, Excluded, Interval, left_out

CENTRE = 1000.0
#: By default the scale is centred on the systems that have at least this part of the median number of votes.
ESTABLISHED = 0.1

PRIOR = f"prior N(0, {PRIOR_SD:g}²) on log-odds"
PROVISIONAL = reasons.NO_DISTANCE()
AGAINST_ITSELF = reasons.AGAINST_ITSELF()
_NOTHING_YET = reasons.NOTHING_YET()
_ALL_TIES = reasons.SYSTEM_ALL_TIES()


@dataclass(frozen=True)
class Rating:
    """One system's rating in points (the established systems' mean is 1000, 400 points are odds of 10 to 1).

    `ranks` are the best and the worst place that the votes leave open; 1 is the top. None without a rating. A
    `provisional` rating comes from a prior as well as from votes.
    """

    system: str
    rating: Estimate
    ranks: tuple[int, int] | None
    established: bool = False
    provisional: bool = False


@dataclass(frozen=True, eq=False)
class RatingTable:
    """The systems that votes connect, on one scale, in the order of the counts.

    `reason` says why ratings are provisional, or why there are none.
    """

    ratings: tuple[Rating, ...]
    n: int
    method: str
    log_odds: Floats
    spread: Spread | None
    reason: Reason | None = None

    @property
    def provisional(self) -> bool:
        """Whether any rating of the table is."""
        return any(rating.provisional for rating in self.ratings)

    def difference(self, one: str, other: str) -> Estimate:
        """How many points `one` is above `other`. Raises KeyError for a system without a rating here."""
        i, j = self._place(one), self._place(other)
        mine, theirs = self.ratings[i].rating, self.ratings[j].rating
        points, n = float((self.log_odds[i] - self.log_odds[j]) * POINTS), min(mine.n, theirs.n)
        if self.spread is None or mine.interval is None or theirs.interval is None:
            return Estimate(points, n=n, method=self.method, reason=mine.reason or theirs.reason)
        low, high = self.spread.between(self.log_odds, i, j)
        if np.isinf(low):
            return Estimate(points, n=n, method=self.method, reason=_NOTHING_YET)
        interval = _interval(low * POINTS, high * POINTS, self.spread)
        return Estimate(points, n=n, method=self.method, interval=interval)

    def beats(self, one: str, other: str) -> Literal["yes", "no", "not enough data"]:
        """Whether `one` is ahead: yes, no (`other` is), or not enough data to say."""
        interval = self.difference(one, other).interval
        if interval is None or interval.low <= 0 <= interval.high:
            return "not enough data"
        return "yes" if interval.low > 0 else "no"

    def _place(self, system: str) -> int:
        for place, rating in enumerate(self.ratings):
            if rating.system == system and rating.rating.estimate is not None:
                return place
        raise KeyError(system)


def rate_votes(
    votes: Votes, *clusters: Ints, established: Sequence[bool] | Bools | None = None, level: float = 0.95
) -> tuple[RatingTable, ...]:
    """Rate systems from votes, with errors over their voters and items: the ratings a board shows.

    >>> votes = Votes(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.array([0, 1, 0, 0]), ("A", "B"))
    >>> (table,) = rate_votes(votes, np.array([0, 1, 2, 3]))
    >>> [round(it.rating.estimate) for it in table.ratings], table.beats("A", "B")
    ([1095, 905], 'not enough data')
    """
    errors = OverClusters(votes, *clusters, level=level) if clusters else OverVotes(level=level)
    return rate(count_votes(votes), errors=errors, established=established)


def rate(
    counts: Counts, *, errors: Errors | None = None, established: Sequence[bool] | Bools | None = None
) -> tuple[RatingTable, ...]:
    """Rate systems by Bradley–Terry with ties as half wins, one table for each island of systems that votes connect.

    Where an island has no finite maximum (a system won or lost everything), its ratings are those under a prior
    N(0, 2²) on log-odds, and who is outside the largest group that votes alone can rate is provisional. Ratings are
    centred on the `established` systems, by default those with a tenth of the median number of votes, so that a
    newcomer does not move the others. A system without votes has a table of its own, without a rating (Bradley &
    Terry 1952; Ford 1957). Ranks count who is ahead by the interval of the difference; they do not depend on the
    centre.

    >>> counts = Counts(np.array([[[0, 0], [3, 1]], [[0, 0], [0, 0]]]), ("A", "B"))
    >>> (table,) = rate(counts)
    >>> [round(it.rating.estimate) for it in table.ratings]
    [1095, 905]
    """
    found = []
    for places in islands(counts.scores()):
        chosen = None if established is None else np.asarray(established)[places]
        found.append(_table(counts.between(places), places, errors or OverVotes(), chosen))
    return tuple(found)


def centre_weights(votes: Floats, established: Bools | None) -> Floats:
    """The weights, of sum 1, of the systems on whose mean the scale is centred."""
    if established is None:
        established = votes >= ESTABLISHED * np.median(votes)
    if not established.any():
        established = np.ones(len(votes), dtype=bool)
    weights: Floats = established / established.sum()
    return weights


def tabulate(
    counts: Counts,
    log_odds: Floats,
    spread: Spread | NoSpread,
    established: Bools | None,
    *,
    method: str,
    provisional: Bools | None = None,
    reason: Reason | None = None,
) -> RatingTable:
    """Put log-odds and their spread as ratings with intervals and ranks.

    A `reason` says why ratings are provisional: those of the systems marked so, by default all.
    """
    votes = counts.scores()
    n = (votes + votes.T).sum(axis=1)
    centre = centre_weights(n, established)
    points = CENTRE + POINTS * (log_odds - centre @ log_odds)
    wins = counts.wins()
    tied_only = (wins + wins.T).sum(axis=1) == 0
    intervals: list[Interval | Reason] = []
    ranks = [(1, len(n))] * len(n)
    if isinstance(spread, NoSpread):
        intervals = [spread.reason] * len(n)
    else:
        low, high = (CENTRE + POINTS * end for end in spread.around(log_odds, centre))
        intervals = [
            _ALL_TIES if tied else _NOTHING_YET if np.isinf(one) else _interval(one, other, spread)
            for tied, one, other in zip(tied_only, low, high, strict=True)
        ]
        ranks = _ranks(spread.ahead(log_odds) & ~tied_only & ~tied_only[:, np.newaxis])
    excluded = left_out((counts.n_against_itself, AGAINST_ITSELF))
    held = np.full(len(n), bool(reason)) if provisional is None else provisional
    ratings = tuple(
        Rating(
            counts.systems[place],
            _estimate(points[place], n[place], method, intervals[place], excluded),
            ranks[place],
            bool(centre[place] > 0),
            bool(held[place]),
        )
        for place in range(len(n))
    )
    found = None if isinstance(spread, NoSpread) else spread
    return RatingTable(ratings, counts.n - counts.n_against_itself, method, log_odds, found, reason)


def _table(counts: Counts, places: Ints, errors: Errors, established: Bools | None) -> RatingTable:
    scores = counts.scores()
    if len(places) == 1:
        return without_votes(counts)
    if has_maximum(scores):
        fit = bradley_terry(scores)
        spread = spread_or_reason(fit, counts, places, errors)
        return tabulate(counts, fit.log_odds, spread, established, method="Bradley–Terry, ties as half wins")
    fit, rated = bradley_terry(scores, prior_sd=PRIOR_SD), core(scores)
    return tabulate(
        counts,
        fit.log_odds,
        provisional_spread(fit, counts, places, rated, errors),
        established,
        method=f"Bradley–Terry, ties as half wins, {PRIOR}",
        provisional=~rated,
        reason=PROVISIONAL,
    )


def spread_or_reason(fit: Fit, counts: Counts, places: Ints, errors: Errors) -> Spread | NoSpread:
    """The spread of a fit, or what says why there is none."""
    if not counts.wins().any():
        return NoSpread(_ALL_TIES)
    try:
        return errors.spread(fit, counts, places)
    except NoSpread as reason:
        return reason


def without_votes(counts: Counts) -> RatingTable:
    """The table of one system that met no other."""
    method, reason = "Bradley–Terry, ties as half wins", reasons.NO_VOTES()
    excluded = left_out((counts.n_against_itself, AGAINST_ITSELF))
    rating = Rating(counts.systems[0], Estimate(None, 0, method, excluded=excluded, reason=reason), None)
    return RatingTable((rating,), 0, method, np.full(1, np.nan), None, reason=reason)


def _ranks(ahead: Bools) -> list[tuple[int, int]]:
    best, worst = 1 + ahead.sum(axis=0), len(ahead) - ahead.sum(axis=1)
    return [(int(top), int(bottom)) for top, bottom in zip(best, worst, strict=True)]


def _estimate(
    points: float, n: float, method: str, interval: Interval | Reason, excluded: tuple[Excluded, ...]
) -> Estimate:
    if isinstance(interval, Reason):
        return Estimate(float(points), int(n), method, excluded=excluded, reason=interval)
    return Estimate(float(points), int(n), method, interval, excluded)


def _interval(low: float, high: float, spread: Spread) -> Interval:
    return Interval(float(low), float(high), spread.level, spread.method)
