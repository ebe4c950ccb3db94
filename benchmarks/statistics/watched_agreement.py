"""How often the interval of an agreement that is watched misses the truth at any look.

    python -m benchmarks.statistics.watched_agreement [campaigns]

Raters name the true category of a unit or guess, units come in one after the other, and one looks at nominal α after
every ten. *Missed* is the share of campaigns in which the interval at any look does not contain the α of 400,000
units: at most 5 % is wanted. Beside it is the share with intervals for one look, and how much wider the last one is.
The table is written to results/watched_agreement.md.
"""

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.machine import described
from benchmarks.timing import on_one_thread
from stats.agreement.coefficients import WATCHED, krippendorff_alpha
from stats.agreement.labels import LabelTable
from stats.arrays import Ints
from stats.intervals import Bootstrap, Watched
from stats.results import Interval

RESULTS = Path(__file__).parents[1] / "results" / "watched_agreement.md"
UNITS, EVERY, RESAMPLES = 400, 10, 300
MOST_MISSED = 0.05
EVEN, SKEWED, RARE = (0.25,) * 4, (0.7, 0.1, 0.1, 0.1), (0.85, 0.05, 0.05, 0.05)


@dataclass(frozen=True)
class World:
    """`known` is the chance with which a rater knows a unit's category."""

    known: float
    raters: int
    shares: tuple[float, ...]

    def codes(self, rng: np.random.Generator, n: int) -> Ints:
        truth = rng.choice(len(self.shares), size=(n, 1), p=self.shares)
        guess = rng.choice(len(self.shares), size=(n, self.raters), p=self.shares)
        return np.where(rng.random((n, self.raters)) < self.known, truth, guess)


WORLDS = [
    World(known, raters, shares)
    for shares in (EVEN, SKEWED, RARE)
    for known, raters in ((0.0, 2), (0.5, 3), (0.8, 2), (0.95, 2))
]


def main() -> None:
    on_one_thread("benchmarks.statistics.watched_agreement")
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    command = f"python -m benchmarks.statistics.watched_agreement {campaigns}"
    said = f"{campaigns} campaigns of {UNITS} units, a look every {EVERY}; {described()['day']}, `{command}`."
    lines = [f"# Agreement that is watched\n\n{said}\n"]
    lines.append("| raters | shares of categories | α | missed at any look | with intervals for one look | width | |")
    lines.append("|---|---|---|---|---|---|---|")
    for world in WORLDS:
        lines.append(_row(world, campaigns))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def _row(world: World, campaigns: int) -> str:
    truth = float(krippendorff_alpha(_table(world.codes(np.random.default_rng(1), 400_000))).estimate or 0)
    found = [_campaign(world, truth, seed) for seed in range(campaigns)]
    missed, one_look, width = (statistics.mean(column) for column in zip(*found, strict=True))
    verdict = "met" if missed <= MOST_MISSED else "MISSED"
    shares = " ".join(f"{it:g}" for it in world.shares)
    return (
        f"| {world.raters} | {shares} | {truth:.2f} | {missed:.3f} | {one_look:.3f} | {width:.2f} times | {verdict} |"
    )


def _campaign(world: World, truth: float, seed: int) -> tuple[bool, bool, float]:
    """Whether the interval that holds at every look, and that for one look, ever misses; their widths at the end."""
    codes = world.codes(np.random.default_rng(seed), UNITS)
    missed, last = [False, False], [1.0, 1.0]
    for n in range(EVERY, UNITS + 1, EVERY):
        for way, watched in enumerate((WATCHED, None)):
            interval = _interval(codes[:n], watched)
            if interval is not None:
                missed[way] |= not interval.low <= truth <= interval.high
                last[way] = interval.high - interval.low
    return missed[0], missed[1], last[0] / last[1]


def _interval(codes: Ints, watched: Watched | None) -> Interval | None:
    bootstrap = Bootstrap(np.random.default_rng(0), RESAMPLES, watched=watched)
    return krippendorff_alpha(_table(codes), bootstrap=bootstrap).interval


def _table(codes: Ints) -> LabelTable:
    return LabelTable(codes, tuple("abcd"))


if __name__ == "__main__":
    main()
