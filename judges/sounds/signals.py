"""Signals between clips: tones, and words after them, that say which clip comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import soxr
from numpy.typing import NDArray

from corpus.demo.voices import hibari_voice

Samples = NDArray[np.float64]
Spelling = Literal["tones", "spoken"]
#: A changed tone, word or pause is another sound.
VERSION = "1"
#: One pitch for each kind of signal.
HZ = {"example": 500.0, "test": 1500.0, "prompt": 750.0, "response": 1000.0}
TURN_HZ = 2000.0
BEEP_S, GAP_S, RAMP_S, PAUSE_S = 0.15, 0.1, 0.01, 0.3
#: Words take this long, with silence after them, so that a length is known before anything is spoken: with a turn.
WORDS_S, WORDS_WITH_TURN_S = 1.3, 2.3
FASTEST, AUDIBLE = 2.0, 0.02
RMS_DBFS = -26.0
WORDS = {"example": "Example", "test": "Test", "prompt": "Prompt", "response": "Response"}


@dataclass(frozen=True)
class Signal:
    """What comes next: the nth example or response, the test, the prompt; in conversations, of which turn."""

    kind: Literal["example", "test", "prompt", "response"]
    number: int = 0
    turn: int = 0

    @property
    def words(self) -> str:
        """Its description, spoken or in writing.

        >>> Signal("response", 2, turn=3).words
        'Response 2, turn 3'
        """
        name = f"{WORDS[self.kind]} {self.number}" if self.number else WORDS[self.kind]
        return f"{name}, turn {self.turn}" if self.turn else name


def sounding(signal: Signal, *, spelling: Spelling, rate: int) -> Samples:
    """The signal, mono: as many beeps as its number says, or one beep and then the words; a short pause after it."""
    if spelling == "spoken":
        words = _spoken(signal.words, _words_s(signal), rate)
        return _joined([beeps(HZ[signal.kind], 1, rate=rate), words], rate)
    tones = [beeps(HZ[signal.kind], max(signal.number, 1), rate=rate)]
    if signal.turn:
        tones.append(beeps(TURN_HZ, signal.turn, rate=rate))
    return _joined(tones, rate)


def seconds_of(signal: Signal, *, spelling: Spelling) -> float:
    """How long it sounds, the pause after it included. Needs no voice.

    >>> round(seconds_of(Signal("response", 2), spelling="tones"), 3)
    0.8
    """
    if spelling == "spoken":
        return BEEP_S + GAP_S + _words_s(signal) + PAUSE_S
    return (max(signal.number, 1) + signal.turn) * (BEEP_S + GAP_S) + PAUSE_S


def explained(signals: Iterable[Signal], *, spelling: Spelling) -> str:
    """For a prompt: how these signals are to be understood."""
    if spelling == "spoken":
        return "A beep and a voice that says, for instance, “Response 1” announce what follows."
    kinds = [kind for kind in HZ if any(signal.kind == kind for signal in signals)]
    sentences = [
        f"beeps of {HZ[kind]:g} Hz announce {'the ' if kind in ('test', 'prompt') else ''}{WORDS[kind].lower()}"
        + ("" if kind in ("test", "prompt") else "s, as many beeps as its number says")
        for kind in kinds
    ]
    if any(signal.turn for signal in signals):
        sentences.append(f"then beeps of {TURN_HZ:g} Hz count the turn")
    return f"Tones announce what follows: {'; '.join(sentences)}."


def beeps(hz: float, n: int, *, rate: int) -> Samples:
    """`n` short tones with pauses between them and after the last."""
    time = np.arange(round(BEEP_S * rate)) / rate
    rising = np.clip(time / RAMP_S, 0, 1)
    tone = _amplitude() * np.sqrt(2) * np.sin(2 * np.pi * hz * time) * rising * rising[::-1]
    return np.tile(np.concatenate([tone, np.zeros(round(GAP_S * rate))]), n)


def _joined(parts: list[Samples], rate: int) -> Samples:
    return np.concatenate([*parts, np.zeros(round(PAUSE_S * rate))])


def _words_s(signal: Signal) -> float:
    return WORDS_WITH_TURN_S if signal.turn else WORDS_S


@lru_cache(maxsize=256)
def _spoken(words: str, seconds: float, rate: int) -> Samples:
    """The words in the voice that the demo speaks with, as loud as the beeps; faster where they would be long."""
    said, got = _said(words, 1.0)
    if len(said) > seconds * got:
        said, got = _said(words, min(1.05 * len(said) / (seconds * got), FASTEST))
    level = _amplitude() / float(np.sqrt(np.mean(said**2)))
    samples = np.asarray(soxr.resample(level * said, got, rate))
    spoken = np.zeros(round(seconds * rate))
    spoken[: len(samples)] = samples[: len(spoken)]
    spoken.flags.writeable = False
    return spoken


def _said(words: str, speed: float) -> tuple[Samples, int]:
    """The words without the silence around them."""
    speech = hibari_voice().speak(f"{words}.", rng=np.random.default_rng(0), speed=speed)
    samples = speech.samples.astype(np.float64)
    loud = np.flatnonzero(np.abs(samples) > AUDIBLE * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1], speech.rate


def _amplitude() -> float:
    return float(10 ** (RMS_DBFS / 20))
