"""Noise with the spectrum of speech, by which listeners set their volume before they label."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from corpus.audio.delivery import DeliveryForm, deliver
from corpus.audio.reading import Sound

#: One round of the noise in seconds. The file goes on for twice EDGE more, so that a player which loops from EDGE to
#: EDGE + PERIOD meets the same samples at both ends, whatever its resampler does at the file's own ends.
PERIOD, EDGE = 6.0, 0.1

#: Centres of the critical bands in Hz, and the spectrum level of speech at normal effort in each, in dB
#: (ANSI S3.5-1997, table 1). The bands reach from 100 to 9500 Hz.
_CENTRES = (
    150, 250, 350, 450, 570, 700, 840, 1000, 1170, 1370, 1600, 1850, 2150, 2500, 2900, 3400, 4000, 4800, 5800, 7000,
    8500,
)  # fmt: skip
_LEVELS_DB = (
    31.44, 34.75, 34.14, 34.58, 33.17, 30.64, 27.59, 25.01, 23.52, 22.28, 20.15, 18.29, 16.37, 13.80, 12.21, 11.09,
    9.33, 5.84, 3.47, 1.78, -0.14,
)  # fmt: skip
_LOWEST, _HIGHEST = 100, 9_500
_SEED = 1770
_CREST, _ROUNDS = 2.8, 10


@lru_cache(maxsize=4)
def volume_noise(form: DeliveryForm) -> bytes:
    """The noise as a WAV file in the form in which a campaign's clips are heard, the same bytes every time.

    Raises Undeliverable for a target so loud that the noise would exceed the ceiling of its clips.
    """
    samples = speech_shaped_noise(form.rate, seconds=PERIOD)
    beyond = round(2 * EDGE * form.rate)
    sound = Sound(
        samples=np.concatenate([samples, samples[:beyond]]).astype(np.float32)[:, np.newaxis],
        rate=form.rate,
        container="WAV",
        encoding="FLOAT",
    )
    return deliver(sound, form).wav


def speech_shaped_noise(rate: int, *, seconds: float) -> NDArray[np.float64]:
    """Steady noise whose spectrum is that of speech, as one period of `rate * seconds` frames with an RMS of 0.05.

    Its phases are random, drawn from a fixed seed, and then bent until its peaks are low (a crest factor of
    about 9 dB, where Gaussian noise has 13), so that it can be as loud as any clip.
    """
    frames = round(rate * seconds)
    magnitudes = _magnitudes(np.fft.rfftfreq(frames, 1 / rate))
    phases = np.random.default_rng(_SEED).uniform(0, 2 * np.pi, len(magnitudes))
    noise = _with_rms(np.fft.irfft(magnitudes * np.exp(1j * phases), frames))
    for _ in range(_ROUNDS):
        spectrum = np.fft.rfft(np.clip(noise, -_CREST, _CREST))
        noise = _with_rms(np.fft.irfft(magnitudes * np.exp(1j * np.angle(spectrum)), frames))
    return 0.05 * noise


def _magnitudes(frequencies: NDArray[np.floating]) -> NDArray[np.float64]:
    inside = (frequencies >= _LOWEST) & (frequencies <= _HIGHEST)
    levels = np.interp(np.log(np.maximum(frequencies, 1)), np.log(_CENTRES), _LEVELS_DB)
    return np.where(inside, 10 ** (levels / 20), 0.0)


def _with_rms(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    return samples / float(np.sqrt(np.mean(samples**2)))
