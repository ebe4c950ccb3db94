"""TRACE's structured feature vector (TRACE, appendix C, figures 7 and 8): the same keys, in the same shape."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from infrastructure.wording.phrases import Phrase
from measurements import reasons
from measurements.features.contract import Feature

SWITCHED_OFF = Phrase("Switched off for this run.")


@dataclass(frozen=True)
class Blueprint:
    """The vector, in which None marks a missing value, and the reasons by the key that is None."""

    vector: dict[str, Any]
    missing: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """The vector as a prompt shows it; what is null is explained under one key more."""
        return {**self.vector, "missing": self.missing} if self.missing else self.vector


#: Keys of the vector by the group that can be switched off, with the extractor and how its value becomes theirs.
_Read = Callable[[Any], Any]
_SECTIONS: dict[str, dict[str, tuple[str, _Read]]] = {
    "agent_audio_quality": {
        "DNSMOS_Personalized_Signal_Quality": ("quality", lambda value: out_of_five(value["sig"])),
        "DNSMOS_Personalized_Background_Quality": ("quality", lambda value: out_of_five(value["bak"])),
        "DNSMOS_Personalized_Overall_Quality": ("quality", lambda value: out_of_five(value["ovrl"])),
        "P808_Overall_Quality": ("quality", lambda value: out_of_five(value["p808"])),
    },
    "agent_audio_properties": {
        "Mean_Pitch_Hz": ("pitch", lambda value: value["mean_hz"]),
        "Std_Dev_Pitch_Hz": ("pitch", lambda value: value["sd_hz"]),
        "Full_Pitch_Contour_Hz": ("pitch", lambda value: value["contour_hz"]),
        "Integrated_Loudness_LUFS": ("loudness", lambda value: value["integrated_lufs"]),
        "Std_Dev_Loudness_LUFS": ("loudness", lambda value: value["sd_lufs"]),
        "Full_Loudness_Contour_LUFS": ("loudness", lambda value: value["contour_lufs"]),
        "Speech_Rate_WPM": ("rates", lambda value: value["speech_rate_wpm"]),
        "Articulation_Rate_WPM": ("rates", lambda value: value["articulation_rate_wpm"]),
    },
}
_WHOLE: dict[str, tuple[str, _Read]] = {
    "agent_response": ("transcript", lambda value: value["text"]),
    "agent_emotion": ("emotion", lambda value: value),
    "agent_accent": ("accent", lambda value: value),
}
#: The extractors that the vector reads. Each can be switched off.
GROUPS = ("transcript", "emotion", "accent", "quality", "pitch", "loudness", "rates")


def blueprint(features: Mapping[str, Feature], *, switched_off: Collection[str] = ()) -> Blueprint:
    """The vector of one clip from its features; those of `switched_off` (names of extractors) are null."""
    missing: dict[str, str] = {}

    def read(key: str, name: str, how: _Read) -> Any:
        feature = features.get(name)
        if name in switched_off:
            missing[key] = SWITCHED_OFF
        elif feature is None or feature.status != "ok":
            missing[key] = (feature.reason if feature else None) or reasons.NOT_EXTRACTED()
        else:
            return how(feature.value)
        return None

    vector: dict[str, Any] = {key: read(key, *source) for key, source in _WHOLE.items()}
    for section, keys in _SECTIONS.items():
        vector[section] = {key: read(key, *source) for key, source in keys.items()}
    return Blueprint(vector, missing)


def out_of_five(score: float) -> str:
    """A score as the reference writes it.

    >>> out_of_five(4.476)
    '4.48 / 5.00'
    """
    return f"{score:.2f} / 5.00"
