"""Published ways to rig a board by votes, on simulated arenas of honest voters with tastes.

Min et al. (2025), "Improving your model ranking on Chatbot Arena by vote rigging" (ICML): votes for the target
wherever it is recognised, and elsewhere none, random ones or honest ones; and *omnipresent* rigging, which votes on
every pair for what lifts the target's rating over its next rival most. Huang et al. (2025), "Exploring and
mitigating adversarial manipulation of voting-based leaderboards" (ICML): the target is recognised in 95 of 100
battles, and an attacker who knows what is tested votes as honest people do wherever that is tested.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import expit

from arena.pairing.policy import Field, pair_chances
from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, bradley_terry, inverse
from stats.ratings.favour import TASTE
from stats.ratings.votes import FIRST, SECOND, TIE, Votes, count_votes

TIES, RECOGNISED, RIVALS = 0.3, 0.95, 3
#: Pairs by a rule are drawn so many at once, from the board of the votes before.
DRAWN_AT_ONCE = 50
#: Attackers look at the board again after so many votes of theirs.
LOOK_EVERY = 10


@dataclass(frozen=True)
class World:
    """Systems evenly spread over `spread` log-odds, and voters with tastes of this standard deviation."""

    systems: int = 8
    voters: int = 100
    votes: int = 2_000
    items: int = 60
    spread: float = 1.4
    taste: float = 0.5
    #: Each voter likes one system by exactly so much more, in log-odds.
    favourite: float = 0.0
    ties: float = TIES
    #: How pairs are drawn.
    rule: str = "uniform"

    @property
    def strength(self) -> Floats:
        return np.linspace(self.spread / 2, -self.spread / 2, self.systems)

    @property
    def target(self) -> int:
        """The worst."""
        return self.systems - 1


@dataclass(frozen=True, eq=False)
class Arena:
    """Votes in their order, who gave them, and the voters' true tastes; `rigged`, of voters, are attackers."""

    votes: Votes
    voters: Ints
    tastes: Floats
    rigged: Bools

    def until(self, n: int) -> "Arena":
        return Arena(self.votes.where(np.arange(n)), self.voters[:n], self.tastes, self.rigged)


@dataclass
class Battle:
    """What an attacker sees: the pair, and the board at the last look."""

    world: World
    rng: np.random.Generator
    first: int
    second: int
    board: Votes
    #: How many votes of its budget the account has given.
    given: int
    budget: int
    lifts: Floats = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def recognised(self) -> bool:
        return self.world.target in (self.first, self.second) and bool(self.rng.random() < RECOGNISED)

    def honest(self, extra: Floats | None = None) -> int:
        appeal = self.world.strength + (0 if extra is None else extra)
        if self.rng.random() < self.world.ties:
            return TIE
        return FIRST if self.rng.random() < expit(appeal[self.first] - appeal[self.second]) else SECOND

    def at_random(self) -> int:
        return int(self.rng.integers(2))

    def for_(self, system: int) -> int:
        return FIRST if self.first == system else SECOND


Strategy = Callable[[Battle], int | None]


def skipping(battle: Battle) -> int | None:
    return battle.for_(battle.world.target) if battle.recognised else None


def at_random(battle: Battle) -> int | None:
    return battle.for_(battle.world.target) if battle.recognised else battle.at_random()


def as_honest(battle: Battle) -> int | None:
    return battle.for_(battle.world.target) if battle.recognised else battle.honest()


def sleeping(battle: Battle) -> int | None:
    return battle.honest() if battle.given < battle.budget // 2 else skipping(battle)


def now_and_then(battle: Battle) -> int | None:
    """For the target in one of three of its battles."""
    return as_honest(battle) if battle.rng.random() < 1 / 3 else battle.honest()


def against_rivals(battle: Battle) -> int | None:
    """Against the next better ones where one of them is recognised, for the target, and at random elsewhere."""
    if battle.recognised:
        return battle.for_(battle.world.target)
    rivals = range(battle.world.target - RIVALS, battle.world.target)
    is_rival = [system in rivals for system in (battle.first, battle.second)]
    if sum(is_rival) == 1 and battle.rng.random() < RECOGNISED:
        return SECOND if is_rival[0] else FIRST
    return battle.at_random()


def omnipresent(battle: Battle) -> int | None:
    """For whichever outcome lifts the target most over its next rival on the board."""
    lift = battle.lifts[battle.first] - battle.lifts[battle.second]
    return FIRST if lift > 0 else SECOND


def within_tolerance(battle: Battle) -> int | None:
    """As somebody would who likes the target by exactly what is tolerated."""
    extra = np.zeros(battle.world.systems)
    extra[battle.world.target] = TASTE
    return battle.honest(extra)


@dataclass(frozen=True)
class Attack:
    name: str
    strategy: Strategy
    accounts: int
    votes_each: int


ATTACKS = (
    Attack("target-only, others skipped, 3 accounts × 20", skipping, 3, 20),
    Attack("target-only, others skipped, 3 accounts × 80", skipping, 3, 80),
    Attack("target-only, others at random, 3 × 80", at_random, 3, 80),
    Attack("target-only, others as honest, 3 × 80", as_honest, 3, 80),
    Attack("sleeper: 80 honest votes, then 80 target-only, 3 accounts", sleeping, 3, 160),
    Attack("target and against three rivals, 3 × 80", against_rivals, 3, 80),
    Attack("omnipresent, 3 × 80", omnipresent, 3, 80),
    Attack("distributed: 12 accounts × 20, others skipped", skipping, 12, 20),
    Attack("distributed: 60 accounts × 4, others skipped", skipping, 60, 4),
    Attack("distributed omnipresent: 60 accounts × 4", omnipresent, 60, 4),
    Attack("evading: target in one battle of three, 3 × 240", now_and_then, 3, 240),
    Attack("evading: within the tolerance, 3 × 240", within_tolerance, 3, 240),
)


def honest_arena(world: World, rng: np.random.Generator) -> Arena:
    """Voters and items with tastes, and ties; pairs at random or by a rule of arenas."""
    tastes = rng.normal(0, world.taste, (world.voters, world.systems))
    if world.favourite:
        tastes[np.arange(world.voters), rng.integers(world.systems, size=world.voters)] += world.favourite
    on_items = rng.normal(0, world.taste, (world.items, world.systems))
    scores, columns = np.zeros((world.systems, world.systems)), []
    step = world.votes if world.rule == "uniform" else DRAWN_AT_ONCE
    names = tuple(f"S{system + 1}" for system in range(world.systems))
    for _ in range(world.votes // step):
        first, second = _pairs(world, scores, rng, step)
        voters, item, row = (
            rng.integers(world.voters, size=step),
            rng.integers(world.items, size=step),
            np.arange(step),
        )
        appeal = world.strength + tastes[voters] + on_items[item]
        wins = rng.random(step) < expit(appeal[row, first] - appeal[row, second])
        outcome = np.where(rng.random(step) < world.ties, TIE, np.where(wins, FIRST, SECOND))
        columns.append(np.stack([first, second, outcome, voters]))
        scores += count_votes(Votes(first, second, outcome, names, "untyped")).scores()
    one, other, came, who = np.concatenate(columns, axis=1)
    return Arena(Votes(one, other, came, names, "untyped"), who, tastes, np.zeros(world.voters, dtype=bool))


def _pairs(world: World, scores: Floats, rng: np.random.Generator, n: int) -> tuple[Ints, Ints]:
    size = world.systems
    if world.rule == "uniform" or not scores.any():
        first = rng.integers(size, size=n)
        return first, (first + rng.integers(1, size, size=n)) % size
    everywhere = np.ones((size, size), dtype=bool)
    chances = pair_chances(Field.of(scores, np.full(size, 1000.0)), everywhere, rule=world.rule)
    drawn = rng.choice(size * size, size=n, p=chances.ravel() / chances.sum())
    turned = rng.random(n) < 0.5
    return np.where(turned, drawn // size, drawn % size), np.where(turned, drawn % size, drawn // size)


def rigged_arena(world: World, attack: Attack, rng: np.random.Generator) -> Arena:
    """The honest arena, and then the attackers' votes, account by account in turns."""
    arena = honest_arena(world, rng)
    columns: list[tuple[int, int, int, int]] = []
    given = np.zeros(attack.accounts, dtype=int)
    lifts = _lifts(world, arena.votes)
    while (given < attack.votes_each).any():
        account = int(given.argmin())
        first = int(rng.integers(world.systems))
        second = int((first + rng.integers(1, world.systems)) % world.systems)
        battle = Battle(world, rng, first, second, arena.votes, int(given[account]), attack.votes_each, lifts)
        outcome = attack.strategy(battle)
        if outcome is None:
            continue
        columns.append((first, second, outcome, world.voters + account))
        given[account] += 1
        if attack.strategy is omnipresent and len(columns) % LOOK_EVERY == 0:
            lifts = _lifts(world, _with(arena, columns).votes)
    return _with(arena, columns, attack.accounts)


def _with(arena: Arena, columns: list[tuple[int, int, int, int]], accounts: int = 0) -> Arena:
    first, second, outcome, voters = np.array(columns, dtype=np.int64).T
    votes = Votes(
        np.concatenate([arena.votes.first, first]),
        np.concatenate([arena.votes.second, second]),
        np.concatenate([arena.votes.outcome, outcome]),
        arena.votes.systems,
        arena.votes.ties,
    )
    tastes = np.concatenate([arena.tastes, np.zeros((accounts, arena.tastes.shape[1]))])
    rigged = np.concatenate([arena.rigged, np.ones(accounts, dtype=bool)])
    return Arena(votes, np.concatenate([arena.voters, voters]), tastes, rigged)


def log_odds_of(votes: Votes) -> Floats:
    return bradley_terry(count_votes(votes).scores(), prior_sd=PRIOR_SD).log_odds


def place_of(log_odds: Floats, system: int) -> int:
    return int((log_odds > log_odds[system]).sum()) + 1


def _lifts(world: World, votes: Votes) -> Floats:
    """How far a win of each system moves the target over its next rival: one Newton step (as in `fragility`)."""
    fit = bradley_terry(count_votes(votes).scores(), prior_sd=PRIOR_SD)
    ahead = np.flatnonzero(fit.log_odds > fit.log_odds[world.target])
    contrast = np.zeros(world.systems)
    contrast[world.target] = 1
    if len(ahead):
        contrast[ahead[fit.log_odds[ahead].argmin()]] = -1
    return np.asarray(inverse(fit.information) @ contrast)
