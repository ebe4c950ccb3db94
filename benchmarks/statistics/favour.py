"""How often honest voters are said to favour a system, how many attackers are found, and what the rule is worth.

    python -m benchmarks.statistics.favour [arenas] [looks]

Honest arenas are looked at several times while votes come: the share of voters of whom it is ever said, and of voters
of whom it is said although their taste for that system is within the tolerance (at most 1 % is wanted).

Rigged arenas (`rigging`) are looked at once, at the end: the share of attacking accounts found; of honest voters who
are said to favour a system; of arenas in which it is said that some accounts favour the target, without naming them;
of arenas in which the attackers are found when a recorded group (one way in) holds them together; and the place and
the rating of the target, the worst system, without the attack, with it, and with the rule that leaves out who is
found. The table is written to results/favour.md.
"""

import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arena.pairing.policy import DEFAULT
from benchmarks.machine import described
from benchmarks.statistics.rigging import (
    ATTACKS,
    Arena,
    Attack,
    World,
    honest_arena,
    log_odds_of,
    place_of,
    rigged_arena,
)
from benchmarks.timing import on_one_thread
from stats.ratings.elo import POINTS
from stats.ratings.favour import ENOUGH, FOR, TASTE, Favours, favour, favoured_together

ATTACKED = (
    "| attack | accounts found | honest voters flagged | some favour the target | found as a group "
    "| place without, with, and with the rule | lift in points, and with the rule |\n|" + "---|" * 7
)
RESULTS = Path(__file__).parents[1] / "results" / "favour.md"
LOOKS, MOST_FALSE = 10, 0.01

AT_TOLERANCE = World(taste=0.0, favourite=TASTE, ties=0.0)
HONEST = {
    "100 voters × 20, no tastes": World(taste=0.0),
    "100 voters × 20, tastes 0.5": World(),
    "100 voters × 20, tastes 0.5, no ties": World(ties=0.0),
    "100 voters × 20, tastes 0.5, pairs by the arena's own rule": World(rule=DEFAULT),
    "100 voters × 20, tastes 1.0": World(taste=1.0),
    "400 voters × 10, tastes 0.5": World(voters=400, votes=4_000),
    "10 voters × 200, tastes 0.5": World(voters=10),
    "20 systems, 100 voters × 40, tastes 0.5": World(systems=20, votes=4_000, spread=2.4),
    "2 systems, 50 voters × 20, tastes 0.5": World(systems=2, voters=50, votes=1_000, spread=0.4),
    "100 voters × 20, each with a favourite at the tolerance, no ties": AT_TOLERANCE,
    "20 voters × 100, each with a favourite at the tolerance, no ties": replace(AT_TOLERANCE, voters=20),
    "5 voters × 400, each with a favourite at the tolerance, no ties": replace(AT_TOLERANCE, voters=5),
    "2 systems, 40 voters × 50, each with a favourite at the tolerance, no ties": replace(
        AT_TOLERANCE, systems=2, voters=40, spread=0.4
    ),
}


@dataclass(frozen=True)
class Alarms:
    """Of one honest arena: shares of voters of whom it was ever said, and wrongly."""

    said: float
    false: float


@dataclass(frozen=True)
class Found:
    """Of one rigged arena."""

    attackers: float
    honest: float
    together: bool
    as_group: bool
    places: tuple[int, int, int]
    lifts: tuple[float, float]


def alarms(world: World, seed: int, looks: int = LOOKS) -> Alarms:
    """Look so often while the votes of an honest arena come."""
    arena = honest_arena(world, np.random.default_rng(seed))
    excess = world.systems / max(world.systems - 1, 1) * (arena.tastes - arena.tastes.mean(axis=1, keepdims=True))
    said, false = set[int](), set[int]()
    for n in np.linspace(0, world.votes, looks + 1, dtype=int)[1:]:
        now = arena.until(int(n))
        found = favour(now.votes, now.voters)
        for at in np.flatnonzero(found.of_voters >= ENOUGH):
            system, direction = found.strongest(int(at))
            voter = int(found.voters[at])
            said.add(voter)
            if (excess[voter, system] if direction == FOR else -excess[voter, system]) <= TASTE + 1e-9:
                false.add(voter)
    return Alarms(len(said) / world.voters, len(false) / world.voters)


def attacked(world: World, attack: Attack, seed: int) -> Found:
    """One arena before the attack, after it, and with the rule."""
    before = honest_arena(world, np.random.default_rng(seed))
    arena = rigged_arena(world, attack, np.random.default_rng(seed))
    found = favour(arena.votes, arena.voters)
    flagged = found.voters[found.of_voters >= ENOUGH]
    kept = arena.votes.where(~np.isin(arena.voters, flagged))
    boards = [log_odds_of(votes) for votes in (before.votes, arena.votes, kept)]
    points = [POINTS * board[world.target] for board in boards]
    is_rigged = arena.rigged[flagged]
    return Found(
        attackers=float(is_rigged.sum() / arena.rigged.sum()),
        honest=float((~is_rigged).sum() / (~arena.rigged).sum()),
        together=bool(favoured_together(found)[world.target] >= ENOUGH),
        as_group=bool(_of_group(arena, world).of_voters[0] >= ENOUGH),
        places=tuple(place_of(board, world.target) for board in boards),  # type: ignore[arg-type]
        lifts=(points[1] - points[0], points[2] - points[0]),
    )


def _of_group(arena: Arena, world: World) -> Favours:
    """All attackers as one voter, as if one invitation had brought them."""
    voters = np.where(arena.rigged[arena.voters], world.voters, arena.voters)
    return favour(arena.votes, voters, of=np.array([world.voters]))


def main() -> None:
    on_one_thread("benchmarks.statistics.favour")
    arenas = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    looks = int(sys.argv[2]) if len(sys.argv) > 2 else LOOKS
    command = f"python -m benchmarks.statistics.favour {arenas} {looks}"
    lines = [f"# Favour\n\n{arenas} arenas a row, {looks} looks at honest ones; {described()['day']}, `{command}`.\n"]
    lines.append(ATTACKED)
    for attack in ATTACKS:
        lines.append(_of_attack(attack, [attacked(World(), attack, 10_000 + seed) for seed in range(arenas)]))
        print(lines[-1], flush=True)
    lines.append("\n| honest voters | ever said | said of a taste within the tolerance | |\n|---|---|---|---|")
    for name, world in HONEST.items():
        lines.append(_of_honest(name, [alarms(world, seed, looks) for seed in range(arenas)]))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def _of_honest(name: str, found: list[Alarms]) -> str:
    said, false = (statistics.mean(getattr(it, what) for it in found) for what in ("said", "false"))
    return f"| {name} | {said:.4f} | {false:.4f} | {'met' if false <= MOST_FALSE else 'MISSED'} |"


def _of_attack(attack: Attack, found: list[Found]) -> str:
    attackers, honest, together, as_group = (
        statistics.mean(getattr(it, what) for it in found) for what in ("attackers", "honest", "together", "as_group")
    )
    places = ", ".join(f"{statistics.mean(it.places[at] for it in found):.1f}" for at in range(3))
    lifts = ", ".join(f"{statistics.mean(it.lifts[at] for it in found):+.0f}" for at in range(2))
    shares = f"{attackers:.2f} | {honest:.4f} | {together:.2f} | {as_group:.2f}"
    return f"| {attack.name} | {shares} | {places} | {lifts} |"


if __name__ == "__main__":
    main()
