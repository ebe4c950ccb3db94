"""The level of speech while it is active, as ITU-T P.56 (method B) defines it."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SMOOTHING_S, _HANGOVER_S, _MARGIN_DB = 0.03, 0.2, 15.9
#: Half of full scale and so on down by halves, as for 16-bit samples.
_THRESHOLDS = 2.0 ** -np.arange(15, 0, -1)


@dataclass(frozen=True)
class ActiveLevel:
    """The level in dB relative to a square wave at full scale, over the `activity` (0 to 1) of the clip's time."""

    dbov: float
    activity: float


class Silent(ValueError):
    """Nothing sounds, so there is no level."""


def active_level(samples: NDArray[np.floating], *, rate: int) -> ActiveLevel:
    """Measure `samples`, shape (frames,) or (frames, channels), full scale ±1; channels count by their mean power.

    Time counts as active while a twice smoothed envelope (30 ms), held for 200 ms, is above a threshold; of the
    thresholds the one 15.9 dB below the level that it gives is right (ITU-T P.56, method B). Raises Silent.

    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    >>> round(active_level(tone, rate=16_000).dbov, 1)
    -2.9
    """
    power = np.square(samples, dtype=np.float64)
    power = power.mean(axis=1) if power.ndim == 2 else power
    energy = float(power.sum())
    if energy == 0.0:
        raise Silent("silence has no level")
    active = _active_samples(_envelope(np.sqrt(power), rate), round(_HANGOVER_S * rate))
    heard = active > 0
    if not heard.any():  # a sound so short or soft that no threshold was reached: all of it counts
        return ActiveLevel(_db(energy / len(power)), 1.0)
    levels = np.array([_db(energy / n) for n in active[heard]])
    level = _level_at_margin(levels, 20 * np.log10(_THRESHOLDS[heard]))
    return ActiveLevel(level, min(1.0, energy / 10 ** (level / 10) / len(power)))


def _envelope(amplitude: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    from scipy.signal import lfilter  # noqa: PLC0415 - a second to import: where sound is measured

    keep = math.exp(-1 / (rate * _SMOOTHING_S))
    once = lfilter([1 - keep], [1, -keep], amplitude)
    return np.asarray(lfilter([1 - keep], [1, -keep], once))


def _active_samples(envelope: NDArray[np.float64], hangover: int) -> NDArray[np.int64]:
    """How many samples each threshold calls active: those above it, and a hangover after each."""
    n = len(envelope)
    counts = []
    for threshold in _THRESHOLDS:
        above = np.flatnonzero(envelope >= threshold)
        gaps = np.diff(above, append=n)  # to the next sample above, or to the end
        counts.append(int(np.minimum(gaps, hangover + 1).sum()))
    return np.array(counts, dtype=np.int64)


def _level_at_margin(levels: NDArray[np.float64], thresholds: NDArray[np.float64]) -> float:
    """The level where it lies the margin above its threshold, between the two thresholds around that point."""
    excess = levels - thresholds - _MARGIN_DB
    below = np.flatnonzero(excess <= 0)
    if not len(below) or below[0] == 0:
        return float(levels[0] if len(below) else levels[-1])
    last = int(below[0])
    part = excess[last - 1] / (excess[last - 1] - excess[last])
    return float(levels[last - 1] + part * (levels[last] - levels[last - 1]))


def _db(power: float) -> float:
    return 10 * math.log10(power)
