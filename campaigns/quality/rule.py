"""A rule: from which value on a signal says something, after how many answers, and what is done then."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MOST_ANSWERS = 10_000


class Action(StrEnum):
    NOTHING = "nothing"
    WARN = "warn"
    PAUSE = "pause"
    EXCLUDE = "exclude"


@dataclass(frozen=True)
class Rule:
    """`tolerated` is the value that is still all right; nothing is said before there are `minimum` answers.

    >>> Rule(0.2, 5, Action.WARN).document()
    {'tolerated': 0.2, 'minimum': 5, 'action': 'warn'}
    >>> Rule(1.5, 5, Action.WARN)
    Traceback (most recent call last):
        ...
    ValueError: 1.5 is no share from 0 to 1
    """

    tolerated: float
    minimum: int
    action: Action

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tolerated) and 0 <= self.tolerated <= 1):
            raise ValueError(f"{self.tolerated} is no share from 0 to 1")
        if not 1 <= self.minimum <= MOST_ANSWERS:
            raise ValueError(f"{self.minimum} is no number of answers from 1 to {MOST_ANSWERS}")
        object.__setattr__(self, "action", Action(self.action))

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"action": str(self.action)}


def read_rule(document: Mapping[str, Any]) -> Rule:
    """The rule that `document` describes. Raises ValueError for one that is none."""
    try:
        return Rule(float(document["tolerated"]), int(document["minimum"]), Action(document["action"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{document!r} is no rule") from error
