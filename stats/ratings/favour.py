"""Whether a voter prefers a system more than the board without this voter says, and more than taste explains.

Honest voters have tastes: not all of them hear what the board says. So the hypothesis is not "votes as the board",
but: *in no vote is the system ahead for this voter by more than the others' board says and a taste of `taste`
log-odds*. The evidence against it is a Bayes factor: the likelihood of the votes with a favour of d log-odds beyond
the taste, over that without, both averaged over where the others' board may lie (a normal posterior with the error
clustered by voter, Student's t where voters are few), and then averaged over several d. As long as the hypothesis
holds, such a ratio is a martingale while votes of anybody come, so it reaches 1/α at any look with a chance of at
most α (Ville 1939; Ramdas, Grünwald, Vovk & Shafer 2023, "Game-theoretic statistics and safe anytime-valid
inference"). How far that holds although the posterior is an approximation, `benchmarks.statistics.favour` measures.

A tie is half a win for either, as on the board: with the score x and the log-odds z the likelihood is
exp(x z) / (1 + exp z). For a fixed board the ratio is convex in x, so its mean is at most 1 for any score between 0
and 1 whose mean is at most what the hypothesis allows, however often a voter ties.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.ratings.others import Without, boards_without
from stats.ratings.votes import Votes

#: A taste that makes 70 : 30 of an even pair, ties being half, is all right: 0.85 log-odds, 147 points.
TASTE = float(np.log(7 / 3))
#: How far tastes usually lie apart, in log-odds: few votes are no reason to believe in a strong one.
USUAL = 0.5
#: Favours beyond the tolerated taste, in log-odds, that are bet on, each with the same share.
SIZES = np.array([0.5, 1.0, 2.0, 4.0])
#: The evidence from which a voter is flagged, and that about one system from which nobody is held against theirs.
ENOUGH, SUSPECT = 100.0, 3.0
#: Shares of voters that may favour a system together.
SHARES = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
FOR, AGAINST = range(2)
#: Where the others' board may lie: these quantiles, each with the probability that is nearest to it.
_LEVELS = np.array([0.002, 0.01, 0.03, 0.08, 0.2, 0.5, 0.8, 0.92, 0.97, 0.99, 0.998])
_WEIGHTS = np.diff(np.concatenate([[0.0], (_LEVELS[1:] + _LEVELS[:-1]) / 2, [1.0]]))
_MOST_ROUNDS, _MOST_STEPS, _TOLERANCE, _LARGEST = 20, 50, 1e-6, 600.0


@dataclass(frozen=True, eq=False)
class Favours:
    """What is known of each voter in `voters`, in their order, about each of the `systems`.

    `n` votes with the system, of which it `took` so much, where the others' board lets one expect `expected`: shape
    (voters, systems). `taste` is the estimate of how much more the voter likes it than the board, in log-odds (the
    mode with the prior N(0, 0.5²)), NaN without votes. `evidence`, shape (voters, systems, 2), has the e-values that
    the voter favours it (FOR) or its opponents (AGAINST) beyond the tolerated taste. Where `reason` is there,
    nothing is known of the voter, and the evidence is 1.
    """

    systems: tuple[str, ...]
    voters: Ints
    n: Ints
    took: Floats
    expected: Floats
    taste: Floats
    evidence: Floats
    reason: tuple[Reason | None, ...]
    tolerated: float

    @property
    def of_voters(self) -> Floats:
        """One e-value per voter: the mean over systems and directions, whatever these have to do with each other."""
        return np.asarray(self.evidence.sum(axis=(1, 2)) / max(2 * len(self.systems), 1))

    def strongest(self, at: int) -> tuple[int, int]:
        """The system and the direction with the most evidence of the voter at this place, of those with votes.

        For a system rather than against another where one is as good as the other: between two, they are the same.
        """
        best = np.where(self.n[at][:, None] > 0, self.evidence[at], -1).argmax(axis=0)
        tops = self.evidence[at, best, [FOR, AGAINST]]
        direction = AGAINST if tops[AGAINST] > tops[FOR] * (1 + 1e-9) else FOR
        return int(best[direction]), direction


def favour(
    votes: Votes,
    voters: Ints,
    *,
    of: Ints | None = None,
    counted: Bools | None = None,
    taste: float = TASTE,
    suspect: float = SUSPECT,
) -> Favours:
    """Weigh for each voter and system whether the voter prefers it more than the others' board and a taste explain.

    `voters` has a whole number from 0 per vote; it may stand for a person, or for a group whose votes are taken
    together. `of` are those that are weighed, by default all. `counted`, shape (votes,), marks the votes that make
    the others' board, by default all; voters with `suspect` evidence about some system are taken out of it, and
    everybody is weighed again until there are no more, so that accounts that favour one system together do not vouch
    for each other. Raises ValueError for a taste below 0.

    >>> rng = np.random.default_rng(1)
    >>> first, second = np.tile([0, 1, 2], 200), np.tile([1, 2, 0], 200)
    >>> voters, outcome = np.arange(600) // 20, rng.integers(0, 2, 600)
    >>> outcome[(voters == 3) & (first == 0)], outcome[(voters == 3) & (second == 0)] = 0, 1
    >>> found = favour(Votes(first, second, outcome, ("A", "B", "C"), "none"), voters)
    >>> found.strongest(3), found.n[3].tolist(), float(found.took[3, 0])
    ((0, 0), [13, 14, 13], 13.0)
    """
    if taste < 0:
        raise ValueError(f"{taste} is no size of a taste")
    proper = np.asarray(votes.first != votes.second)
    votes, voters = votes.where(proper), np.asarray(voters[proper], dtype=np.int64)
    counted = np.ones(len(voters), dtype=bool) if counted is None else counted[proper]
    of = np.unique(voters) if of is None else np.asarray(of, dtype=np.int64)
    for _ in range(_MOST_ROUNDS):
        found = _weighed(votes, voters, of, counted, taste)
        suspects = of[found.evidence.max(axis=(1, 2), initial=0) >= suspect]
        new = np.isin(voters, suspects) & counted
        if not new.any():
            break
        counted = counted & ~new
    return found


def favoured_together(found: Favours, direction: int = FOR) -> Floats:
    """For each system, an e-value that some of the voters favour it beyond the tolerated taste, shape (systems,).

    The voters' e-values are bets on independent votes, so a mixture of each with 1 may be multiplied: the likelihood
    ratio of a world in which a share of all accounts favours the system, averaged over five shares. It says that
    there are such voters and names none; it may be known before anything is known of one.
    """
    each = found.evidence[:, :, direction]
    logs = np.log1p(SHARES * (each[..., None] - 1)).sum(axis=0)
    return _exp(scipy.special.logsumexp(logs, axis=1) - np.log(len(SHARES)))


def _weighed(votes: Votes, voters: Ints, of: Ints, counted: Bools, taste: float) -> Favours:
    """Everybody in `of` against the board of the others that count."""
    size = len(votes.systems)
    shape = (len(of), size)
    n, took, expected, tastes = np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    evidence, others, at = np.ones((*shape, 2)), np.zeros(len(of), dtype=np.int64), 0
    for board in boards_without(votes, voters, of, counted=counted):
        here = slice(at, at + len(board.voters))
        rows = _Rows.of(votes, voters, board)
        n[here], took[here] = rows.sums(np.ones(len(rows.score))), rows.sums(rows.score)
        expected[here] = rows.expected
        tastes[here] = rows.tastes()
        evidence[here] = np.stack([rows.evidence(taste, direction) for direction in (FOR, AGAINST)], axis=-1)
        others[here], at = board.others, here.stop
    evidence[others < 2] = 1.0
    tastes[(n == 0) | (others < 2)[:, None]] = np.nan
    why = tuple(_why_not(int(some), int(all_)) for some, all_ in zip(n.sum(axis=1), others, strict=True))
    return Favours(votes.systems, of, n, took, expected, tastes, evidence, why, taste)


def _why_not(n: int, others: int) -> Reason | None:
    if others < 2:
        return reasons.FEW_OTHER_VOTERS()
    return None if n else reasons.NO_VOTES()


@dataclass(frozen=True, eq=False)
class _Rows:
    """Each vote twice, seen from either of its systems: `cell` is the voter's place and the system as one number.

    `ahead` is by how much the others' board has the system before its opponent, in log-odds; `score` is what it took.
    `errors`, shape (places, voters, systems), is by how much that board may be wrong about the system.
    """

    shape: tuple[int, int]
    cell: Ints
    ahead: Floats
    score: Floats
    errors: Floats

    @classmethod
    def of(cls, votes: Votes, voters: Ints, board: Without) -> "_Rows":
        size = len(votes.systems)
        place = np.full(int(max(voters.max(initial=-1), board.voters.max(initial=-1))) + 1, -1)
        place[board.voters] = np.arange(len(board.voters))
        kept = np.flatnonzero(place[voters] >= 0)
        who, one, other = place[voters[kept]], votes.first[kept].astype(np.int64), votes.second[kept].astype(np.int64)
        ahead = board.log_odds[who, one] - board.log_odds[who, other]
        variance, score = board.variance[who, one, other], votes.scores()[kept]
        shape, cell = (len(board.voters), size), np.concatenate([who * size + one, who * size + other])
        n, sums = (
            np.bincount(cell, weights=weights, minlength=shape[0] * size).reshape(shape)
            for weights in (None, np.tile(variance, 2))
        )
        spread = np.sqrt(sums / np.maximum(n, 1))
        return cls(
            shape,
            cell,
            np.concatenate([ahead, -ahead]),
            np.concatenate([score, 1 - score]),
            _quantiles(board.others)[:, :, None] * spread,
        )

    def sums(self, of_row: Floats) -> Floats:
        """Added up for each voter and system."""
        n = self.shape[0] * self.shape[1]
        return np.asarray(np.bincount(self.cell, weights=of_row, minlength=n).reshape(self.shape))

    @property
    def expected(self) -> Floats:
        return self.sums(scipy.special.expit(self.ahead))

    def evidence(self, taste: float, direction: int) -> Floats:
        """The Bayes factors, averaged over the sizes of favour, shape (voters, systems)."""
        sign, score = (1.0, self.score) if direction == FOR else (-1.0, 1 - self.score)
        likely = np.stack([self._likely(sign * self.ahead + taste + size, score) for size in (0.0, *SIZES)])
        return _exp(scipy.special.logsumexp(likely[1:], axis=0) - np.log(len(SIZES)) - likely[0])

    def _likely(self, ahead: Floats, score: Floats) -> Floats:
        """The log-likelihood of the scores, averaged over where the others' board may lie."""
        logs = [
            np.log(weight) + self.sums(score * at - np.logaddexp(0, at))
            for weight, error in zip(_WEIGHTS, self.errors, strict=True)
            for at in [ahead + error.reshape(-1)[self.cell]]
        ]
        return np.asarray(scipy.special.logsumexp(np.stack(logs), axis=0))

    def tastes(self) -> Floats:
        """How much more each voter likes each system than the others do: the mode with the prior N(0, 0.5²)."""
        taste = np.zeros(self.shape)
        for _ in range(_MOST_STEPS):
            chance = scipy.special.expit(self.ahead + taste.reshape(-1)[self.cell])
            slope = self.sums(self.score - chance) - taste / USUAL**2
            step = slope / (self.sums(chance * (1 - chance)) + USUAL**-2)
            taste = taste + np.clip(step, -1, 1)
            if np.abs(step).max(initial=0) < _TOLERANCE:
                break
        return np.asarray(taste)


def _quantiles(others: Ints) -> Floats:
    """Student's, of as many others as there are: their tastes tell their own variance badly when they are few."""
    return np.asarray(scipy.stats.t.ppf(_LEVELS[:, None], np.maximum(others - 1, 1)))


def _exp(logarithm: Floats) -> Floats:
    """Large enough is as good as larger: nothing overflows."""
    return np.asarray(np.exp(np.minimum(logarithm, _LARGEST)))
