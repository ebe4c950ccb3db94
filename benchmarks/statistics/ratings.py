"""How long ratings take, beside other libraries on the same votes in the same run.

    python -m benchmarks.statistics.ratings [votes] [systems]

By default 1,000,000 votes between 100 systems, from arrays of integers, on one thread. The peers are evalica, choix,
scikit-learn and statsmodels, and the method that FastChat published for its arena: a logistic regression on the
weighted table of pairs, a tie as half a win, and a bootstrap that draws the votes anew.
"""

import sys
from collections.abc import Callable
from functools import partial

import choix
import evalica
import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from benchmarks.timing import on_one_thread, seconds, show
from stats.arrays import Floats
from stats.ratings.bradley_terry import Fit, bradley_terry, solve
from stats.ratings.elo import online_elo
from stats.ratings.resampling import MultinomialBootstrap
from stats.ratings.table import rate, rate_votes
from stats.ratings.votes import Integers, Votes, count_votes

WINNERS = (evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.Draw)
RESAMPLES = 1_000


def simulated(n: int, systems: int, seed: int = 1) -> Votes:
    """Votes with a quarter of ties, between systems whose log-odds have a standard deviation of 1."""
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(0, 1, systems)
    first = rng.integers(systems, size=n)
    second = (first + rng.integers(1, systems, size=n)) % systems
    won = rng.random(n) < 1 / (1 + np.exp(log_odds[second] - log_odds[first]))
    outcome = np.where(rng.random(n) < 0.25, rng.integers(2, 4, n), np.where(won, 0, 1))
    return Votes(first, second, outcome, tuple(f"S{place:03}" for place in range(systems)))


def main() -> None:
    on_one_thread("benchmarks.statistics.ratings")
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    systems = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    votes = simulated(n, systems)
    print(f"{n:,} votes between {systems} systems, medians on one thread")
    bradley_terry_and_peers(votes)
    clusters(votes)
    bootstraps(votes)
    elo_and_peer(votes)


def bradley_terry_and_peers(votes: Votes) -> None:
    print("Bradley–Terry with its errors, from arrays of votes")
    ours = seconds(lambda: rate_votes(votes), times=15)
    show("ours: counts, maximum, sandwich, intervals, ranks", ours, target=0.025)
    show("  of which the counts", seconds(lambda: count_votes(votes), times=15))
    scores = count_votes(votes).scores()
    exact = bradley_terry(scores)
    show("  of which the maximum", seconds(lambda: bradley_terry(scores), times=15))
    print(f"    it is within {distance_from_maximum(exact, scores):.0e} log-odds of the exact one (target 1e-09)")
    for name, peer in peers_of_bradley_terry(votes, scores).items():
        show(name, seconds(peer, times=3), beside=ours)
        found = peer()
        print(f"    {np.abs(found - found.mean() - exact.log_odds).max():.0e} log-odds from the maximum")


def peers_of_bradley_terry(votes: Votes, scores: Floats) -> dict[str, Callable[[], Floats]]:
    first, second = votes.first.tolist(), votes.second.tolist()
    winners = [WINNERS[outcome] for outcome in votes.outcome.tolist()]
    return {
        "evalica.bradley_terry, from lists of votes, no errors": lambda: np.log(
            evalica.bradley_terry(first, second, winners, tolerance=1e-9, limit=10_000).scores.sort_index().to_numpy()
        ),
        "choix.ilsr_pairwise_dense, from our counts, no errors": lambda: choix.ilsr_pairwise_dense(scores),
        "FastChat's method with scikit-learn, no errors": lambda: fastchat(
            votes.first, votes.second, votes.scores(), len(votes.systems)
        ),
        "statsmodels GLM on weighted pairs, robust errors": lambda: glm(count_votes(votes).scores()),
    }


def clusters(votes: Votes) -> None:
    print("The same with errors over voters, and over voters and items")
    rng, n = np.random.default_rng(2), len(votes.first)
    for voters in (1_000, 50_000, n):
        taken = seconds(partial(rate_votes, votes, rng.integers(voters, size=n)), times=5)
        show(f"ours: {voters:,} voters", taken, target=0.5)
    voter, item = rng.integers(50_000, size=n), rng.integers(500, size=n)
    show("ours: 50,000 voters crossed with 500 items", seconds(lambda: rate_votes(votes, voter, item), times=5))


def bootstraps(votes: Votes) -> None:
    print(f"Percentile intervals from {RESAMPLES:,} exactly multinomial resamples")
    counts, rng = count_votes(votes), np.random.default_rng(3)
    ours = seconds(lambda: rate(counts, errors=MultinomialBootstrap(rng, resamples=RESAMPLES)), times=3)
    show("ours", ours, target=5.0)

    def fastchat_resample() -> Floats:
        drawn = rng.integers(len(votes.first), size=len(votes.first))
        return fastchat(votes.first[drawn], votes.second[drawn], votes.scores()[drawn], len(votes.systems))

    one = seconds(fastchat_resample, times=3)
    show(f"FastChat's method: one of its resamples times {RESAMPLES:,}", one * RESAMPLES, beside=ours)


def elo_and_peer(votes: Votes) -> None:
    print("Online Elo")
    ours = seconds(lambda: online_elo(votes), times=3)
    show("ours", ours)
    first, second = votes.first.tolist(), votes.second.tolist()
    winners = [WINNERS[outcome] for outcome in votes.outcome.tolist()]
    show(
        "evalica.elo, from lists of votes", seconds(lambda: evalica.elo(first, second, winners), times=3), beside=ours
    )
    theirs = evalica.elo(first, second, winners).scores.sort_index().to_numpy()
    mine = np.array([it.estimate for it in online_elo(votes)], dtype=np.float64)
    print(f"    ours and evalica's differ by {np.abs(mine - theirs).max():.0e} points")


def fastchat(first: Integers, second: Integers, scores: Floats, systems: int) -> Floats:
    """A logistic regression on the pairs that met, weighted by what either took, without intercept or penalty."""
    took = np.bincount(first * systems + second, scores, systems**2)
    met = np.bincount(first * systems + second, minlength=systems**2)
    pairs = np.flatnonzero(met)
    design = np.zeros((len(pairs), systems))
    design[np.arange(len(pairs)), pairs // systems] = 1
    design[np.arange(len(pairs)), pairs % systems] = -1
    weights = np.concatenate([took[pairs], (met - took)[pairs]])
    outcome = np.repeat([1, 0], len(pairs))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=1_000)
    model.fit(np.vstack([design, design]), outcome, sample_weight=weights)
    return np.asarray(model.coef_[0])


def glm(scores: Floats) -> Floats:
    """A binomial model of how often the one of a pair won over the other, the last system as reference."""
    systems = len(scores)
    one, other = np.triu_indices(systems, 1)
    design = np.zeros((len(one), systems))
    design[np.arange(len(one)), one], design[np.arange(len(one)), other] = 1, -1
    took = np.stack([scores[one, other], scores[other, one]], axis=1)
    fit = sm.GLM(took, design[:, :-1], family=sm.families.Binomial()).fit(cov_type="HC0")
    return np.append(fit.params, 0.0)


def distance_from_maximum(fit: Fit, scores: Floats) -> float:
    """One more step of Newton's, its slope in extended precision."""
    log_odds, wide = fit.log_odds.astype(np.longdouble), scores.astype(np.longdouble)
    expected = ((wide + wide.T) / (1 + np.exp(log_odds - log_odds[:, np.newaxis]))).sum(axis=1)
    return float(np.abs(solve(fit.information, (wide.sum(axis=1) - expected).astype(np.float64))).max())


if __name__ == "__main__":
    main()
