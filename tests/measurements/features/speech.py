"""Speech for the tests of extractors: the demo's voice, said once."""

from functools import cache

import numpy as np
import soxr
from numpy.typing import NDArray

from corpus.audio.reading import Sound
from corpus.demo.voices import hibari_voice, nanotts_speech
from measurements.features.contract import ClipSound

TEXT = (
    "An adult has two hundred and six bones; a newborn baby has closer to three hundred. "
    "Visit a small museum you've always walked past, then warm up with a hot chocolate."
)


def clip_of(samples: NDArray[np.floating], rate: int = 16_000) -> ClipSound:
    """A clip with these samples, shape (frames,) or (frames, channels)."""
    frames = samples.astype(np.float32)
    shaped = frames if frames.ndim == 2 else frames[:, np.newaxis]
    return ClipSound(Sound(samples=shaped, rate=rate, container="WAV", encoding="PCM_16"))


def tone(hertz: float, *, seconds: float = 3.0, amplitude: float = 0.3, rate: int = 16_000) -> NDArray[np.float64]:
    return amplitude * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


@cache
def said(text: str = TEXT, *, speed: float = 1.0, pitch_spread: float = 1.0) -> NDArray[np.float32]:
    """The demo's voice at 16 kHz, with a peak of -3 dBFS."""
    speech = hibari_voice().speak(text, rng=np.random.default_rng(20), speed=speed, pitch_spread=pitch_spread)
    return at_peak(soxr.resample(speech.samples, speech.rate, 16_000))


@cache
def said_by_another(text: str = TEXT) -> NDArray[np.float32]:
    speech = nanotts_speech(text, voice="en-GB")
    return at_peak(soxr.resample(speech.samples, speech.rate, 16_000))


def at_peak(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    return (samples * (10 ** (-3 / 20) / np.abs(samples).max())).astype(np.float32)
