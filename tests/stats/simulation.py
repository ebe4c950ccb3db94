"""Votes whose truth is known."""

import numpy as np

from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND, Votes

LABELS = ("1", "2", "both_good", "both_bad")
OUTCOMES = {"1": FIRST, "2": SECOND, "both_good": BOTH_GOOD, "both_bad": BOTH_BAD}


def names(n: int) -> tuple[str, ...]:
    return tuple(f"S{place}" for place in range(n))


def simulated_votes(log_odds, n: int, *, seed: int = 1, ties: float = 0.2, pull: float = 0.0) -> Votes:
    """Votes between random pairs. `ties` is the share of ties, `pull` what being first adds to the log-odds."""
    rng = np.random.default_rng(seed)
    log_odds = np.asarray(log_odds, dtype=float)
    first = rng.integers(len(log_odds), size=n)
    second = (first + rng.integers(1, len(log_odds), size=n)) % len(log_odds)
    wins = rng.random(n) < 1 / (1 + np.exp(log_odds[second] - log_odds[first] - pull))
    tied = np.where(rng.random(n) < 0.5, BOTH_GOOD, BOTH_BAD)
    outcome = np.where(rng.random(n) < ties, tied, np.where(wins, FIRST, SECOND))
    return Votes(first, second, outcome, names(len(log_odds)))


def votes_of(*rows: tuple[int, int, str], systems: int | None = None) -> Votes:
    """Votes written out: first system, second system, label."""
    first, second, labels = zip(*rows, strict=True)
    n = max(*first, *second) + 1 if systems is None else systems
    return Votes(np.array(first), np.array(second), np.array([OUTCOMES[label] for label in labels]), names(n))
