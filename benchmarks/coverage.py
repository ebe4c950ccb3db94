"""How often intervals hold the truth, where the truth is known because it was simulated.

    python -m benchmarks.coverage [repeats]

Intervals of 95 % should hold it in 95 of 100 repeats: ratings in 93.5 to 96.5, everything else in 93 to 97. What they
did stands in results/coverage.md afterwards. A share of 1,000 is itself known to about 1.4 in a hundred.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.coverage_of_ratings import RATINGS
from benchmarks.coverage_of_statistics import STATISTICS
from benchmarks.machine import described
from benchmarks.timing import on_one_thread

RESULTS = Path(__file__).parent / "results" / "coverage.md"
REPEATS = 1_000
OF_RATINGS, OF_STATISTICS = (0.935, 0.965), (0.93, 0.97)


def main() -> None:
    on_one_thread("benchmarks.coverage")
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS
    machine, begin = described(), time.monotonic()
    print(f"Coverage of 95 % intervals in {repeats} repeats")
    rows = []
    for name, repeat in RATINGS.items():
        hits = (hit for seed in range(repeats) for hit in repeat(np.random.default_rng(seed)))
        rows.append(line(name, hits, OF_RATINGS))
    for name, single in STATISTICS.items():
        rows.append(line(name, (single(np.random.default_rng(seed)) for seed in range(repeats)), OF_STATISTICS))
    write(rows, repeats, machine, time.monotonic() - begin)
    sys.exit(any(row[-1] != "met" for row in rows))


def line(name: str, hits: Iterable[bool | None], bounds: tuple[float, float]) -> tuple[str, ...]:
    """Say which share of intervals held the truth, of how many, how many were undefined, and against what."""
    found = list(hits)
    defined = [hit for hit in found if hit is not None]
    share = sum(defined) / len(defined)
    row = (
        name,
        f"{share:.1%}",
        f"{len(defined):,}",
        f"{len(found) - len(defined):,}",
        f"{bounds[0]:.1%} to {bounds[1]:.1%}",
        "met" if bounds[0] <= share <= bounds[1] else "MISSED",
    )
    print(f"  {name:<88} {share:>6.1%} of {len(defined):>6,}, {row[3]} undefined  {row[-1]}", flush=True)
    return row


def write(rows: list[tuple[str, ...]], repeats: int, machine: dict[str, object], took_s: float) -> None:
    told = "{cores} cores of {processor}, {memory_gb} GB, Python {python}, {system}".format(**machine)
    command = f"`python -m benchmarks.coverage {repeats}`"
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    RESULTS.write_text(
        "# Coverage of intervals\n\n"
        f"{command} on {machine['day']}, {took_s / 60:.0f} min, one thread: {told}.\n\n"
        "How often intervals of 95 % held a truth that was simulated. Seeds are fixed.\n\n"
        "| interval | held | of | without one | wanted | verdict |\n|---|--:|--:|--:|---|---|\n"
        f"{table}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
