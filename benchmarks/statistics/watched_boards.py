"""How often a board that is watched says something false, and how many votes it needs to say something true.

    python -m benchmarks.statistics.watched_boards [arenas [arenas with a gap]]

Voters and items have tastes of their own (0.5 in log-odds), and three votes in ten are ties. One looks at every vote:
first where the number of votes has grown by a tenth, and wherever a false call or the true one is at least four
fifths of the way at either end of such a step, at every vote of it. *False* is the share of arenas in which at any
look some system is said to beat one that is as good or better, which is when some set of ranks is wrong: at most 5 %
is wanted. Beside it is the share where each look has the interval of one look, once for each pair by itself (looked
at once each tenth). *Votes until called* is the median over arenas of the first vote at which the best system beats
the second; beside it the number of votes at which half of the arenas would say so in one look that was planned for
this number, with the same guarantee over all pairs. At most three times as many are wanted. The table is written to
results/watched_boards.md.
"""

import statistics
import sys
from dataclasses import dataclass, field, replace
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
from stats.ratings.spread import FromCovariance
from stats.ratings.table import rate
from stats.ratings.votes import TIE, Votes, count_votes

RESULTS = Path(__file__).parents[1] / "results" / "watched_boards.md"
TASTE, TIES, VOTES = 0.5, 0.3, 5_000
#: So many pairs are drawn by what is known at that moment.
AT_ONCE = 50
#: Of the way to being said: from there on every vote is looked at.
NEAR = 0.8
LOOKS = sorted({min(VOTES, round(20 * 1.1**n)) for n in range(60)})
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
GAPS.append(World(8, 200, 500, 120.0, rule=DEFAULT))


@dataclass
class Seen:
    """Of one arena: whether anything false was said, and at which vote the best was said to beat the second."""

    false: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(("watched", "one look"), False))
    called_at: float = np.inf
    would_call: dict[int, bool] = field(default_factory=dict)


def main() -> None:
    on_one_thread("benchmarks.statistics.watched_boards")
    arenas = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with_gap = int(sys.argv[2]) if len(sys.argv) > 2 else arenas // 5
    command = f"python -m benchmarks.statistics.watched_boards {arenas} {with_gap}"
    said = f"Arenas of {VOTES:,} votes each, looked at at every vote; {described()['day']}, `{command}`."
    lines = [f"# Boards that are watched\n\n{said}\n"]
    lines.append(f"| {arenas:,} arenas of equal systems | false at any look | with intervals for one look | |")
    lines.append("|---|---|---|---|")
    for world in EQUAL:
        lines.append(f"| {world.name} | {_false([watched(world, seed) for seed in range(arenas)])} |")
        _keep(lines)
    lines.append(
        f"\n| {with_gap:,} arenas in which the best is ahead by | votes until called | in one planned look | ratio | "
        "| false at any look | with intervals for one look | |"
    )
    lines.append("|---|---|---|---|---|---|---|---|")
    for world in GAPS:
        found = [watched(world, seed) for seed in range(with_gap)]
        lines.append(f"{_of_gap(world, found)} {_false(found)} |")
        _keep(lines)


def _keep(lines: list[str]) -> None:
    """After each world: all of them take an hour."""
    print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def _false(found: list[Seen]) -> str:
    watched_one, one_look = (statistics.mean(it.false[way] for it in found) for way in ("watched", "one look"))
    return f"{watched_one:.3f} | {one_look:.3f} | {'met' if watched_one <= MOST_FALSE else 'MISSED'}"


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


def watched(world: World, seed: int) -> Seen:
    """One arena, looked at at every vote."""
    arena, seen = Arena.drawn(world, np.random.default_rng(seed)), Seen()
    pairs = world.systems * (world.systems - 1) // 2
    wrong = np.array(arena.strength)[:, np.newaxis] <= np.array(arena.strength)
    before, was_near = 0, False
    for n in LOOKS:
        spread, log_odds = arena.rated(n)
        near = _is_near(spread, log_odds, wrong, seen)
        if was_near or near:
            for vote in range(before + 1, n):
                _look(seen, vote, *arena.rated(vote), wrong)
        _look(seen, n, spread, log_odds, wrong)
        if spread is not None:
            one_look, planned = (replace(spread, watched=False, level=it) for it in (0.95, 1 - 0.05 / pairs))
            seen.false["one look"] |= bool((one_look.ahead(log_odds) & wrong).any())
            seen.would_call[n] = bool(planned.ahead(log_odds)[0, 1])
        else:
            seen.would_call[n] = False
        before, was_near = n, near
    return seen


def _look(seen: Seen, n: int, spread: FromCovariance | None, log_odds: Floats, wrong: Bools) -> None:
    if spread is None:
        return
    ahead = spread.ahead(log_odds)
    seen.false["watched"] |= bool((ahead & wrong).any())
    if ahead[0, 1]:
        seen.called_at = min(seen.called_at, n)


def _is_near(spread: FromCovariance | None, log_odds: Floats, wrong: Bools, seen: Seen) -> bool:
    """Whether something is nearly said that is not said yet: what is false, or that the best beats the second."""
    if spread is None:
        return False
    nearly = spread.ahead(log_odds / NEAR)
    false = not seen.false["watched"] and bool((nearly & wrong).any())
    return false or (not wrong[0, 1] and np.isinf(seen.called_at) and bool(nearly[0, 1]))


@dataclass
class Arena:
    """All votes of an arena, in their order."""

    strength: Floats
    votes: Votes
    voters: Ints
    items: Ints

    @classmethod
    def drawn(cls, world: World, rng: np.random.Generator) -> "Arena":
        """Pairs are drawn by what was known some votes before, as those that annotators reserve are."""
        strength = np.zeros(world.systems)
        strength[0] = world.gap / POINTS
        tastes = rng.normal(0, TASTE, (world.voters, world.systems))
        item_tastes = rng.normal(0, TASTE, (world.items, world.systems))
        names = tuple(f"S{n}" for n in range(world.systems))
        columns: list[Ints] = []
        scores = np.zeros((world.systems, world.systems))
        for _ in range(VOTES // AT_ONCE):
            first, second = _pairs(world, scores, rng, AT_ONCE)
            voter, item = rng.integers(world.voters, size=AT_ONCE), rng.integers(world.items, size=AT_ONCE)
            appeal = strength + tastes[voter] + item_tastes[item]
            row = np.arange(AT_ONCE)
            chance = 1 / (1 + np.exp(appeal[row, second] - appeal[row, first]))
            outcome = np.where(rng.random(AT_ONCE) < TIES, TIE, (rng.random(AT_ONCE) > chance).astype(np.int64))
            columns.append(np.stack([first, second, outcome, voter, item]))
            scores += count_votes(Votes(first, second, outcome, names)).scores()
        one, other, came, voters, items = np.concatenate(columns, axis=1)
        return cls(strength, Votes(one, other, came, names), voters, items)

    def rated(self, n: int) -> tuple[FromCovariance | None, Floats]:
        """Of the first n votes: the spread at every look, None while they do not rate all systems, and log-odds."""
        size = len(self.votes.systems)
        votes = Votes(self.votes.first[:n], self.votes.second[:n], self.votes.outcome[:n], self.votes.systems)
        counts = count_votes(votes)
        if not has_maximum(counts.scores()):
            return None, np.zeros(size)
        errors = OverClusters(votes, self.voters[:n], self.items[:n], level=0.95, watched=True)
        try:
            (table,) = rate(counts, errors=errors)
        except NoSpread:
            return None, np.zeros(size)
        assert table.spread is None or isinstance(table.spread, FromCovariance)  # noqa: S101 - types are narrowed by it
        return table.spread, table.log_odds


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
