"""Clips that can be told apart by their pitch, cases made of them, and a model that answers what it is told to."""

import io
import json
import wave
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judges.backends.contract import JudgeInput, JudgeOutput, SoundPart
from judges.backends.messages import sounds_in
from judges.backends.replies import read_reply
from judges.kinds.contract import Case, Feature, Shot, Sound, Spoken
from protocols import SHIPPED, Protocol

RATE = 16_000
#: Every setting that keeps a test quick: no voice has to be loaded.
QUICK = {"signals": "tones"}
Reply = str | Mapping[str, Any] | JudgeOutput
Answering = Callable[[JudgeInput], Reply]


def a_clip(hz: float, *, seconds: float = 0.5, rate: int = RATE) -> Sound:
    """A tone; its name is its pitch."""

    def read() -> tuple[NDArray[np.float64], int]:
        return 0.2 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate), rate

    return Sound(f"clip-{hz:g}", seconds, read)


def a_case(*hz: float, protocol: Protocol | str = "hcot", prompt: float = 300.0, **columns: Any) -> Case:
    """A prompt and a response for every pitch, one turn each."""
    put = SHIPPED[protocol] if isinstance(protocol, str) else protocol
    responses = tuple((Spoken(f"answer at {one:g}", a_clip(one)),) for one in hz)
    return Case(put, (Spoken("a question", a_clip(prompt)),), responses, **columns)


def a_shot(n: int, *, answers: Mapping[str, str] | None = None, protocol: str = "hcot") -> Shot:
    """The nth example: its clips are at 10n + 3010, 3020 and 3030 Hz."""
    base = 3000.0 + 100 * n
    case = a_case(base + 20, base + 30, protocol=protocol, prompt=base + 10, item=f"item {n}")
    labels = {aspect.name: "1" for aspect in SHIPPED[protocol].aspects}
    return Shot(case, labels if answers is None else answers)


class FakeTools:
    """Answers by a function, remembers what was asked, and hands out the shots it was given."""

    def __init__(self, answer: Answering, shots: Sequence[Shot] = ()) -> None:
        self._answer, self._shots = answer, tuple(shots)
        self.asked: list[JudgeInput] = []

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        self.asked.append(wanted)
        said = self._answer(wanted)
        if isinstance(said, JudgeOutput):
            return said
        text = said if isinstance(said, str) else json.dumps(said)
        found = read_reply(text, wanted.schema)
        return JudgeOutput(text, found.status, found.data)

    def features(self, _sound: Sound, /) -> Mapping[str, Feature]:
        raise AssertionError("who hears needs no features")

    def shots(self, _case: Case, n: int, /) -> tuple[Shot, ...]:
        return self._shots[:n]


def always(**answers: str) -> Answering:
    """The same answer to every question that is asked, or that of its name."""

    def answer(wanted: JudgeInput) -> Mapping[str, str]:
        given = {}
        for name, schema in wanted.schema["properties"].items():
            given[name] = "because" if name == "reasoning" else answers.get(name) or schema.get("enum", ["text"])[0]
        return given

    return answer


def texts(wanted: JudgeInput) -> str:
    """Every text of the messages."""
    found = []
    for message in wanted.messages:
        content = message["content"]
        found += [content] if isinstance(content, str) else [p["text"] for p in content if isinstance(p, dict)]
    return "\n".join(found)


def holdings(wanted: JudgeInput) -> list[tuple[str, ...]]:
    """What each sound holds, in order."""
    return [sound.holds for sound in sounds_in(wanted.messages)]


def decoded(wav: bytes) -> tuple[NDArray[np.float64], int]:
    """The samples of a mono 16-bit file, and its rate."""
    with wave.open(io.BytesIO(wav)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        codes = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return codes / 32_768, file.getframerate()


def pitches(part: SoundPart | bytes) -> list[int]:
    """The pitch of every stretch of tone in a file, in Hz to the nearest ten, in order."""
    samples, rate = decoded(part if isinstance(part, bytes) else part.wav())
    loud = np.abs(samples) > 0.01
    # A sine crosses zero, so a stretch ends where nothing is loud for 10 ms.
    heard = np.convolve(loud, np.ones(rate // 100), "same") > 0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], heard.astype(int), [0]])))
    return [_pitch(samples[start:end], rate) for start, end in edges.reshape(-1, 2)]


def _pitch(tone: NDArray[np.float64], rate: int) -> int:
    spectrum = np.abs(np.fft.rfft(tone * np.hanning(len(tone)), 1 << 17))
    return int(round(float(np.argmax(spectrum)) * rate / (1 << 17), -1))
