"""How often what a comparison says of judges is false at any look, while people answer.

    python -m benchmarks.statistics.watched_judges [campaigns] [worlds whose name contains this]

People name the true category of a unit or guess, each with habits of their own where `habits` are above 0; two
judges do the same. Units come in one after the other, and one looks after every 25 from 100 on. *Missed* is the
share of studies in which the interval of the first judge's κ at any look does not contain the κ with 400,000 units
and people without end: at most 5 % is wanted. *Falsely closer* is the share in which one of two judges that are
equally close is said to be closer at any look. Beside each is the share with intervals for one look over units,
which is what a study of a fixed size has. The table is written to results/watched_judges.md, where rows of worlds
that were not simulated stay.
"""

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.machine import described
from benchmarks.timing import on_one_thread
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Floats, Ints
from stats.judges.judged import Without, majority, without_each
from stats.judges.watched import (
    LEAST_UNITS,
    Beside,
    at_every_look,
    at_one_look,
    difference_spread,
    figure_spread,
    kappa_influence,
)
from stats.results import Estimate

RESULTS = Path(__file__).parents[1] / "results" / "watched_judges.md"
UNITS, EVERY = 600, 25
MOST_MISSED = 0.05
CATEGORIES = tuple("abcd")
HEAD = """\
| people | studies | κ | missed at any look | with one look | falsely closer | with one look | width | |
|---|---|---|---|---|---|---|---|---|"""
EVEN, SKEWED, RARE = (0.25,) * 4, (0.7, 0.1, 0.1, 0.1), (0.85, 0.05, 0.05, 0.05)


@dataclass(frozen=True)
class World:
    """`people` of whom `answers` label each unit, drawn by lot or, `in_turn`, one after the other as units come.

    The truth is that of people without end or, with `of_these`, of the same people on units without end. `habits`
    say how far people's ways of guessing lie apart: 0 are all alike, and 1 drawn from all that there are. Both
    judges know a unit's category with the chance `judge`.
    """

    name: str
    people: int
    answers: int
    habits: float = 0.0
    shares: tuple[float, ...] = EVEN
    judge: float = 0.5
    in_turn: bool = False
    of_these: bool = False


WORLDS = [
    World("alike, one answer", 20, 1),
    World("alike, three answers", 20, 3),
    World("alike, three answers, good judges", 20, 3, judge=0.9),
    World("alike, two answers, skewed", 20, 2, shares=SKEWED),
    World("alike, three answers, rare labels", 20, 3, shares=RARE),
    World("habits, one answer, 20 people", 20, 1, habits=1.0),
    World("habits, two answers, 20 people", 20, 2, habits=1.0),
    World("habits, three answers, 20 people", 20, 3, habits=1.0),
    World("habits, one answer, 8 people", 8, 1, habits=1.0),
    World("habits, three answers, 8 people", 8, 3, habits=1.0, judge=0.9),
    World("habits, all of 5 people answer", 5, 5, habits=1.0, judge=0.9),
    World("habits, one answer, 40 in turn", 40, 1, habits=1.0, in_turn=True),
    World("habits, all of 3 people answer", 3, 3, habits=1.0),
    World("habits, all of 3 people answer; the κ with these people", 3, 3, habits=1.0, of_these=True),
]


@dataclass(frozen=True, eq=False)
class Study:
    """Labels of people, shape (units, people), and of two judges, shape (units, 2)."""

    people: Ints
    judges: Ints


def study(world: World, rng: np.random.Generator, n: int = UNITS, *, fresh: bool = False) -> Study:
    """A study of so many units; with `fresh` people each unit has its own, as if there were no end of them."""
    shares, size = np.array(world.shares), len(world.shares)
    people = n * world.answers if fresh else world.people
    knows = np.clip(rng.normal(0.7, 0.3 * world.habits, people), 0, 1)
    guesses = (1 - world.habits) * shares + world.habits * rng.dirichlet(np.ones(size), people)
    truth = rng.choice(size, size=n, p=shares)
    judges = _said(truth[:, np.newaxis], np.full((n, 2), world.judge), np.tile(shares, (n, 2, 1)), rng)
    who = _who(world, rng, n, fresh=fresh)
    said = _said(truth[:, np.newaxis], knows[who], guesses[who], rng)
    if fresh:
        return Study(said, judges)
    table = np.full((n, people), MISSING, dtype=np.int64)
    np.put_along_axis(table, who, said, axis=1)
    return Study(table, judges)


def truth_of(world: World, seed: int = 1) -> float:
    """The κ of a judge with people without end, or with the people of the study of this seed."""
    n = 40_000 if world.of_these else 400_000
    found = study(world, np.random.default_rng(seed), n, fresh=not world.of_these)
    reference = majority(LabelTable(found.people, CATEGORIES))
    both = np.stack([found.judges[:, 0], reference], axis=1)[reference >= 0]
    return float(cohen_kappa(LabelTable(both, CATEGORIES)).estimate or 0)


@dataclass(frozen=True)
class Seen:
    """What one look says of the first judge's κ, and of it less the second's."""

    kappa: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False)
class Watched:
    """A study with people's label of each unit, and that label without each person."""

    judges: Ints
    reference: Ints
    without: Without

    def until(self, judge: int, n: int, *, every: bool) -> Beside:
        """One judge on the first units, about these people alone where it is for one look."""
        without = self.without.first(n) if every else None
        return Beside(self.judges[:n, judge], self.reference[:n], np.arange(n), 4, without)


def watched(found: Study) -> Watched:
    table = LabelTable(found.people, CATEGORIES)
    return Watched(found.judges, majority(table), without_each(table))


def look(seen: Watched, n: int, *, every: bool) -> Seen | None:
    """With intervals that hold at every look, or for one look over units; None where κ is undefined."""
    first, second = (seen.until(judge, n, every=every) for judge in (0, 1))
    found = [
        cohen_kappa(LabelTable(np.stack([it.own, it.reference], axis=1)[it.counted], CATEGORIES))
        for it in (first, second)
    ]
    one, other = (it.estimate for it in found)
    if one is None or other is None:
        return None
    add = at_every_look if every else at_one_look
    kappa = add(found[0], figure_spread(first, kappa_influence), low=-1.0, high=1.0)
    less = Estimate(one - other, found[0].n, "difference")
    return Seen(kappa, add(less, difference_spread(first, second, kappa_influence), low=-2.0, high=2.0))


def main() -> None:
    on_one_thread("benchmarks.statistics.watched_judges")
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    rows = _rows_before()
    for world in WORLDS:
        if wanted in world.name:
            rows[world.name] = _row(world, campaigns)
            print(rows[world.name], flush=True)
            _write(rows)


def _rows_before() -> dict[str, str]:
    """Those of the last run, which stay where a world is not simulated again."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}


def _write(rows: dict[str, str]) -> None:
    looks = f"Studies of {UNITS} units, a look every {EVERY} from {LEAST_UNITS} on"
    command = "python -m benchmarks.statistics.watched_judges"
    lines = [f"# Judges that are watched\n\n{looks}; {described()['day']}, `{command}`.\n", HEAD]
    lines += [rows[world.name] for world in WORLDS if world.name in rows]
    RESULTS.write_text("\n".join(lines) + "\n")


def _row(world: World, campaigns: int) -> str:
    truth = truth_of(world)
    found = [campaign(world, truth, seed) for seed in range(campaigns)]
    missed, once, closer, closer_once, width = (statistics.mean(column) for column in zip(*found, strict=True))
    verdict = "met" if max(missed, closer) <= MOST_MISSED else "MISSED"
    return (
        f"| {world.name} | {campaigns} | {truth:.2f} | {missed:.3f} | {once:.3f} | {closer:.3f} | "
        f"{closer_once:.3f} | {width:.2f} times | {verdict} |"
    )


def campaign(world: World, truth: float, seed: int) -> tuple[bool, bool, bool, bool, float]:
    """Whether κ ever misses, and a judge is ever falsely closer, each in both ways; the widths at the end."""
    whole = watched(study(world, np.random.default_rng(seed)))
    truth = truth_of(world, seed) if world.of_these else truth
    missed, closer, last = [False, False], [False, False], [1.0, 1.0]
    for n in range(LEAST_UNITS, UNITS + 1, EVERY):
        for way, every in enumerate((True, False)):
            seen = look(whole, n, every=every)
            if seen is None:
                continue
            if interval := seen.kappa.interval:
                missed[way] |= not interval.low <= truth <= interval.high
                last[way] = interval.high - interval.low
            if interval := seen.difference.interval:
                closer[way] |= not interval.low <= 0 <= interval.high
    return missed[0], missed[1], closer[0], closer[1], last[0] / last[1]


def _who(world: World, rng: np.random.Generator, n: int, *, fresh: bool) -> Ints:
    """Who answers each unit, shape (units, answers)."""
    if fresh:
        return np.arange(n * world.answers).reshape(n, world.answers)
    if world.in_turn:
        first = np.arange(n) * world.people // n
        return (first[:, np.newaxis] + np.arange(world.answers)) % world.people
    return rng.random((n, world.people)).argsort(axis=1)[:, : world.answers]


def _said(truth: Ints, knows: Floats, guesses: Floats, rng: np.random.Generator) -> Ints:
    """Labels, shape (units, raters): the truth, or a guess by habits of shape (units, raters, categories)."""
    ends = guesses.cumsum(axis=-1)
    drawn = rng.random(knows.shape)[..., np.newaxis] * ends[..., -1:]
    guess = (drawn > ends).sum(axis=-1)
    return np.where(rng.random(knows.shape) < knows, truth, guess)


if __name__ == "__main__":
    main()
