"""After how many units rules are crossed by an annotator who guesses: exactly, or by simulation. Numbers alone.

In a session of `units` units of the study a control unit comes whenever as many units as the next gap says lie behind
the last one; it is drawn from those that were not met and can come yet. A gap is drawn evenly from those around
`check_every`. What a rule says depends only on how many control units of each kind were met and failed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from analytics.quality import evidence
from analytics.quality.inputs import REPEAT
from analytics.quality.signals.signal import Measurement
from analytics.quality.signals.together import TOLERATED, of_checks
from campaigns.control_units.forecast import ControlUnit, Noticed
from campaigns.quality.rule import Action, Rule
from stats.arrays import Bools, Floats, Ints

KINDS = ("gold", "trap", "identical", REPEAT)
TOGETHER = "checks"
#: Steps of the exact calculation, each some microseconds. Where it would take more, sessions are simulated.
MOST_STEPS = 20_000
SESSIONS = 4_000
SEED = 20

#: Rules by the name of their signal, as a tuple that can be looked up.
Rules = tuple[tuple[str, Rule], ...]
#: By the place in KINDS, how many were met and how many of them were failed.
Counts = tuple[tuple[int, int], ...]


def acting(rules: Mapping[str, Rule], kinds: set[str], *, least: Action) -> Rules:
    """The rules that control units of these kinds can cross and that do `least` or something stricter."""
    order = list(Action)
    names = {*kinds & set(KINDS), *([TOGETHER] if kinds else [])}
    strict = ((name, rule) for name, rule in rules.items() if order.index(rule.action) >= order.index(least))
    return tuple((name, rule) for name, rule in strict if name in names)


def gaps(check_every: int) -> range:
    """How many units may lie before the next control unit, each as likely.

    >>> list(gaps(8)), list(gaps(1))
    ([6, 7, 8, 9, 10], [1])
    """
    wobble = check_every // 4
    return range(max(1, check_every - wobble), max(1, check_every + wobble) + 1)


@lru_cache(maxsize=256)
def noticed(
    control: tuple[ControlUnit, ...], rules: Rules, *, units: int, check_every: int, most_steps: int = MOST_STEPS
) -> Noticed:
    """Of a guesser who goes on to the end. Exact within `most_steps` steps, else from `SESSIONS` simulated sessions.

    >>> gold = (ControlUnit("gold", 0.25),) * 4
    >>> found = noticed(gold, (("gold", Rule(0.1, 3, Action.PAUSE)),), units=24, check_every=4)
    >>> round(found.chance, 4), found.typical, found.n_sessions
    (0.4219, None, 0)
    """
    reachable = tuple(one for one in control if one.after <= units)
    found = _exact(reachable, rules, units, check_every, most_steps)
    n_sessions = 0
    if found is None:
        n_sessions, found = SESSIONS, _simulated(reachable, rules, units, check_every)
    total = found.cumsum()
    typical = int(np.searchsorted(total, 0.5 - 1e-12)) if len(total) and total[-1] >= 0.5 - 1e-12 else None
    return Noticed(min(1.0, float(total[-1])), typical, n_sessions)


@dataclass(frozen=True)
class _State:
    """`since` the last control unit; how many of each group of like control units were met; failures by kind."""

    since: int
    met: tuple[int, ...]
    failed: tuple[int, ...]


def _exact(
    control: tuple[ControlUnit, ...], rules: Rules, units: int, check_every: int, most_steps: int
) -> Floats | None:
    """The chance of being noticed at each unit; None where that takes more than `most_steps` steps."""
    groups = sorted(set(control), key=lambda one: (one.kind, one.passes, one.after))
    there = np.array([control.count(one) for one in groups], dtype=int)
    can_come_after = np.array([one.after for one in groups], dtype=int)
    possible, crosses = gaps(check_every), _crossing(rules)
    at = np.zeros(units + len(control) + 1)
    states = {_State(0, (0,) * len(groups), (0,) * len(KINDS)): 1.0}
    steps = 0
    for answered in range(1, units + 1):
        after: dict[_State, float] = defaultdict(float)
        for state, chance in states.items():
            steps += 1 + len(groups)
            since = min(state.since + 1, possible[-1])
            due = 1 / (possible[-1] - since + 1) if since >= possible[0] else 0.0
            if due < 1:
                after[replace(state, since=since)] += chance * (1 - due)
            left = np.where(can_come_after <= answered, there - state.met, 0)
            if due and not left.any():
                after[replace(state, since=possible[-1])] += chance * due  # so the next that can come comes at once
            for n in np.flatnonzero(left) if due else ():
                drawn = chance * due * left[n] / left.sum()
                for new, share in _outcomes(state, groups[n], int(n)):
                    if crosses(_counts(groups, new)):
                        at[answered + sum(new.met)] += drawn * share
                    elif sum(new.met) < len(control):
                        after[new] += drawn * share
        states = after
        if steps > most_steps:
            return None
    return at


def _outcomes(state: _State, group: ControlUnit, at: int) -> list[tuple[_State, float]]:
    """What follows when a control unit of this group is answered, each with its chance."""
    met = tuple(n + (i == at) for i, n in enumerate(state.met))
    more = tuple(n + (kind == group.kind) for n, kind in zip(state.failed, KINDS, strict=True))
    both = [(_State(0, met, state.failed), group.passes), (_State(0, met, more), 1 - group.passes)]
    return [(new, share) for new, share in both if share > 0]


def _counts(groups: list[ControlUnit], state: _State) -> Counts:
    met = dict.fromkeys(KINDS, 0)
    for group, n in zip(groups, state.met, strict=True):
        met[group.kind] += n
    return tuple(zip(met.values(), state.failed, strict=True))


def _simulated(
    control: tuple[ControlUnit, ...], rules: Rules, units: int, check_every: int, sessions: int = SESSIONS
) -> Floats:
    """The share of simulated sessions in which a guesser is noticed at each unit."""
    rng = np.random.default_rng(SEED)
    possible, crosses = gaps(check_every), _crossing(rules)
    kinds = np.array([KINDS.index(one.kind) for one in control], dtype=int)
    fails, after = np.array([1 - one.passes for one in control]), np.array([one.after for one in control])
    open_ = np.ones((sessions, len(control)), dtype=bool)
    counts = np.zeros((sessions, len(KINDS), 2), dtype=int)
    since, gap = np.zeros(sessions, dtype=int), rng.integers(possible[0], possible[-1] + 1, sessions)
    going_on, at = np.ones(sessions, dtype=bool), np.zeros(units + len(control) + 1)
    for answered in range(1, units + 1):
        since += 1
        can_come = open_ & (after <= answered)
        now = np.flatnonzero(going_on & (since >= gap) & can_come.any(axis=1))
        if not len(now):
            continue
        drawn = np.where(can_come[now], rng.random((len(now), len(control))), -1).argmax(axis=1)
        open_[now, drawn] = False
        counts[now, kinds[drawn], 0] += 1
        counts[now, kinds[drawn], 1] += rng.random(len(now)) < fails[drawn]
        since[now], gap[now] = 0, rng.integers(possible[0], possible[-1] + 1, len(now))
        stopped = now[_each_crosses(counts[now], crosses)]
        going_on[stopped] = False
        np.add.at(at, answered + counts[stopped, :, 0].sum(axis=1), 1 / sessions)
        if not (going_on & open_.any(axis=1)).any():
            break
    return at


def _each_crosses(counts: Ints, crosses: Callable[[Counts], bool]) -> Bools:
    """Each of the different counts is asked about once."""
    different, back = np.unique(counts.reshape(len(counts), -1), axis=0, return_inverse=True)
    said = [crosses(tuple((int(row[2 * k]), int(row[2 * k + 1])) for k in range(len(KINDS)))) for row in different]
    return np.array(said, dtype=bool)[back.reshape(-1)]


def _crossing(rules: Rules) -> Callable[[Counts], bool]:
    """Whether some rule is crossed after so many control units were met and failed, by the signals' own evidence."""

    @cache
    def crosses(counts: Counts) -> bool:
        return any(_measured(name, rule, dict(zip(KINDS, counts, strict=True))).crosses(rule) for name, rule in rules)

    return crosses


def _measured(name: str, rule: Rule, counts: Mapping[str, tuple[int, int]]) -> Measurement:
    if name == TOGETHER:
        failed = np.concatenate([np.arange(n) < bad for n, bad in counts.values()]).astype(float)
        allowed = np.concatenate(
            [np.full(n, TOLERATED.get(kind, TOLERATED["gold"])) for kind, (n, _) in counts.items()]
        )
        return of_checks(failed, allowed, rule.tolerated)
    n, bad = counts[name]
    return Measurement(value=bad / max(n, 1), n=n, evidence=evidence.of_share(bad, n, rule.tolerated))
