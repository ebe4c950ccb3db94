"""What checks by ear have in common: sounds of which one is to be named, trial after trial."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.entry_gates.tries import Verdict
from campaigns.models import GateTry


@dataclass(frozen=True)
class EarCheck:
    """A check by ear.

    `draw` gives what the server keeps to itself; `sound` the WAV file heard at a place (from 1) of the trial that is
    being made; `verdict` is None while there are more trials. `most` is the highest number of trials.
    """

    places: int
    most: int
    draw: Callable[[Random], dict[str, Any]]
    sound: Callable[[GateTry, int], bytes]
    verdict: Callable[[GateTry], Verdict | None]


class NoSuchPlace(ValueError):
    """An answer that names none of the sounds."""


def place_named(check: EarCheck, text: str) -> int:
    """The place that was chosen. Raises NoSuchPlace."""
    places = {str(place): place for place in range(1, check.places + 1)}
    if text not in places:
        raise NoSuchPlace("Choose one of the sounds.")
    return places[text]
