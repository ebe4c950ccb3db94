"""How many ratings adjusting for severity saves, for the same error of differences between systems.

    python -m benchmarks.statistics.severity [repeats]

Ten systems, thirty raters whose severity has a standard deviation of 0.55, three ratings of each response. The error
is that of systems' means about their common level, which is what comparisons are made of; beside it that of the means
themselves, which the level of the thirty raters limits whatever is adjusted. The share saved is at least a quarter in
the first world, or this ends with an error; the others are worlds in which more or less can be saved.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.statistics.coverage_of_rater_models import World, severe_ratings
from benchmarks.timing import on_one_thread
from stats.arrays import Floats
from stats.rater_models.severity import adjusted_means

RESULTS = Path(__file__).parents[1] / "results" / "severity.md"
REPEATS = 1_000
WANTED = 0.25
#: The ratings of a system are independent but for severity and items.
FIRST = World(response=0.0, rest=0.8)
WORLDS = {
    "responses of a system are alike on every item": FIRST,
    "responses differ (0.35)": replace(FIRST, response=0.35),
    "raters have tastes for systems (0.3)": replace(FIRST, taste=0.3),
    "responses differ and raters have tastes": replace(FIRST, response=0.35, taste=0.3),
    "raters differ less (0.3)": replace(FIRST, severity=0.3),
    "raters do not differ": replace(FIRST, severity=0.0),
    "some raters hear some systems more": replace(FIRST, uneven=True),
    "every rater rates all (four raters)": replace(FIRST, raters=4, per_response=4),
}


def squared_errors(world: World, repeats: int) -> Floats:
    """Mean squared errors, shape (2, 2): of plain and adjusted means, about their common level and as they are."""
    found = np.zeros((2, 2))
    for seed in range(repeats):
        rated, true, _severity = severe_ratings(np.random.default_rng(seed), world)
        plain = np.bincount(rated.systems, weights=rated.values) / np.bincount(rated.systems)
        adjusted = adjusted_means(rated, n_systems=world.systems, n_raters=world.raters).means
        for at, means in enumerate((plain, adjusted)):
            off = means - true
            found[at] += ((off - off.mean()) ** 2).sum() / (world.systems - 1), (off**2).mean()
    return found / repeats


def main() -> None:
    on_one_thread("benchmarks.statistics.severity")
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS
    lines = [
        "| world | error of differences, plain | adjusted | saved | adjusted with three quarters of the ratings | "
        "error of means, plain | adjusted | saved |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    met = True
    for name, world in WORLDS.items():
        (plain, plain_mean), (adjusted, adjusted_mean) = squared_errors(world, repeats)
        fewer = squared_errors(replace(world, items=world.items * 3 // 4), repeats)[1, 0]
        saved, saved_mean = 1 - adjusted / plain, 1 - adjusted_mean / plain_mean
        if world == FIRST:
            met = saved >= WANTED and fewer <= plain
        lines.append(
            f"| {name} | {plain**0.5:.4f} | {adjusted**0.5:.4f} | {saved:.1%} | {fewer**0.5:.4f} | "
            f"{plain_mean**0.5:.4f} | {adjusted_mean**0.5:.4f} | {saved_mean:.1%} |"
        )
        print(lines[-1], flush=True)
    RESULTS.write_text(
        "# What adjusting for severity saves\n\n"
        f"`python -m benchmarks.statistics.severity {repeats}`: root mean squared errors of ten systems' means over "
        f"{repeats:,} simulated studies of 24 items, 30 raters (severity 0.55, rest 0.8), three ratings of each "
        "response. Saved is the share of ratings that adjusted means need less for the same error (errors fall with "
        "the square root of their number). Errors of differences are those about the common level of all systems; "
        "the level itself depends on which thirty raters there are, and no model changes that.\n\n"
        + "\n".join(lines)
        + f"\n\nAt least {WANTED:.0%} in the first world, and the same error with three quarters of "
        f"the ratings: {'met' if met else 'MISSED'}.\n",
        encoding="utf-8",
    )
    sys.exit(not met)


if __name__ == "__main__":
    main()
