"""A whole session of the simulated panel without a database: who is caught, by what, after how many answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analytics.quality.evaluation import crossed, default_rules, evaluate
from analytics.quality.inputs import Given
from analytics.simulation.panel import KINDS, Person, Task, panel
from campaigns.quality.rule import Action, Rule
from protocols import Protocol
from protocols.declared import Aspect
from protocols.kinds.frames import stored_value
from protocols.scales.named import TEXT, TYPED_TIE

VALUES = ("a", "b", "both_good", "both_bad")
MIRROR = np.array([1, 0, 2, 3])
OVERALL_AND_REASON = Protocol(
    name="rehearsal",
    version="1",
    title="Overall, with a reason",
    instructions="Listen to both.",
    aspects=(
        Aspect("overall", "Overall", "Which is better?", TYPED_TIE),
        Aspect("reason", "Reason", "Why?", TEXT, after=("overall",)),
    ),
)


@dataclass(frozen=True)
class Session:
    """How long a session is, and what is mixed into it."""

    units: int = 100
    gold: int = 8
    trap: int = 4
    identical: int = 4
    repeat: int = 4
    pool: int = 240
    look_every: int = 5

    @property
    def study(self) -> int:
        return self.units - self.gold - self.trap - self.identical - self.repeat


@dataclass(frozen=True)
class Caught:
    """When signals first spoke against one annotator: after so many answers, by name."""

    kind: str
    by: Mapping[str, int] = field(default_factory=dict)

    @property
    def after(self) -> int | None:
        return min(self.by.values(), default=None)


@dataclass
class _Row:
    rater: int
    unit: int
    purpose: str
    value: int
    turned: bool
    took: float
    audio: float
    heard: float
    passed: int
    text: str


def simulate(
    seed: int,
    *,
    rules: Mapping[str, Rule] | None = None,
    each: int = 10,
    kinds: Sequence[str] = KINDS,
    session: Session | None = None,
) -> list[Caught]:
    """Let the panel answer, look every few answers, pause whom the rules pause; say who was caught and when."""
    session = session or Session()
    rules = rules or default_rules()
    rng = np.random.default_rng([seed, 2])
    people = panel(seed, each=each, kinds=kinds)
    world = _World(session, rng)
    plans = [world.plan() for _ in people]
    rows: list[_Row] = []
    caught: list[dict[str, int]] = [{} for _ in people]
    paused: set[int] = set()
    for nth in range(session.units):
        for rater, person in enumerate(people):
            if rater not in paused:
                rows.append(world.answered(rater, person, *plans[rater][nth]))
        if (nth + 1) % session.look_every == 0:
            paused |= _look(_given(rows, len(people), paused), rules, caught, nth + 1)
    return [Caught(person.kind, found) for person, found in zip(people, caught, strict=True)]


class _World:
    """Units with qualities of their own; gold units have an obvious winner, and a trap tells its answer."""

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        self.session, self.rng = session, rng
        n = session.pool + session.gold + session.trap + session.identical
        self.quality = rng.normal(0, 1, (n, 2))
        self.audio = rng.uniform(8, 30, n)
        self.obvious = rng.integers(0, 2, n)
        self.obvious[session.pool + session.gold :] = rng.integers(0, 4, n - session.pool - session.gold)

    def plan(self) -> list[tuple[str, int]]:
        """Purpose and unit of everything that one annotator meets, checks evenly among the rest."""
        s = self.session
        study = [("study", int(unit)) for unit in self.rng.permutation(s.pool)[: s.study]]
        repeats = [("repeat", unit) for _, unit in study[: s.repeat]]
        purposes = ["gold"] * s.gold + ["trap"] * s.trap + ["identical"] * s.identical
        checks = [(purpose, s.pool + n) for n, purpose in enumerate(purposes)]
        self.rng.shuffle(checks)
        checks += repeats
        plan = list(study)
        for n, check in enumerate(checks, start=1):
            plan.insert(round(n * s.units / (len(checks) + 1)), check)
        return plan

    def answered(self, rater: int, person: Person, purpose: str, unit: int) -> _Row:
        order = "ba" if self.rng.uniform() < 0.5 else "ab"
        expected = [VALUES[self.obvious[unit]]]
        passing = {"gold": expected, "trap": expected, "identical": VALUES[2:]}.get(purpose)
        obvious = {"overall": expected} if purpose in ("gold", "trap") else {}
        quality = dict(zip("ab", self.quality[unit].tolist(), strict=True))
        audio = float(self.audio[unit])
        task = Task(OVERALL_AND_REASON, order, quality, audio, purpose == "identical", obvious)
        did = person.behave(task)
        value = VALUES.index(stored_value(did.clicked["overall"], order, "response"))
        passed = -1 if passing is None else int(VALUES[value] in passing)
        text = did.clicked["reason"]
        return _Row(rater, unit, purpose, value, order == "ba", did.took_s, audio, did.heard, passed, text)


def _given(rows: list[_Row], n_raters: int, paused: set[int]) -> Given:
    def column(name: str) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
        return np.array([getattr(row, name) for row in rows])

    rater = column("rater")
    return Given(
        n_raters=n_raters,
        values=VALUES,
        mirror=MIRROR,
        sided=np.array([True, True, False, False]),
        texts=tuple(row.text for row in rows),
        counts=~np.isin(rater, list(paused)),
        **{name: column(name) for name in _COLUMNS},  # type: ignore[arg-type]
    )


_COLUMNS = ("rater", "unit", "purpose", "value", "turned", "took", "audio", "heard", "passed")


def _look(given: Given, rules: Mapping[str, Rule], caught: list[dict[str, int]], after: int) -> set[int]:
    """Note who is caught for the first time by what; return who is paused now."""
    paused = set()
    for name, rater in crossed(evaluate(given, rules), rules):
        caught[rater].setdefault(name, after)
        if rules[name].action in (Action.PAUSE, Action.EXCLUDE):
            paused.add(rater)
    return paused


def without(rules: Mapping[str, Rule], *names: str) -> dict[str, Rule]:
    """The rules, these of them switched off."""
    return {name: replace(r, action=Action.NOTHING) if name in names else r for name, r in rules.items()}
