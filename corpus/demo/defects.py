"""Faults of a known size, planted in clean speech."""

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

VOICED_HZ = 40.0


def amplitude(level_db: float) -> float:
    """Return the amplitude ratio that a level in dB stands for.

    >>> amplitude(-20.0)
    0.1
    """
    return float(10.0 ** (level_db / 20.0))


def add_white_noise(samples: Samples, *, snr_db: float, rng: np.random.Generator) -> Samples:
    """Return mono samples, shape (n,), with Gaussian white noise at exactly `snr_db` dB below them.

    Both powers are means over the whole clip, pauses included. The sum may exceed full scale (1.0). Raises
    ValueError for digital silence, where no ratio exists.
    """
    speech_rms = _rms(samples)
    if speech_rms == 0.0:
        raise ValueError("silence has no signal-to-noise ratio")
    noise = rng.standard_normal(samples.shape)
    return (samples + noise * (speech_rms / _rms(noise) / amplitude(snr_db))).astype(np.float32)


def clip_hard(samples: Samples, *, drive_db: float) -> Samples:
    """Return mono samples, shape (n,), amplified by `drive_db` dB and clamped at full scale (±1.0).

    >>> clip_hard(np.array([0.05, -0.5], np.float32), drive_db=20.0).tolist()
    [0.5, -1.0]
    """
    clipped: Samples = np.clip(samples * np.float32(amplitude(drive_db)), -1.0, 1.0)
    return clipped


def flatten_pitch(f0: Samples, *, spread: float) -> Samples:
    """Return a pitch contour, shape (frames,), in Hz, with its excursions from the mean scaled by `spread`.

    0.0 is a monotone, 1.0 changes nothing. Frames below `VOICED_HZ` carry no pitch and are left alone.

    >>> flatten_pitch(np.array([0.0, 180.0, 220.0], np.float32), spread=0.0).tolist()
    [0.0, 200.0, 200.0]
    """
    voiced = f0 >= VOICED_HZ
    if not voiced.any():
        return f0
    centre = f0[voiced].mean()
    return np.where(voiced, centre + spread * (f0 - centre), f0).astype(np.float32)


def _rms(samples: NDArray[np.floating]) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
