"""How long a board's arithmetic takes after one more vote, at every look beside one look, with 100 and 400 systems.

    python -m benchmarks.statistics.refresh [votes]

The votes are counted already. Wanted: at most 200 µs with 100 systems and 4 ms with 400 for the refresh that holds at
every look, beside the plain one for one look in the same run. Medians of the processor's time, on one thread.
"""

import sys
from functools import partial

import numpy as np

from benchmarks.statistics.coverage_of_ratings import pairs, votes_of
from benchmarks.timing import on_one_thread, seconds, show
from stats.ratings.acceptability import acceptability, win_rates
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.errors import OverVotes
from stats.ratings.sandwich import by_votes
from stats.ratings.spread import FromCovariance
from stats.ratings.table import rate, tabulate
from stats.ratings.votes import Counts, count_votes

WANTED_S = {100: 200e-6, 400: 4e-3}


def main() -> None:
    on_one_thread("benchmarks.statistics.refresh")
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for systems, wanted in WANTED_S.items():
        print(f"{n:,} votes between {systems} systems, one more than before")
        rng = np.random.default_rng(1)
        log_odds, (first, second) = rng.normal(0, 1, systems), pairs(rng, systems, n)
        votes = votes_of(rng, log_odds[first] - log_odds[second], first, second, systems)
        measured(count_votes(votes), wanted)


def measured(counts: Counts, wanted: float) -> None:
    scores = counts.scores()
    before = bradley_terry(scores).log_odds
    scores[0, 1] += 1
    again = partial(bradley_terry, scores, start=before)
    fit = again()
    covariance = by_votes(fit, counts)
    show("the maximum, from the one before", seconds(again, times=25))
    show("the covariance over votes", seconds(lambda: by_votes(fit, counts), times=25))
    for watched, name in ((False, "one look"), (True, "every look")):
        spread = FromCovariance(covariance, watched=watched)
        table = partial(tabulate, counts, fit.log_odds, spread, None, method="")
        show(f"intervals and ranks that hold at {name}", seconds(table, times=25))
        reach = partial(spread.ahead, fit.log_odds)
        show(f"  of which who is ahead of whom, at {name}", seconds(reach, times=25))
    plain = seconds(lambda: rate(counts, errors=OverVotes()), times=9)
    whole = seconds(lambda: rate(counts, errors=OverVotes(watched=True)), times=9)
    show("the plain refresh, for one look, from counts", plain)
    show("the refresh for every look, from counts", whole, target=wanted)
    print(f"    {whole / plain:.2f} times the plain one, {1e6 * (whole - plain):,.0f} µs more")
    alone = seconds(lambda: (win_rates(counts), acceptability(counts)), times=9)
    show("win rates and acceptability, of the board beside it", alone)


if __name__ == "__main__":
    main()
