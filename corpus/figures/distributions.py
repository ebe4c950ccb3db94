"""How long, loud and fast the responses of each system are: what a dataset's page draws and says."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from corpus.figures.out_of_line import Limits, counts, limits
from corpus.figures.sounds import Heard
from corpus.models import ItemWarning

Kind = ItemWarning.Kind
#: What is in line, by the system's id and the measure.
Limited = dict[tuple[int | None, str], Limits]
#: Stored as JSON: `seconds` and `n_clips` of all; per system (its id) the same and per measure `n`, `median`,
#: `limits` and `counts` in bins over `ranges[measure]`.
Document = dict[str, Any]


@dataclass(frozen=True)
class Measure:
    """A property of `Heard`, and the warnings for what is below and above its system's limits."""

    name: str
    below: Kind | None
    above: Kind | None
    by_ratio: bool = False


BY_SYSTEM = (
    Measure("seconds", Kind.SHORT, Kind.LONG, by_ratio=True),
    Measure("lufs", Kind.QUIETER, Kind.LOUDER),
    Measure("peak", Kind.PEAK_LOW, Kind.PEAK_HIGH),
    Measure("silence", None, Kind.PAUSES),
    Measure("inner_silence", None, None),
    Measure("pause", None, Kind.LONG_PAUSE),
    Measure("rate", Kind.SLOW, Kind.FAST, by_ratio=True),
)


def distributions(responses: Iterable[Heard]) -> tuple[Document, Limited]:
    """What is kept of the dataset as a whole, and within which limits a system's responses are in line."""
    by_system: dict[int | None, list[Heard]] = defaultdict(list)
    for heard in responses:
        by_system[heard.system].append(heard)
    values = {
        (system, measure.name): _values(several, measure)
        for system, several in by_system.items()
        for measure in BY_SYSTEM
    }
    limited = {
        (system, measure.name): found
        for system in by_system
        for measure in BY_SYSTEM
        if (found := limits(values[system, measure.name], by_ratio=measure.by_ratio))
    }
    ranges = {it.name: range_ for it in BY_SYSTEM if (range_ := _range(values, limited, it.name))}
    systems = {
        str(system): _how_long(several)
        | {
            "measures": {
                name: _figures(values[system, name], limited.get((system, name)), range_)
                for name, range_ in ranges.items()
                if values[system, name]
            }
        }
        for system, several in by_system.items()
    }
    every = [heard for several in by_system.values() for heard in several]
    return _how_long(every) | {"ranges": ranges, "systems": systems}, limited


def _values(several: Iterable[Heard], measure: Measure) -> list[float]:
    return [value for heard in several if (value := getattr(heard, measure.name)) is not None]


def _range(values: dict[tuple[int | None, str], list[float]], limited: Limited, name: str) -> list[float] | None:
    """What is drawn of a measure: from the least to the greatest value of any system that is within its limits."""
    lows, highs = [], []
    for (system, of), known in values.items():
        if of == name and known:
            found = limited.get((system, of))
            lows.append(max(min(known), found.low) if found else min(known))
            highs.append(min(max(known), found.high) if found else max(known))
    return [min(lows), max(highs)] if lows else None


def _how_long(several: Iterable[Heard]) -> Document:
    sounds = [sound for heard in several for sound in heard.sounds]
    return {"seconds": sum(sound.seconds for sound in sounds), "n_clips": len(sounds)}


def _figures(values: list[float], found: Limits | None, range_: list[float]) -> Document:
    return {
        "n": len(values),
        "median": median(values),
        "limits": [found.low, found.high] if found else None,
        "counts": counts(values, range_[0], range_[1]),
    }
