"""Mel spectra as the networks were trained on them: Slaney's scale, triangles of equal area, a periodic Hann window.

Slaney, M. (1998), Auditory Toolbox, and librosa's defaults after it. Written out because librosa takes two seconds to
load.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_LINEAR_HZ, _BREAK_HZ, _BREAK_MEL = 200 / 3, 1000.0, 15.0
_LOG_STEP = np.log(6.4) / 27


def mel_power(samples: NDArray[np.float32], *, window: int, hop: int, bands: int, rate: int) -> NDArray[np.float32]:
    """Power in `bands` mel bands, shape (frames, bands), of frames that stand `hop` apart from the first sample on.

    A frame that would extend beyond `samples` is left out; callers that want centred frames pad first.
    """
    if len(samples) < window:
        return np.empty((0, bands), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, window)[::hop]
    return np.concatenate([_of_frames(frames[i : i + 1000], bands, rate) for i in range(0, len(frames), 1000)])


def _of_frames(frames: NDArray[np.float32], bands: int, rate: int) -> NDArray[np.float32]:
    spectrum = np.fft.rfft(frames * _hann(frames.shape[1]), axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    mel: NDArray[np.float32] = power @ filter_bank(frames.shape[1], bands, rate).T
    return mel


@lru_cache(maxsize=8)
def filter_bank(window: int, bands: int, rate: int) -> NDArray[np.float32]:
    """Triangles over the bins of an FFT of `window` points, shape (bands, window // 2 + 1)."""
    bins = np.fft.rfftfreq(window, 1 / rate)
    corners = _hertz(np.linspace(0.0, _mel(rate / 2), bands + 2))
    slopes = corners[:, np.newaxis] - bins
    widths = np.diff(corners)[:, np.newaxis]
    rising, falling = -slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]
    triangles = np.maximum(0, np.minimum(rising, falling))
    areas = (corners[2:] - corners[:-2])[:, np.newaxis]
    return (triangles * 2 / areas).astype(np.float32)


@lru_cache(maxsize=8)
def _hann(window: int) -> NDArray[np.float32]:
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)).astype(np.float32)


def _mel(hertz: float) -> float:
    return float(_BREAK_MEL + np.log(hertz / _BREAK_HZ) / _LOG_STEP) if hertz >= _BREAK_HZ else hertz / _LINEAR_HZ


def _hertz(mels: NDArray[np.float64]) -> NDArray[np.float64]:
    above = _BREAK_HZ * np.exp(_LOG_STEP * (mels - _BREAK_MEL))
    return np.where(mels >= _BREAK_MEL, above, mels * _LINEAR_HZ)
