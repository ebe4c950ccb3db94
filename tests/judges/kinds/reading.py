"""Cases and tools for the tests of judges that read: replies by schema, features by sound, no server."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judges.backends.contract import ParseStatus
from judges.kinds.contract import Case, Feature, JudgeInput, JudgeOutput, Shot, Sound, Spoken
from protocols import Protocol

#: What is written into a reply's texts.
BECAUSE = "Because of what was said."
Reply = Callable[[JudgeInput], JudgeOutput]


def features(words: str | None = "I cannot whisper.", **changes: Any) -> dict[str, Feature]:
    """What extractors find where emotion and accent have none; a string in `changes` is a reason for nothing."""
    values: dict[str, Any] = {
        "transcript": {"text": words, "words": None} if words is not None else "Digital silence has no words.",
        "emotion": "The package funasr is not installed.",
        "accent": "The package speechbrain is not installed.",
        "quality": {"sig": 4.476, "bak": 4.701, "ovrl": 4.312, "p808": 4.2},
        "pitch": {"mean_hz": 139.38, "sd_hz": 25.25, "contour_hz": [119.94, None, 148.61]},
        "loudness": {"integrated_lufs": -18.78, "sd_lufs": 4.2, "contour_lufs": [-20.0, -18.0, None]},
        "rates": {"words": 3, "speech_rate_wpm": 172.5, "articulation_rate_wpm": 190.0},
    } | changes
    return {
        name: Feature(name, "1", None, value) if isinstance(value, str) else Feature(name, "1", value)
        for name, value in values.items()
    }


def sound(name: str = "clip") -> Sound:
    return Sound(name, 2.0, lambda: (np.zeros(32_000), 16_000))


def a_case(protocol: Protocol, n_responses: int, **changes: Any) -> Case:
    """Written words on every side, and a sound for every response."""
    responses = tuple((Spoken(f"Answer {n}.", sound(f"clip {n}")),) for n in range(1, n_responses + 1))
    return replace(Case(protocol, (Spoken("Whisper a secret."),), responses), **changes)


class FakeTools:
    """Keeps what is asked, and answers by `reply`; `found` are features by the sound's name."""

    def __init__(self, reply: Reply | None = None, found: Mapping[str, Mapping[str, Feature]] | None = None) -> None:
        self.reply = reply or choosing(0)
        self.found = found
        self.asked: list[JudgeInput] = []

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        self.asked.append(wanted)
        return self.reply(wanted)

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        return features() if self.found is None else self.found[sound.sha256]

    def shots(self, _case: Case, _n: int, /) -> tuple[Shot, ...]:
        return ()

    @property
    def systems(self) -> list[str]:
        return [wanted.messages[0]["content"] for wanted in self.asked]

    @property
    def materials(self) -> list[list[dict[str, Any]]]:
        """The lines of JSON between the first and the last line of what the user says, by request."""
        return [list(map(json.loads, wanted.messages[1]["content"].split("\n")[1:-1])) for wanted in self.asked]


def saying(data: Mapping[str, Any], status: ParseStatus = "ok") -> Reply:
    return lambda _wanted: JudgeOutput(raw=json.dumps(data), status=status, data=data)


def choosing(place: int, **others: Any) -> Reply:
    """The choice at this place everywhere but for `others`; nothing where a question does not arise need be said."""

    def reply(wanted: JudgeInput) -> JudgeOutput:
        properties = wanted.schema["properties"]
        data = {
            name: one["enum"][place % len([value for value in one["enum"] if value])] if "enum" in one else BECAUSE
            for name, one in properties.items()
        }
        return saying(data | {name: value for name, value in others.items() if name in properties})(wanted)

    return reply


def in_turn(*replies: Reply) -> Reply:
    rest = iter(replies)

    def reply(wanted: JudgeInput) -> JudgeOutput:
        return next(rest)(wanted)

    return reply


def roles(asked: Sequence[JudgeInput]) -> list[list[str]]:
    return [[message["role"] for message in wanted.messages] for wanted in asked]
