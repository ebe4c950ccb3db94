"""How often intervals hold the truth with three to eight people or items, and how often they are far too short.

    python -m benchmarks.statistics.few_clusters [repeats] [words of rows …]

Every interval that a report, a comparison or a board shows for one look, in worlds of so many raters and items.
Intervals of 95 % should hold the truth in 93 of 100 or more; with so few clusters they may do so more often. Beside
it stands in how many of 100 an interval is narrower than half of that of the same votes or labels each for itself.
What was found stands in results/few_clusters.md and few_clusters.json afterwards; with words, the rows that have any
of them in their name are run again. A share of 500 is itself known to about two in a hundred.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import TypedDict

import numpy as np

from benchmarks.machine import described
from benchmarks.statistics.coverage import has_any
from benchmarks.statistics.few_clusters_of_labels import LABEL_ROWS, Row
from benchmarks.statistics.few_clusters_of_votes import VOTE_ROWS
from benchmarks.timing import on_one_thread
from stats.results import Estimate

RESULTS = Path(__file__).parents[1] / "results" / "few_clusters.json"
REPEATS, WANTED = 500, 0.93
#: How many raters, and items.
WORLDS = ((3, 3), (4, 4), (8, 8), (3, 20), (20, 3))
ROWS = VOTE_ROWS | LABEL_ROWS


class Cell(TypedDict):
    """Which share of `of` intervals held, which was `narrow`, and how many estimates had no interval."""

    held: float
    narrow: float
    of: int
    without: int


class Found(TypedDict):
    cells: list[Cell]
    repeats: int
    day: str


def main() -> None:
    on_one_thread("benchmarks.statistics.few_clusters")
    asked = argparse.ArgumentParser(description="Coverage of intervals with few raters and items")
    asked.add_argument("repeats", nargs="?", type=int, default=REPEATS)
    asked.add_argument("words", nargs="*", help="of the names of rows, any of which will do")
    given = asked.parse_args()
    rows = {name: row for name, row in ROWS.items() if not given.words or has_any(name, given.words)}
    if not rows:
        sys.exit("No row has these words in its name.")
    day, met = str(described()["day"]), True
    print(f"Held (far too short) in {given.repeats} repeats, by raters × items", flush=True)
    for name, row in rows.items():
        cells = [counted(row, raters, items, given.repeats) for raters, items in WORLDS]
        print(f"{name:<48}" + "".join(f"{written(cell):>22}" for cell in cells), flush=True)
        write({name: Found(cells=cells, repeats=given.repeats, day=day)})
        met = met and all(is_met(cell) for cell in cells)
    sys.exit(not met)


def counted(row: Row, raters: int, items: int, repeats: int) -> Cell:
    held, narrow, without = [], [], 0
    for seed in range(repeats):
        for seen in row(np.random.default_rng(seed), raters, items):
            interval = seen.found.interval
            if interval is None:
                without += 1
                continue
            held.append(interval.low - 1e-9 <= seen.truth <= interval.high + 1e-9)
            if (plain := width(seen.plain)) is not None:
                narrow.append(interval.high - interval.low < plain / 2)
    return Cell(
        held=round(float(np.mean(held)), 4) if held else 0.0,
        narrow=round(float(np.mean(narrow)), 4) if narrow else 0.0,
        of=len(held),
        without=without,
    )


def width(estimate: Estimate | None) -> float | None:
    return estimate.interval.high - estimate.interval.low if estimate and estimate.interval else None


def is_met(cell: Cell) -> bool:
    return not cell["of"] or (cell["held"] >= WANTED and cell["narrow"] <= 0.001)


def written(cell: Cell) -> str:
    if not cell["of"]:
        return "no interval"
    without = cell["without"] / (cell["of"] + cell["without"])
    missing = f", {without:.0%} none" if without >= 0.005 else ""
    return f"{cell['held']:.1%} ({cell['narrow']:.1%}){missing}"


def write(found: dict[str, Found]) -> None:
    """Beside the rows that were not run now, as far as there still are such; after each, so that none is lost."""
    kept: dict[str, Found] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    rows = {name: it for name in ROWS if (it := found.get(name) or kept.get(name))}
    RESULTS.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(told(rows), encoding="utf-8")


def told(rows: dict[str, Found]) -> str:
    heads = " | ".join(f"{raters} × {items}" for raters, items in WORLDS)
    lines = [
        f"| {name} | {' | '.join(map(written, it['cells']))} | "
        f"{'met' if all(map(is_met, it['cells'])) else 'MISSED'} | {it['repeats']:,} | {it['day']} |"
        for name, it in rows.items()
    ]
    return (
        "# Intervals with few raters and items\n\n"
        "How often intervals of 95 % held a truth that was simulated, by how many raters and items there were, and "
        "in brackets how often one was narrower than half of that of the same votes or labels each for itself: "
        "`python -m benchmarks.statistics.few_clusters`. Wanted: 93 % or more, and never far narrower. Where nothing "
        "can be said there is no interval, with a reason; the share of these stands behind the brackets.\n\n"
        f"| interval | {heads} | verdict | repeats | day |\n|---|{'--:|' * len(WORLDS)}---|--:|---|\n"
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    main()
