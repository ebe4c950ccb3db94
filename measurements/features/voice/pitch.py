"""Fundamental frequency by YIN (de Cheveigné and Kawahara, 2002), on numpy alone."""

import numpy as np
from numpy.typing import NDArray

from measurements import reasons
from measurements.features.contract import RATE, ClipSound, Earlier, Samples, Undefined, Value
from measurements.features.sound.contours import twentieths

LOWEST_HZ, HIGHEST_HZ = 60.0, 600.0
HOP = 160
THRESHOLD = 0.15  # a dip of the normalised difference below it is a period
FLOOR_DB = 40.0  # frames so far below the loudest are not listened to

_SUM = 512  # 32 ms are compared with themselves, later
_SHORTEST, _LONGEST = int(RATE / HIGHEST_HZ), round(RATE / LOWEST_HZ) + 1
_FRAME = _SUM + _LONGEST + 1
_FFT = 1024
_AT_ONCE = 2000
_FEWEST_VOICED = 3


def pitch(clip: ClipSound, _earlier: Earlier) -> Value:
    """Mean and standard deviation in Hz over voiced frames of 10 ms, and twenty means over the clip.

    Raises Undefined where fewer than three frames are voiced.
    """
    contour = pitch_contour(clip.mono)
    voiced = contour[~np.isnan(contour)]
    if len(voiced) < _FEWEST_VOICED:
        raise Undefined(reasons.NO_PITCH())
    return {
        "mean_hz": round(float(voiced.mean()), 2),
        "sd_hz": round(float(voiced.std()), 2),
        "contour_hz": twentieths(contour),
        "voiced_share": round(len(voiced) / len(contour), 4),
    }


def pitch_contour(samples: Samples) -> NDArray[np.float64]:
    """F0 in Hz every 10 ms of `samples` at 16 kHz; NaN where a frame has none.

    A frame has one if it is within 40 dB of the loudest and its normalised difference dips below 0.15. Values that
    stand alone, without a neighbour within a fifth, are left out: they are where YIN takes a harmonic for the pitch.
    """
    if len(samples) < _FRAME:
        return np.full(max(1, len(samples) // HOP), np.nan)
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::HOP]
    found = np.concatenate([_of_frames(frames[i : i + _AT_ONCE]) for i in range(0, len(frames), _AT_ONCE)])
    power = np.concatenate([_power(frames[i : i + _AT_ONCE]) for i in range(0, len(frames), _AT_ONCE)])
    found[power <= power.max() * 10 ** (-FLOOR_DB / 10)] = np.nan
    return _with_company(found)


def _power(frames: NDArray[np.float32]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = np.square(frames, dtype=np.float64).mean(axis=1)
    return means


def _of_frames(frames: NDArray[np.float32]) -> NDArray[np.float64]:
    dips = _normalised(_difference(frames.astype(np.float64)))
    lags = _first_dips(dips)
    rows = np.flatnonzero(lags > 0)
    pitch_hz = np.full(len(frames), np.nan)
    pitch_hz[rows] = RATE / _refined(dips[rows], lags[rows])
    return pitch_hz


def _difference(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared difference of the first 512 samples with those `lag` later, for each lag; shape (frames, lags)."""
    head = np.fft.rfft(frames[:, :_SUM], _FFT)
    crossed = np.fft.irfft(np.fft.rfft(frames, _FFT) * head.conj(), _FFT)[:, : _LONGEST + 1]
    energy = np.cumsum(np.pad(frames**2, ((0, 0), (1, 0))), axis=1)
    later = energy[:, _SUM : _SUM + _LONGEST + 1] - energy[:, : _LONGEST + 1]
    return np.maximum(0.0, later[:, :1] + later - 2 * crossed)


def _normalised(difference: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each lag's difference by the mean of those up to it; 1 at lag 0, and everywhere in silence."""
    sums = np.cumsum(difference[:, 1:], axis=1)
    lags = np.arange(1, difference.shape[1])
    ones = np.ones_like(sums)
    ratio = np.divide(difference[:, 1:] * lags, sums, out=ones, where=sums > 0)
    return np.pad(ratio, ((0, 0), (1, 0)), constant_values=1.0)


def _first_dips(dips: NDArray[np.float64]) -> NDArray[np.int64]:
    """The lag of the bottom of the first dip below the threshold; 0 where there is none."""
    inside = dips[:, _SHORTEST : _LONGEST + 1]
    below = inside < THRESHOLD
    is_bottom = below[:, :-1] & (inside[:, :-1] <= inside[:, 1:])
    first = is_bottom.argmax(axis=1)
    return np.where(is_bottom.any(axis=1), first + _SHORTEST, 0)


def _refined(dips: NDArray[np.float64], lags: NDArray[np.int64]) -> NDArray[np.float64]:
    """The bottom of the parabola through a dip and its neighbours."""
    rows = np.arange(len(lags))
    before, at, after = (dips[rows, np.clip(lags + step, 0, dips.shape[1] - 1)] for step in (-1, 0, 1))
    curvature = before - 2 * at + after
    shift = np.divide(before - after, 2 * curvature, out=np.zeros(len(lags)), where=curvature > 0)
    refined: NDArray[np.float64] = lags + np.clip(shift, -1, 1)
    return refined


def _with_company(found: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log2(found)
    apart = np.abs(np.diff(logs)) <= 0.26
    padded = np.concatenate([[False], apart, [False]])
    return np.where(padded[:-1] | padded[1:], found, np.nan)
