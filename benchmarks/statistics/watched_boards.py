"""How often a board that is watched says something false, and how many votes it needs to say something true.

    python -m benchmarks.statistics.watched_boards [arenas] [looks]

Voters and items have tastes of their own (0.5 in log-odds), three votes in ten are ties, and one looks at so many
times, evenly spread over the votes. *False* is the share of arenas of equal systems in which at any look some system
is said to beat another: at most 5 % is wanted. Beside it is the share where each look has the interval of one look,
once for each pair by itself. *Votes until called* is the median over arenas of the first look at which the best
system beats the second; beside it the number of votes at which half of the arenas would say so in one look that was
planned for this number, with the same guarantee over all pairs. At most three times as many are wanted. The table is
written to results/watched_boards.md.
"""

import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from arena.pairing.policy import DEFAULT, Field, pair_chances
from benchmarks.machine import described
from benchmarks.timing import on_one_thread
from stats.arrays import Bools, Floats, Ints
from stats.ratings.connectivity import has_maximum
from stats.ratings.elo import POINTS
from stats.ratings.errors import OverClusters
from stats.ratings.sandwich import NoSpread
from stats.ratings.table import rate
from stats.ratings.votes import Counts, Votes, count_votes

RESULTS = Path(__file__).parents[1] / "results" / "watched_boards.md"
TASTE, TIES, VOTES = 0.5, 0.3, 5_000
MOST_FALSE, MOST_RATIO = 0.05, 3.0


@dataclass(frozen=True)
class World:
    systems: int
    voters: int
    items: int
    gap: float = 0.0  # points between the best system and all others, which are equal
    rule: str = "uniform"

    @property
    def name(self) -> str:
        drawn = "pairs at random" if self.rule == "uniform" else f"pairs by {self.rule}"
        return f"{self.systems} systems, {self.voters} voters, {self.items} items, {drawn}"


EQUAL = [World(n, voters, items) for n in (2, 8, 20) for voters, items in ((10, 20), (40, 60), (200, 500))]
EQUAL.append(World(8, 40, 60, rule=DEFAULT))
GAPS = [World(n, 200, 500, gap) for n in (2, 8, 20) for gap in (40.0, 80.0, 120.0, 240.0)]


@dataclass
class Seen:
    """Of one arena: whether anything was said, at which vote the best was said to beat the second, in each way."""

    said: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(("watched", "one look"), False))
    called_at: float = np.inf
    would_call: dict[int, bool] = field(default_factory=dict)


def main() -> None:
    on_one_thread("benchmarks.statistics.watched_boards")
    arenas = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    looks = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    command = f"python -m benchmarks.statistics.watched_boards {arenas} {looks}"
    said = f"{arenas} arenas of {VOTES:,} votes each, {looks} looks at each; {described()['day']}, `{command}`."
    lines = [f"# Boards that are watched\n\n{said}\n"]
    lines.append("| equal systems | false at any look | with intervals for one look | |\n|---|---|---|---|")
    for world in EQUAL:
        found = [watched(world, seed, looks) for seed in range(arenas)]
        false, one_look = (statistics.mean(it.said[way] for it in found) for way in ("watched", "one look"))
        lines.append(
            f"| {world.name} | {false:.3f} | {one_look:.3f} | {'met' if false <= MOST_FALSE else 'MISSED'} |"
        )
        print(lines[-1], flush=True)
    lines.append(
        "\n| the best is ahead by | votes until called | in one planned look | ratio | |\n|---|---|---|---|---|"
    )
    for world in GAPS:
        lines.append(_of_gap(world, [watched(world, seed, looks) for seed in range(arenas)]))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def _of_gap(world: World, found: list[Seen]) -> str:
    called = statistics.median(it.called_at for it in found)
    planned = next(
        (n for n in found[0].would_call if statistics.mean(it.would_call[n] for it in found) >= 0.5), np.inf
    )
    name = f"{world.gap:.0f} points, {world.name}"
    if np.isinf(planned):
        return f"| {name} | {_votes(called)} | {_votes(planned)} | – | not known |"
    if np.isinf(called):
        least = VOTES / planned
        verdict = "MISSED" if least > MOST_RATIO else "not known"
        return f"| {name} | {_votes(called)} | {_votes(planned)} | more than {least:.1f} | {verdict} |"
    ratio = called / planned
    return f"| {name} | {called:,.0f} | {planned:,.0f} | {ratio:.1f} | {'met' if ratio <= MOST_RATIO else 'MISSED'} |"


def _votes(n: float) -> str:
    return f"{n:,.0f}" if np.isfinite(n) else f"more than {VOTES:,}"


def watched(world: World, seed: int, looks: int) -> Seen:
    """One arena, looked at so often."""
    seen, pairs = Seen(), world.systems * (world.systems - 1) // 2
    for n, counts, votes, voters, items in _arena(world, np.random.default_rng(seed), VOTES // looks):
        ways = {"watched": (0.95, True), "one look": (0.95, False), "planned": (1 - 0.05 / pairs, False)}
        ahead = {
            way: _ahead(counts, OverClusters(votes, voters, items, level=level, watched=is_watched))
            for way, (level, is_watched) in ways.items()
        }
        for way in seen.said:
            seen.said[way] |= bool(ahead[way].any())
        seen.would_call[n] = bool(ahead["planned"][0, 1])
        if ahead["watched"][0, 1]:
            seen.called_at = min(seen.called_at, n)
    return seen


def _ahead(counts: Counts, errors: OverClusters) -> Bools:
    """Who is said to beat whom; nobody while the votes do not rate all of them."""
    size = len(counts.systems)
    nobody = np.zeros((size, size), dtype=bool)
    if not has_maximum(counts.scores()):
        return nobody
    try:
        (table,) = rate(counts, errors=errors)
    except NoSpread:
        return nobody
    return nobody if table.spread is None else table.spread.ahead(table.log_odds)


def _arena(world: World, rng: np.random.Generator, step: int) -> Iterator[tuple[int, Counts, Votes, Ints, Ints]]:
    """The votes so far at each look."""
    names = tuple(f"S{n}" for n in range(world.systems))
    strength = np.zeros(world.systems)
    strength[0] = world.gap / POINTS
    tastes = rng.normal(0, TASTE, (world.voters, world.systems))
    item_tastes = rng.normal(0, TASTE, (world.items, world.systems))
    columns: list[Ints] = []
    scores = np.zeros((world.systems, world.systems))
    for _ in range(VOTES // step):
        first, second = _pairs(world, scores, rng, step)
        voter, item = rng.integers(world.voters, size=step), rng.integers(world.items, size=step)
        appeal = strength + tastes[voter] + item_tastes[item]
        row = np.arange(step)
        chance = 1 / (1 + np.exp(appeal[row, second] - appeal[row, first]))
        outcome = np.where(rng.random(step) < TIES, 2, (rng.random(step) > chance).astype(np.int64))
        columns.append(np.stack([first, second, outcome, voter, item]))
        one, other, came, voters, items = np.concatenate(columns, axis=1)
        votes = Votes(one, other, came, names)
        counts = count_votes(votes)
        scores = counts.scores()
        yield len(one), counts, votes, voters, items


def _pairs(world: World, scores: Floats, rng: np.random.Generator, n: int) -> tuple[Ints, Ints]:
    """So many pairs, who is heard first at random."""
    size = world.systems
    if world.rule == "uniform" or not scores.any():
        first = rng.integers(size, size=n)
        return first, (first + rng.integers(1, size, size=n)) % size
    chances = pair_chances(
        Field.of(scores, np.full(size, 1000.0)), np.ones((size, size), dtype=bool), rule=world.rule
    )
    drawn = rng.choice(size * size, size=n, p=chances.ravel() / chances.sum())
    turned = rng.random(n) < 0.5
    one, other = drawn // size, drawn % size
    return np.where(turned, one, other), np.where(turned, other, one)


if __name__ == "__main__":
    main()
