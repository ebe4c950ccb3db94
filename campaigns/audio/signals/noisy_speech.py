"""Syllables in noise: what listeners compare to show how soft a noise they can still hear where they are.

The voice is made of the harmonics of a falling pitch under the formants of five vowels, so nobody has to be recorded
and the same bytes come everywhere. The noise is steady and has the spectrum of speech; it shows in the pauses.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from campaigns.audio.signals.calibration import speech_shaped_noise
from corpus.audio.delivery import DeliveryForm, deliver
from corpus.audio.reading import Sound

#: The first three formants in Hz of /a i u e o/ of a man's voice, after Peterson and Barney (1952), rounded.
_VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))
_ORDER = (0, 3, 1, 4, 2, 0, 1)
_SYLLABLE_S, _PAUSE_S, _PAUSE_AFTER = 0.19, 0.28, (2, 4)
_BANDWIDTH_HZ, _HIGHEST_HZ = 90.0, 4_000.0
_FIRST_HZ, _LAST_HZ = 130.0, 95.0
_EDGE_S = 0.25


@lru_cache(maxsize=32)
def noisy_speech_wav(snr_db: float, form: DeliveryForm) -> bytes:
    """The syllables at a signal-to-noise ratio, as a WAV file as loud as a campaign's clips.

    The length is the same whatever the ratio. Raises Undeliverable for a target that is too loud.
    """
    samples = noisy_speech(snr_db, rate=form.rate)
    sound = Sound(
        samples=samples.astype(np.float32)[:, np.newaxis], rate=form.rate, container="WAV", encoding="FLOAT"
    )
    return deliver(sound, form).wav


def noisy_speech(snr_db: float, *, rate: int) -> NDArray[np.float64]:
    """The syllables with the noise so many dB below them, the power of both taken over the syllables.

    >>> len(noisy_speech(30.0, rate=16_000)) == len(noisy_speech(50.0, rate=16_000))
    True
    """
    speech, sounding = syllables(rate)
    noise = speech_shaped_noise(rate, seconds=len(speech) / rate)[: len(speech)]
    power = [float(np.mean(part[sounding] ** 2)) for part in (speech, noise)]
    gain = float(np.sqrt(power[0] / power[1])) * 10 ** (-snr_db / 20)
    return speech + gain * noise


def syllables(rate: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The voice alone with an RMS of 0.05 while it sounds, and where it sounds."""
    parts = [np.zeros(round(_EDGE_S * rate))]
    pitches = np.linspace(_FIRST_HZ, _LAST_HZ, len(_ORDER) + 1)
    for place, (vowel, (start, end)) in enumerate(zip(_ORDER, pairwise(pitches), strict=True)):
        parts.append(_syllable(_VOWELS[vowel], float(start), float(end), rate))
        if place in _PAUSE_AFTER:
            parts.append(np.zeros(round(_PAUSE_S * rate)))
    parts.append(np.zeros(round(_EDGE_S * rate)))
    voice = np.concatenate(parts)
    sounding = voice != 0
    return 0.05 * voice / np.sqrt(np.mean(voice[sounding] ** 2)), sounding


def _syllable(formants: tuple[int, int, int], start_hz: float, end_hz: float, rate: int) -> NDArray[np.float64]:
    frames = round(_SYLLABLE_S * rate)
    phase = 2 * np.pi * np.cumsum(np.linspace(start_hz, end_hz, frames)) / rate
    highest = min(_HIGHEST_HZ, 0.45 * rate)
    numbers = np.arange(1, int(highest / start_hz) + 1)
    voice = sum(_amplitude(n * start_hz, formants) * np.sin(n * phase) for n in numbers)
    return np.asarray(voice) * np.sin(np.pi * (np.arange(frames) + 0.5) / frames) ** 0.5


def _amplitude(hertz: float, formants: tuple[int, int, int]) -> float:
    """Of a harmonic: a gentle slope of -3 dB an octave, and on it the sum of the formants' resonances."""
    resonances = sum(1 / (1 + ((hertz - formant) / _BANDWIDTH_HZ) ** 2) for formant in formants)
    return float((resonances + 0.02) * min(1.0, 100 / hertz) ** 0.5)
