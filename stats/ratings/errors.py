"""Where the intervals of ratings come from: sandwich errors over votes, or over voters and items."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import Fit, expectation, inverse, laplacian
from stats.ratings.sandwich import Covariance, NoSpread, by_clusters, by_votes
from stats.ratings.spread import FromCovariance, Spread
from stats.ratings.votes import Counts, Votes


class Errors(Protocol):
    """What gives a fit its intervals."""

    @property
    def level(self) -> float: ...

    @property
    def watched(self) -> bool: ...

    def spread(self, fit: Fit, counts: Counts, places: Ints) -> Spread:
        """The spread of a fit of these counts; `places` has its systems' places among all. Raises NoSpread."""


@dataclass(frozen=True)
class OverVotes:
    """Sandwich errors, each vote for itself; `watched` ones hold at every look."""

    level: float = 0.95
    watched: bool = False

    def spread(self, fit: Fit, counts: Counts, places: Ints) -> Spread:  # noqa: ARG002
        return FromCovariance(by_votes(fit, counts), self.level, self.watched)


class OverClusters:
    """Sandwich errors over voters, over items, or over both at once: a whole number per vote for each."""

    def __init__(self, votes: Votes, *clusters: Ints, level: float = 0.95, watched: bool = False) -> None:
        self.level, self.watched = level, watched
        self._votes, self._clusters = votes, clusters

    def spread(self, fit: Fit, counts: Counts, places: Ints) -> Spread:
        votes, own = votes_of(counts, self._votes, places)
        clusters = (cluster[own] for cluster in self._clusters)
        return FromCovariance(by_clusters(fit, votes, *clusters, counts=counts), self.level, self.watched)


def votes_of(counts: Counts, votes: Votes, places: Ints) -> tuple[Votes, Ints]:
    """Those of the votes that `counts` counts, and their places; `places` has its systems' places among the votes'.

    Raises ValueError if `counts` is of other votes.
    """
    between, kept = votes.between(places)
    met = counts.table.sum(axis=2)
    seen = (met + met.T).any(axis=0)
    counted = seen[between.first] & seen[between.second]
    if counted.sum() != counts.n:
        raise ValueError(f"errors from {counted.sum()} votes for ratings from {counts.n}")
    if counted.all():
        return between, np.flatnonzero(kept)
    return between.where(counted), np.flatnonzero(kept)[counted]


def provisional_spread(fit: Fit, counts: Counts, places: Ints, rated: Bools, errors: Errors) -> Spread:
    """The spread of log-odds that a prior holds, where votes alone can rate only the systems in `rated`.

    Votes between those vary as `errors` says; all other votes, and the prior, as the model does.
    """
    bread = inverse(fit.information)
    curvature = FromCovariance(Covariance(bread, None, "curvature of the posterior"), errors.level, errors.watched)
    among = counts.among(rated)
    if not among.wins().any():
        return curvature
    try:
        spread = errors.spread(fit, among, places)
    except NoSpread:
        return curvature
    if not isinstance(spread, FromCovariance):
        return curvature
    inside = laplacian(expectation(fit.log_odds, _votes(among))[1])
    rest = bread @ (fit.information - inside) @ bread
    found = spread.covariance
    method = f"{found.method}, and curvature of the posterior"
    votes, dispersed = (None if it is None else it + rest for it in (found.votes, found.dispersed))
    covariance = Covariance(found.matrix + rest, found.freedom, method, votes, dispersed)
    return FromCovariance(covariance, errors.level, errors.watched)


def _votes(counts: Counts) -> Floats:
    scores = counts.scores()
    return scores + scores.T
