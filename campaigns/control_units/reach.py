"""How many control units an annotator meets, and how likely a guesser passes all of them. Numbers alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Reach:
    """Of an annotator who answers `units` units of the study: `met` of the `there` control units, `by_purpose` of
    each kind on average, since the next one is drawn; `guessed` is the chance of passing all of them by guessing."""

    units: int
    there: int
    met: int
    by_purpose: Mapping[str, float]
    guessed: float | None


def reach_of(chances: Mapping[str, Sequence[float]], *, units: int, check_every: int) -> Reach:
    """`chances` has, by purpose, the chance of passing each control unit by guessing (1 where nobody can fail).

    One comes about every `check_every` units, each once.

    >>> found = reach_of({"gold": [0.25] * 12, "trap": [0.25] * 5}, units=18, check_every=3)
    >>> found.met, round(found.by_purpose["trap"], 1), round(found.guessed, 4)
    (6, 1.8, 0.0002)
    >>> reach_of({"gold": [0.5]}, units=4, check_every=8).met
    0
    """
    there = sum(map(len, chances.values()))
    met = min(there, units // check_every) if check_every else there
    share = met / there if there else 0.0
    every = [chance for of_kind in chances.values() for chance in of_kind]
    guessed = (sum(every) / there) ** met if met else None
    return Reach(units, there, met, {purpose: share * len(of_kind) for purpose, of_kind in chances.items()}, guessed)


def chance_of_guessing(expected: Mapping[str, Sequence[str]], n_choices: Mapping[str, int]) -> float:
    """Of passing a unit by choosing at random: `expected` by aspect, or `aspect.slot`; `n_choices` by aspect.

    >>> chance_of_guessing({"overall": ["a"]}, {"overall": 4}), chance_of_guessing({}, {})
    (0.25, 1.0)
    """
    shares = (
        min(1.0, len(values) / n_choices[name.partition(".")[0]])
        for name, values in expected.items()
        if n_choices.get(name.partition(".")[0])
    )
    return float(prod(shares))
