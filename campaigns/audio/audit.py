"""What a clip is like, measured once at import: level, peaks, clipping and silence at its ends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.audio.bs1770 import integrated_loudness, true_peak_dbtp
from campaigns.audio.reading import Sound

SILENCE_DBFS = -60.0
SHORTEST_CLIPPING = 3

_FULL_SCALE = 1 - 2**-15  # the highest code of 16-bit audio; finer encodings reach it too
_HIGHEST_CODE = {
    "PCM_S8": 1 - 2**-7,
    "PCM_U8": 1 - 2**-7,
    "ULAW": 32_124 / 32_768,
    "ALAW": 32_256 / 32_768,
}


@dataclass(frozen=True)
class Audit:
    """Facts about one clip.

    Loudness in LUFS and true peak in dBTP are None where undefined; `loudness_note` says why, or what is
    unusual about the measurement. A wholly silent clip has all its seconds as leading silence.
    """

    seconds: float
    rate: int
    channels: int
    container: str
    encoding: str
    integrated_lufs: float | None
    loudness_note: str
    true_peak_dbtp: float | None
    clipped_samples: int
    leading_silence_s: float
    trailing_silence_s: float


def audit_sound(sound: Sound) -> Audit:
    """Measure a decoded clip as it is, before any downmix, resampling or gain."""
    loudness = integrated_loudness(sound.samples, rate=sound.rate)
    leading, trailing = _silence_at_ends(sound.samples, sound.rate)
    return Audit(
        seconds=sound.seconds,
        rate=sound.rate,
        channels=sound.channels,
        container=sound.container,
        encoding=sound.encoding,
        integrated_lufs=loudness.lufs,
        loudness_note=loudness.note,
        true_peak_dbtp=true_peak_dbtp(sound.samples, rate=sound.rate),
        clipped_samples=_clipped_samples(sound.samples, _HIGHEST_CODE.get(sound.encoding, _FULL_SCALE)),
        leading_silence_s=leading,
        trailing_silence_s=trailing,
    )


def _clipped_samples(samples: NDArray[np.float32], full_scale: float) -> int:
    """Count samples, shape (frames, channels), in runs of three or more at full scale, channel by channel."""
    at_full_scale = np.abs(samples) >= full_scale
    if not at_full_scale.any():
        return 0
    # One row of False around each channel keeps runs apart once the channels stand in one line.
    line = np.pad(at_full_scale, ((1, 1), (0, 0))).T.ravel()
    edges = np.flatnonzero(line[1:] != line[:-1])
    lengths = edges[1::2] - edges[::2]
    return int(lengths[lengths >= SHORTEST_CLIPPING].sum())


def _silence_at_ends(samples: NDArray[np.float32], rate: int) -> tuple[float, float]:
    """Return leading and trailing silence of `samples`, shape (frames, channels), in seconds.

    Silent is a stretch of 10 ms whose RMS is below -60 dB of full scale (a full-scale sine stands at -3 dB)
    in every channel.
    """
    starts = np.arange(0, len(samples), max(1, round(rate / 100)))
    ends = np.append(starts[1:], len(samples))
    energy = np.add.reduceat(np.square(samples, dtype=np.float64), starts, axis=0).max(axis=1)
    loud = np.flatnonzero(energy >= (ends - starts) * 10 ** (SILENCE_DBFS / 10))
    if not len(loud):
        return len(samples) / rate, 0.0
    return float(starts[loud[0]] / rate), float((len(samples) - ends[loud[-1]]) / rate)
