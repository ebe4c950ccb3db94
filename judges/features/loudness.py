"""Loudness over time (ITU-R BS.1770-4): integrated, how much it varies, and its course."""

from itertools import pairwise
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray
from scipy.signal import lfilter

from campaigns.audio.bs1770 import integrated_loudness
from campaigns.phrases import Phrase
from judges.features.contours import POINTS
from judges.features.contract import ClipSound, Earlier, Undefined, Value

GATE_LUFS = -70.0
_RATE, _STEP = 48_000, 4_800  # 100 ms; a momentary value is four of them
_PIECE = 10 * _RATE
_OFFSET = -0.691
#: The standard's two filters at 48 kHz (Annex 1, tables 1 and 2), as (b, a).
_FILTERS = (
    ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585)),
    ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)),
)


def loudness(clip: ClipSound, _earlier: Earlier) -> Value:
    """Integrated loudness, the standard deviation of momentary loudness above the gate, and twenty points, in LUFS.

    Raises Undefined for what lies below the gate of -70 LUFS.
    """
    if not len(clip.sound.samples):
        raise Undefined(Phrase("This clip holds no samples."))
    whole = integrated_loudness(clip.sound.samples, rate=clip.sound.rate)
    if whole.lufs is None:
        raise Undefined(Phrase("Nothing rises above the gate of -70 LUFS."))
    powers = step_powers(clip.sound.samples, rate=clip.sound.rate)
    momentary = _lufs(np.convolve(powers, np.full(4, 0.25), "valid") if len(powers) >= 4 else powers)
    heard = momentary[momentary >= GATE_LUFS]
    return {
        "integrated_lufs": round(whole.lufs, 2),
        "sd_lufs": round(float(heard.std()), 2) if len(heard) > 1 else None,
        "contour_lufs": _twentieths(powers),
        "note": whole.note,
    }


def step_powers(samples: NDArray[np.floating[Any]], *, rate: int) -> NDArray[np.float64]:
    """Mean square of the K-weighted signal, summed over channels, for each 100 ms; a rest counts as a step.

    More than two channels are measured as their mono downmix, as in `integrated_loudness`.
    """
    if samples.shape[1] > 2:
        samples = samples.mean(axis=1, keepdims=True)
    signal = samples if rate == _RATE else soxr.resample(samples, rate, _RATE, quality="HQ")
    states = [np.zeros((2, signal.shape[1])) for _ in _FILTERS]
    powers = []
    for start in range(0, len(signal), _PIECE):
        piece = signal[start : start + _PIECE].astype(np.float64)
        for i, (b, a) in enumerate(_FILTERS):
            piece, states[i] = lfilter(b, a, piece, axis=0, zi=states[i])
        squares = (piece**2).sum(axis=1)
        edges = np.arange(0, len(squares), _STEP)
        powers.append(np.add.reduceat(squares, edges) / np.diff(np.append(edges, len(squares))))
    return np.concatenate(powers) if powers else np.empty(0)


def _lufs(powers: NDArray[np.float64]) -> NDArray[np.float64]:
    return _OFFSET + 10 * np.log10(np.maximum(powers, 1e-12))


def _twentieths(powers: NDArray[np.float64]) -> list[float | None]:
    """Loudness of each twentieth of the clip, from its mean power; None below the gate."""
    if len(powers) < POINTS:
        powers = np.repeat(powers, -(-POINTS // len(powers)))
    edges = np.linspace(0, len(powers), POINTS + 1).round().astype(int)
    levels = _lufs(np.array([powers[a:b].mean() for a, b in pairwise(edges)]))
    return [round(float(level), 2) if level >= GATE_LUFS else None for level in levels]
