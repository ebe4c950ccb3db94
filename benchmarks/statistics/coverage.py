"""How often intervals hold the truth, where the truth is known because it was simulated.

    python -m benchmarks.statistics.coverage [repeats] [words of rows …]

Intervals of 95 % should hold it in 95 of 100 repeats: ratings in 93.5 to 96.5, everything else in 93 to 97, and
ratings from few voters and items in 93 or more. What they did stands in results/coverage.md and coverage.json
afterwards; with words, the rows that have any of them in their name are run again, and the others stay as they were.
A share of 1,000 is itself known to about 1.4 in a hundred.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypedDict

import numpy as np

from benchmarks.machine import described
from benchmarks.statistics.coverage_of_rater_models import AT_LEAST as OF_FEW_RATERS
from benchmarks.statistics.coverage_of_rater_models import RATER_MODELS, RELIABILITY
from benchmarks.statistics.coverage_of_ratings import AT_LEAST, RATINGS
from benchmarks.statistics.coverage_of_statistics import STATISTICS
from benchmarks.statistics.coverage_of_systems import SYSTEMS
from benchmarks.timing import on_one_thread

RESULTS = Path(__file__).parents[1] / "results" / "coverage.json"
REPEATS = 1_000
OF_RATINGS, OF_STATISTICS, OF_FEW_CLUSTERS = (0.935, 0.965), (0.93, 0.97), (0.93, 1.0)
#: Whether each interval of a repeat held the truth; None where there was none.
Hits = Callable[[np.random.Generator], Iterable[bool | None]]


class Row(TypedDict):
    """Which share of `of` intervals in so many repeats held; `without` more estimates had none."""

    share: float
    of: int
    without: int
    wanted: tuple[float, float]
    repeats: int
    day: str


def main() -> None:
    on_one_thread("benchmarks.statistics.coverage")
    asked = argparse.ArgumentParser(description="How often intervals hold a simulated truth")
    asked.add_argument("repeats", nargs="?", type=int, default=REPEATS)
    asked.add_argument("words", nargs="*", help="of the names of rows, any of which will do")
    given = asked.parse_args()
    day = str(described()["day"])
    rows = {name: it for name, it in every_row() if not given.words or has_any(name, given.words)}
    if not rows:
        sys.exit("No row has these words in its name.")
    print(f"Coverage of 95 % intervals in {given.repeats} repeats", flush=True)
    verdicts = set()
    for name, (hits, wanted) in rows.items():
        row = counted(hits, wanted, given.repeats, day, name)
        write({name: row})
        verdicts.add(verdict(row))
    sys.exit(verdicts != {"met"})


def every_row() -> Iterator[tuple[str, tuple[Hits, tuple[float, float]]]]:
    for name, repeat in RATINGS.items():
        yield name, (repeat, OF_FEW_CLUSTERS if name.startswith(AT_LEAST) else OF_RATINGS)
    for name, model in RATER_MODELS.items():
        yield name, (model, OF_FEW_CLUSTERS if name.startswith(OF_FEW_RATERS) else OF_STATISTICS)
    for name, single in (STATISTICS | SYSTEMS | RELIABILITY).items():
        yield name, (partial(_alone, single), OF_STATISTICS)


def _alone(single: Callable[[np.random.Generator], bool | None], rng: np.random.Generator) -> tuple[bool | None]:
    return (single(rng),)


def has_any(name: str, words: list[str]) -> bool:
    return any(word.lower() in name.lower() for word in words)


def counted(hits: Hits, wanted: tuple[float, float], repeats: int, day: str, name: str) -> Row:
    found = [hit for seed in range(repeats) for hit in hits(np.random.default_rng(seed))]
    defined = [hit for hit in found if hit is not None]
    row = Row(
        share=round(sum(defined) / len(defined), 4) if defined else 0.0,
        of=len(defined),
        without=len(found) - len(defined),
        wanted=wanted,
        repeats=repeats,
        day=day,
    )
    held = f"{row['share']:>6.1%} of {row['of']:>6,}, {row['without']} without"
    print(f"  {name:<88} {held}  {verdict(row)}", flush=True)
    return row


def verdict(row: Row) -> str:
    return "met" if row["wanted"][0] <= row["share"] <= row["wanted"][1] else "MISSED"


def write(found: dict[str, Row]) -> None:
    """Beside the rows that were not run now, as far as there still are such; after each, so that none is lost."""
    kept: dict[str, Row] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    rows = {name: row for name, _ in every_row() if (row := found.get(name) or kept.get(name))}
    RESULTS.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(told(rows), encoding="utf-8")


def told(rows: dict[str, Row]) -> str:
    lines = [
        f"| {name} | {row['share']:.1%} | {row['of']:,} | {row['without']:,} | {row['wanted'][0]:.1%} to "
        f"{row['wanted'][1]:.1%} | {verdict(row)} | {row['repeats']:,} | {row['day']} |"
        for name, row in rows.items()
    ]
    return (
        "# Coverage of intervals\n\n"
        "How often intervals of 95 % held a truth that was simulated: `python -m benchmarks.statistics.coverage`; "
        "words of their names run some rows again. Seeds are fixed.\n\n"
        "| interval | held | of | without one | wanted | verdict | repeats | day |\n"
        "|---|--:|--:|--:|---|---|--:|---|\n" + "\n".join(lines) + "\n"
    )


if __name__ == "__main__":
    main()
