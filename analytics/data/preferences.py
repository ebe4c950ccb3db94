"""Which answers to a pair say who is better, and what each of them says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from protocols import Scale
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND, TIE, Ties

_CHOICES = frozenset({"a", "b"})
_TYPED = {"both_good": BOTH_GOOD, "both_bad": BOTH_BAD}
_UNTYPED = frozenset({"tie", "same"})
_SIGNED = frozenset(str(n) for n in range(-3, 4))


@dataclass(frozen=True)
class Preferences:
    """The outcome of each stored value where a is presented first. `signed` says that values were numbers."""

    ties: Ties
    outcomes: Mapping[str, int]
    signed: bool = False

    def outcome(self, value: str, order: str) -> int:
        """What the value says in the order of the screen: the first of `order` was presented first.

        >>> preferences_of(["a", "b", "tie"]).outcome("a", "ba") == SECOND
        True
        """
        outcome = self.outcomes[value]
        return SECOND - outcome if outcome < TIE and order.startswith("b") else outcome


def preferences_of_scale(scale: Scale) -> Preferences | None:
    """Those of a scale on which two responses are compared; None for any other scale."""
    kind = scale.kind
    if kind.any_response:
        return preferences_of(_CHOICES)
    return preferences_of(kind.stored_values) if kind.compares else None


def preferences_of(values: Iterable[str]) -> Preferences | None:
    """Those of labels of these values; None where they compare nothing, or not in one way.

    Numbers from −3 to 3 are the quality of b against a: their sign is the winner's, 0 is a tie without a type.

    >>> preferences_of(["a", "both_bad"]).ties, preferences_of(["-2", "0", "1"]).ties, preferences_of(["yes", "no"])
    ('typed', 'untyped', None)
    """
    found = set(values)
    if found and found <= _SIGNED and any(int(value) <= 0 for value in found):
        return Preferences("untyped", {value: _sign(int(value)) for value in _SIGNED}, signed=True)
    chosen = {"a": FIRST, "b": SECOND}
    extra = found - _CHOICES
    if extra and extra <= set(_TYPED):
        return Preferences("typed", chosen | _TYPED)
    if extra and extra <= _UNTYPED:
        return Preferences("untyped", chosen | dict.fromkeys(_UNTYPED, TIE))
    return Preferences("none", chosen) if found and not extra else None


def _sign(number: int) -> int:
    if number == 0:
        return TIE
    return SECOND if number > 0 else FIRST
