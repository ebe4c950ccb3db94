"""What an extractor is given, what it gives back, and how it says that there is nothing to give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corpus.audio.blocks import gathered, mixed_down, resampled
from corpus.audio.reading import InBlocks
from infrastructure.wording.reasons import Reason, Reasoned
from measurements import reasons

RATE = 16_000
Samples = NDArray[np.float32]
Value = Any  # what JSON can hold
#: `ok`: there is a value; `undefined`: this clip has none (silence has no pitch); `unavailable`: a package or a model
#: is not there; `failed`: something broke, and it may be tried again.
Status = Literal["ok", "undefined", "unavailable", "failed"]


class Undefined(Reasoned):
    """This clip has no such feature."""


class Unavailable(Reasoned):
    """The extractor cannot work here. The reason says what is missing and how to have it."""


@dataclass(frozen=True)
class Feature:
    """The result of one version of an extractor for one clip: a value, or the reason why there is none."""

    name: str
    version: str
    status: Status
    value: Value = None
    reason: Reason | None = None


Earlier = Mapping[str, Feature]


class ClipSound:
    """A clip, and the mono signal at 16 kHz that most extractors listen to (made once).

    The clip itself is read block by block; the first reader raises what `sound.blocks` raises.
    """

    def __init__(self, sound: InBlocks) -> None:
        self.sound = sound

    @property
    def seconds(self) -> float:
        return self.sound.seconds

    @cached_property
    def mono(self) -> Samples:
        """Mean of the channels at 16 kHz, float32; may be empty."""
        mixed = mixed_down(self.sound.blocks(), np.float32)
        if self.sound.rate != RATE:
            mixed = resampled(mixed, rate=self.sound.rate, to=RATE, channels=1, dtype=np.float32)
        return gathered(mixed, channels=1)[:, 0]

    @cached_property
    def is_silent(self) -> bool:
        return not any(block.any() for block in self.sound.blocks())


@dataclass(frozen=True)
class Extractor:
    """One feature: how it is extracted, and what users should know before they rely on it.

    `version` changes whenever its values would; values of different versions stand side by side. `after` names the
    features it reads. `missing` says why it cannot work here, None where it can; it loads nothing heavy.
    """

    name: str
    version: str
    measures: str
    package: str
    licence: str
    extract: Callable[[ClipSound, Earlier], Value]
    missing: Callable[[], Reason | None] = lambda: None
    after: tuple[str, ...] = ()

    def available(self) -> Reason | None:
        """Why it cannot work here; None where it can."""
        return self.missing()


def given(earlier: Earlier, name: str) -> Value:
    """The value of a feature that was extracted before. Raises Undefined, or Unavailable, with the same reason."""
    feature = earlier.get(name)
    if feature is None:
        raise Unavailable(reasons.NEEDS_FEATURE(feature=name))
    if feature.status == "ok":
        return feature.value
    refusal = Undefined if feature.status == "undefined" else Unavailable
    raise refusal(feature.reason or reasons.NOT_EXTRACTED())
