"""Loudness and true peak as ITU-R BS.1770-4 defines them."""

import math
from dataclasses import dataclass

import numpy as np
import pyloudnorm
import soxr
from numpy.typing import NDArray
from scipy.signal import resample_poly

_FILTER_RATE = 48_000  # the one rate for which the standard tabulates its filters (Annex 1, tables 1 and 2)
_BLOCK_SECONDS = 0.4
_BLOCK, _HOP = 19_200, 4_800  # 400 ms gating blocks that overlap by 75 %
_PIECE, _MARGIN = 2**18, 16  # resample_poly's filter reaches 10 frames to either side


@dataclass(frozen=True)
class Loudness:
    """Integrated loudness in LUFS, None where undefined; `note` says why, or what is unusual about it."""

    lufs: float | None
    note: str


def integrated_loudness(samples: NDArray[np.floating], *, rate: int) -> Loudness:
    """Measure the gated loudness of `samples`, shape (frames, channels), full scale ±1 (BS.1770-4 Annex 1).

    Other rates than 48 kHz are resampled to it first. Mono counts as one channel, stereo as left and right;
    more channels are measured as their mono downmix, since files do not reliably say which channel is which.
    A clip shorter than one 400 ms gating block is measured whole, as one block without relative gate. What
    lies below the absolute gate of -70 LUFS has no loudness.

    >>> tone = np.sin(2 * np.pi * 997 * np.arange(96_000) / 48_000)
    >>> round(integrated_loudness(tone[:, np.newaxis], rate=48_000).lufs, 2)
    -3.01
    """
    if not samples.any():
        return Loudness(None, "digital silence has no loudness")
    notes = []
    if samples.shape[1] > 2:
        samples = samples.mean(axis=1, keepdims=True)
        notes.append("measured on the mono downmix of more than two channels")
    signal = samples.astype(np.float64)
    if rate != _FILTER_RATE:
        signal = soxr.resample(signal, rate, _FILTER_RATE, quality="HQ")
    if len(signal) < _BLOCK:
        notes.append("shorter than one 400 ms gating block, so measured whole as one ungated block")
        lufs = _loudness_of_whole(signal)
    else:
        lufs = _gated_loudness(signal)
    if math.isfinite(lufs):
        return Loudness(lufs, "; ".join(notes))
    return Loudness(None, "; ".join(["nothing rises above the -70 LUFS gate", *notes]))


def true_peak_dbtp(samples: NDArray[np.floating], *, rate: int) -> float | None:
    """Estimate the true peak of `samples`, shape (frames, channels), in dBTP (BS.1770-4, Annex 2).

    The signal is oversampled to at least 192 kHz or four times, whichever is less. None for digital silence.
    """
    factor = 4 if rate < 96_000 else 2 if rate < 192_000 else 1
    peak = max(_oversampled_peak(channel, factor) for channel in samples.T)
    return 20 * math.log10(peak) if peak > 0 else None


def _gated_loudness(signal: NDArray[np.float64]) -> float:
    # pyloudnorm would round the number of blocks, and so count one that is up to an eighth empty.
    whole_blocks = _BLOCK + (len(signal) - _BLOCK) // _HOP * _HOP
    return _metered(signal[:whole_blocks], block_seconds=_BLOCK_SECONDS)


def _loudness_of_whole(signal: NDArray[np.float64]) -> float:
    # With a frame of zeros and a thousandth of a frame, rounding cannot make the block outlast the data.
    padded = np.pad(signal, ((0, 1), (0, 0)))
    return _metered(padded, block_seconds=(len(signal) + 1e-3) / _FILTER_RATE)


def _metered(signal: NDArray[np.float64], *, block_seconds: float) -> float:
    # "DeMan" is the standard's own table; pyloudnorm's default filters read 0.04 LU low.
    meter = pyloudnorm.Meter(_FILTER_RATE, filter_class="DeMan", block_size=block_seconds)
    return float(meter.integrated_loudness(signal))


def _oversampled_peak(channel: NDArray[np.floating], factor: int) -> float:
    peak = float(np.abs(channel).max())
    for start in range(0, len(channel) if factor > 1 else 0, _PIECE):
        before = min(start, _MARGIN)
        piece = channel[start - before : start + _PIECE + _MARGIN]
        finer = resample_poly(piece, factor, 1)[before * factor : (before + _PIECE) * factor]
        peak = max(peak, float(np.abs(finer).max()))
    return peak
