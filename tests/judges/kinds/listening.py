"""Cases with sound, and tools that know what would be found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judges.kinds.contract import Case, Feature, JudgeInput, JudgeOutput, Shot, Sound, Spoken
from protocols import SHIPPED, Protocol

CLEAN = {
    "transcript": {"text": "The capital is Canberra, a planned city.", "words": []},
    "quality": {"sig": 4.5, "bak": 4.6, "ovrl": 4.4, "p808": 4.1, "level_dbfs": -24.0},
    "rates": {"words": 10, "speech_rate_wpm": 170.0, "articulation_rate_wpm": 200.0},
    "pitch": {"mean_hz": 190.0, "sd_hz": 34.0},
    "loudness": {"integrated_lufs": -20.0},
    "voice_activity": {"longest_pause_s": 0.4},
    "speaker": [1.0, 0.0],
}


@dataclass
class KnownFeatures:
    """What extractors would say, by the hash of the sound; a value that is a str is the reason why there is none."""

    values: Mapping[str, Mapping[str, Any]]
    labelled: tuple[Shot, ...] = ()
    asked: list[str] = field(default_factory=list)

    def ask(self, _wanted: JudgeInput, /) -> JudgeOutput:
        raise AssertionError("it asked a model")

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        self.asked.append(sound.sha256)
        return {
            name: Feature(name, "1", reason=value) if isinstance(value, str) else Feature(name, "1", value)
            for name, value in self.values[sound.sha256].items()
        }

    def shots(self, _case: Case, n: int, /) -> tuple[Shot, ...]:
        return self.labelled[:n]


def a_sound(name: str, *, seconds: float = 2.0, level: float = 0.1) -> Sound:
    return Sound(name, seconds, lambda: (np.full(int(seconds * 100), level), 100))


def heard(
    *names: str, protocol: Protocol | str = "hcot", prompt: str = "What is the capital of Australia?", **fields: Any
) -> Case:
    """A case whose responses are sounds of these names."""
    asked = SHIPPED[protocol] if isinstance(protocol, str) else protocol
    responses = tuple((Spoken(sound=a_sound(name)),) for name in names)
    return Case(asked, (Spoken(prompt),), responses, **fields)


def features(**changes: Any) -> dict[str, Any]:
    """Those of a clean response, with changes."""
    return CLEAN | changes
