"""Known changes to a clip, for probing a judge: noise, gain, speed, silence at the end; and two to the question.

AudioJudge (§6) adds white noise at signal-to-noise ratios down to 1 dB and swaps the order. The same clip with the
same perturbation is the same samples on every machine: noise is drawn from a seed and the clip's own content.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import soxr
from numpy.typing import NDArray

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reasoned
from judges import reasons
from judges.sounds.speech_level import Silent, active_level

Name = Literal[
    "white_noise", "gain", "speed", "trailing_silence", "swapped_order", "transcript_only", "elsewhere"
]  # fmt: skip
#: A change that was made elsewhere, which an import of verdicts describes in its own words.
ELSEWHERE: Name = "elsewhere"
Samples = NDArray[np.floating]

#: Those that are made here.
NAMES: tuple[Name, ...] = tuple(name for name in get_args(Name) if name != ELSEWHERE)
#: What the value of each means, and between what it may lie; a flag has no value.
RANGES: dict[Name, tuple[str, float, float]] = {
    "white_noise": ("dB below the active level of the speech", -20.0, 80.0),
    "gain": ("dB", -60.0, 60.0),
    "speed": ("percent faster", -75.0, 300.0),
    "trailing_silence": ("seconds", 0.0, 60.0),
}
FLAGS: frozenset[Name] = frozenset({"swapped_order", "transcript_only"})


class Unperturbable(Reasoned, ValueError):
    """This clip cannot be changed in this way."""


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The changed samples, and how many of them would have left full scale and were clamped to ±1."""

    samples: NDArray[np.float32]
    clipped: int


@dataclass(frozen=True)
class Perturbation:
    """One change of a known size. Raises ValueError for an unknown name or an impossible value.

    `white_noise`: Gaussian noise `value` dB below the speech's active level (ITU-T P.56), over the whole clip.
    `gain`: `value` dB louder. `speed`: `value` percent faster by resampling, so the pitch changes by the same ratio.
    `trailing_silence`: `value` seconds of digital silence at the end. `swapped_order` and `transcript_only` are about
    what is asked and leave every clip as it is. `elsewhere` is a change that was made elsewhere, as `label` says.
    """

    name: Name
    value: float = 0.0
    seed: int = 0
    label: str = ""

    def __post_init__(self) -> None:
        if (self.name == ELSEWHERE) != bool(self.label):
            raise ValueError("A change that was made elsewhere has a label, and no other has one.")
        if self.name not in (*NAMES, ELSEWHERE):
            raise ValueError(f"There is no perturbation {self.name!r}; there are {', '.join(NAMES)}.")
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not math.isfinite(self.value):
            raise ValueError(f"The value of {self.name} has to be a number, not {self.value!r}.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"A seed is a whole number from 0, not {self.seed!r}.")
        if self.name in FLAGS or self.name == ELSEWHERE:
            if self.value:
                raise ValueError(f"{self.name} has no value.")
            return
        unit, low, high = RANGES[self.name]
        if not low <= self.value <= high:
            raise ValueError(f"{self.name} takes {low:g} to {high:g} {unit}, not {self.value:g}.")

    @property
    def changes_audio(self) -> bool:
        return self.name not in FLAGS and self.name != ELSEWHERE

    @property
    def title(self) -> str:
        match self.name:
            case "white_noise":
                return Phrase("white noise at %(value)s dB SNR", value=f"{self.value:g}")
            case "gain":
                return Phrase("gain %(value)s dB", value=f"{self.value:+g}")
            case "speed":
                return Phrase("speed %(value)s %%, pitch with it", value=f"{self.value:+g}")
            case "trailing_silence":
                return Phrase("%(value)s s of silence at the end", value=f"{self.value:g}")
            case "swapped_order":
                return Phrase("swapped order")
        return self.label or Phrase("transcript only")

    def to_json(self) -> dict[str, Any]:
        told = {"name": self.name, "value": self.value, "seed": self.seed}
        return told | ({"label": self.label} if self.label else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Perturbation":
        """Raises ValueError for anything that `to_json` cannot have written."""
        if not isinstance(data, Mapping) or "name" not in data or set(data) - {"name", "value", "seed", "label"}:
            raise ValueError("A perturbation has a name and, if you like, a value, a seed and a label.")
        return cls(**data)

    def apply(self, samples: Samples, rate: int) -> NDArray[np.float32]:
        """The changed samples of `samples`, shape (frames,) or (frames, channels), at the same rate in Hz.

        Raises Unperturbable. What leaves full scale is clamped to ±1; `perturbed` returns how much that was.

        >>> Perturbation("gain", 6.0).apply(np.array([0.25, -0.9]), 16_000).round(1).tolist()
        [0.5, -1.0]
        """
        return self.perturbed(samples, rate).samples

    def perturbed(self, samples: Samples, rate: int) -> Perturbed:
        """The same, with how many samples had to be clamped. Raises Unperturbable."""
        if samples.ndim not in (1, 2) or not len(samples):
            raise Unperturbable(reasons.WITHOUT_SAMPLES())
        if not np.isfinite(samples).all():
            raise Unperturbable(reasons.NOT_FINITE())
        changed = self._changed(samples.astype(np.float64), rate)
        clipped = int((np.abs(changed) > 1.0).sum()) if self.changes_audio else 0
        kept = np.clip(changed, -1.0, 1.0) if clipped else changed
        return Perturbed(kept.astype(np.float32), clipped)

    def _changed(self, samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
        match self.name:
            case "white_noise":
                return samples + self._noise(samples, rate)
            case "gain":
                return np.asarray(samples * 10 ** (self.value / 20))
            case "speed":
                return np.asarray(soxr.resample(samples, rate * (1 + self.value / 100), rate, quality="HQ"))
            case "trailing_silence":
                return np.concatenate([samples, np.zeros((round(self.value * rate), *samples.shape[1:]))])
        return samples

    def _noise(self, samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
        """The same noise at every ratio, so that what differs between two ratios is the ratio alone."""
        try:
            level = active_level(samples, rate=rate).dbov
        except Silent as silent:
            raise Unperturbable(reasons.SILENCE_WITHOUT_SNR()) from silent
        noise = self._rng(samples, rate).standard_normal(samples.shape)
        rms = math.sqrt(float(np.mean(noise**2)))
        return noise * (10 ** ((level - self.value) / 20) / rms)

    def _rng(self, samples: NDArray[np.float64], rate: int) -> np.random.Generator:
        content = np.ascontiguousarray(samples, dtype="<f4").tobytes()
        said = f"{self.name} {self.seed} {rate} {samples.shape}".encode()
        digest = hashlib.sha256(said + hashlib.sha256(content).digest()).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))
