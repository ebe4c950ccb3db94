"""How many votes a newcomer needs until its rating is known to ±40 Elo, under each rule of pairing.

    python -m benchmarks.statistics.pairing [repeats]

The newcomer enters an arena of 1,000,000 votes. Votes are counted from then on, all of them, whoever meets; what a
rule needs is held against random pairing in the same run. The default is to need at most 0.15 of it.
"""

import statistics
import sys
from functools import cache

import numpy as np

from arena.pairing.policy import DEFAULT, RULES, Field, draw_pair, pair_chances
from stats.arrays import Floats
from stats.ratings.bradley_terry import bradley_terry, inverse
from stats.ratings.elo import POINTS

SYSTEMS = 100
VOTES = 1_000_000
HALF_WIDTH = 40.0
LIMIT = 0.15
#: A draw's chances are taken again after so many votes: an arena's voters vote beside each other.
TOGETHER = 5


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print(f"Votes until a newcomer among {SYSTEMS} systems is known to ±{HALF_WIDTH:g} Elo, median of {repeats}")
    needed = {rule: statistics.median(votes_needed(rule, seed) for seed in range(repeats)) for rule in RULES}
    for rule, votes in needed.items():
        share = votes / needed["uniform"]
        verdict = ("met" if share <= LIMIT else "MISSED") if rule == DEFAULT else ""
        print(f"  {rule:<20} {votes:>10,.0f}   {share:.3f} of random  {verdict}")


def votes_needed(rule: str, seed: int) -> int:
    """Votes until the newcomer's interval, by the curvature of the likelihood, is narrow enough."""
    rng = np.random.default_rng(seed)
    strength = np.append(np.linspace(-1.5, 1.5, SYSTEMS - 1), rng.normal(0, 0.75))
    scores, elo = established().copy(), 1000 + POINTS * strength
    elo[-1] = 1000.0
    allowed = np.ones(scores.shape, dtype=bool)
    field = Field.of(scores, elo)
    for votes in range(0, 400 * SYSTEMS * SYSTEMS, TOGETHER):
        if half_width(field) <= HALF_WIDTH:
            return votes
        chances = pair_chances(field, allowed, rule=rule)
        newcomer_met = False
        for _ in range(TOGETHER):
            drawn = draw_pair(chances, rng)
            wins = rng.random() < 1 / (1 + np.exp(strength[drawn.other] - strength[drawn.one]))
            winner, loser = (drawn.one, drawn.other) if wins else (drawn.other, drawn.one)
            scores[winner, loser] += 1
            newcomer_met |= drawn.other == SYSTEMS - 1
        if newcomer_met:
            field = Field(scores + scores.T, elo, bradley_terry(scores, prior_sd=2.0, start=field.fit.log_odds))
    raise RuntimeError(f"{rule} did not get there")


def half_width(field: Field) -> float:
    """Of the 95 % interval of the newcomer's distance to the mean of the others, in Elo."""
    contrast = np.append(np.full(SYSTEMS - 1, -1 / (SYSTEMS - 1)), 1.0)
    return float(1.96 * POINTS * np.sqrt(contrast @ inverse(field.fit.information) @ contrast))


@cache
def established() -> Floats:
    """Expected scores of a million votes spread evenly over the pairs of those who were there before."""
    strength = np.linspace(-1.5, 1.5, SYSTEMS - 1)
    chance = 1 / (1 + np.exp(strength - strength[:, np.newaxis]))
    scores = np.zeros((SYSTEMS, SYSTEMS))
    scores[:-1, :-1] = chance * VOTES / (len(strength) * (len(strength) - 1) / 2)
    np.fill_diagonal(scores, 0)
    return scores


if __name__ == "__main__":
    main()
