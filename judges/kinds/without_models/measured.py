"""What extractors found about one response, over all of its turns. The one place that knows their values' shapes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason, Reasoned
from judges import reasons
from judges.kinds.contract import Feature, Sound, Spoken, Tools

#: A sample this close to full scale is taken to be clipped.
FULL_SCALE = 0.999


class NotMeasured(Reasoned, ValueError):
    """A finding that is needed is not there. The reason says which, and why."""


@dataclass(frozen=True)
class Measured:
    """The turns of one response. Numbers of several turns are means, weighted by how long each is."""

    turns: tuple[Spoken, ...]
    found: tuple[Mapping[str, Feature], ...]
    used: dict[str, Any] = field(default_factory=dict)

    @property
    def sounds(self) -> tuple[Sound, ...]:
        return tuple(turn.sound for turn in self.turns if turn.sound)

    @property
    def seconds(self) -> float:
        return sum(sound.seconds for sound in self.sounds)

    def text(self) -> str:
        """The recognised transcript, else the imported text. Raises NotMeasured."""
        heard = [of_turn["transcript"] for of_turn in self.found if "transcript" in of_turn]
        if heard and all(feature.value is not None for feature in heard):
            said = " ".join(_text_of(feature.value) for feature in heard)
        elif any(turn.text for turn in self.turns):
            said = " ".join(turn.text for turn in self.turns)
        else:
            raise NotMeasured(_why("transcript", heard))
        self.used["text"] = said
        return said

    def number(self, feature: str, name: str, *, called: str) -> float:
        """What the value of a feature has under this name. Raises NotMeasured."""
        values, weights = [], []
        for of_turn, sound in zip(self.found, self.sounds, strict=True):
            value = _number_of(of_turn.get(feature), name)
            if value is None:
                raise NotMeasured(_why(feature, [of_turn[feature]] if feature in of_turn else []))
            values.append(value)
            weights.append(max(sound.seconds, 1e-9))
        if not values:
            raise NotMeasured(reasons.NO_SOUND())
        found = float(np.average(values, weights=weights))
        self.used[called] = round(found, 4)
        return found

    def vector(self, feature: str) -> NDArray[np.float64]:
        """The mean of a feature that is a vector, of length 1. Raises NotMeasured."""
        vectors = [_vector_of(of_turn.get(feature)) for of_turn in self.found]
        if not vectors or any(vector is None for vector in vectors):
            raise NotMeasured(_why(feature, [of_turn[feature] for of_turn in self.found if feature in of_turn]))
        mean = np.mean([vector for vector in vectors if vector is not None], axis=0)
        length = float(np.linalg.norm(mean))
        if length == 0:
            raise NotMeasured(reasons.EMBEDDING_ZERO(feature=feature))
        return np.asarray(mean / length, dtype=np.float64)

    def clipped_share(self) -> float:
        """The share of samples at full scale."""
        n_clipped = n = 0
        for sound in self.sounds:
            samples, _rate = sound.read()
            n += len(samples)
            n_clipped += int((np.abs(samples) >= FULL_SCALE).sum())
        share = n_clipped / n if n else 0.0
        self.used["clipped_share"] = round(share, 6)
        return share


def measured(turns: Sequence[Spoken], tools: Tools) -> Measured:
    """Ask the extractors about every turn that has sound."""
    return Measured(tuple(turns), tuple(tools.features(turn.sound) for turn in turns if turn.sound))


def optional(measure: Callable[[], float]) -> float | None:
    """The number, or None where it was not measured."""
    try:
        return measure()
    except NotMeasured:
        return None


def _why(name: str, features: Sequence[Feature]) -> Reason:
    known = (feature.reason for feature in features if feature.reason)
    return reasons.FEATURE_MISSING(feature=name, why=next(known, reasons.NOTHING_MEASURED()))


def _text_of(value: Any) -> str:
    return str(value["text"] if isinstance(value, Mapping) else value)


def _number_of(feature: Feature | None, name: str) -> float | None:
    value: Any = feature.value.get(name) if feature and isinstance(feature.value, Mapping) else None
    return float(value) if isinstance(value, int | float) else None


def _vector_of(feature: Feature | None) -> NDArray[np.float64] | None:
    if feature is None or feature.value is None:
        return None
    return np.asarray(feature.value, dtype=np.float64)
