"""Three tones of which a listener says which is quietest; only over headphones is that easy.

Woods, Siegel, Traer and McDermott, "Headphone screening to facilitate web-based auditory experiments", Attention,
Perception & Psychophysics 79 (2017): of three tones of 200 Hz one is 6 dB softer, and one has its two channels in
opposite phase. Through loudspeakers the latter cancels itself on its way to the ears and seems the softest.
"""

import io
import wave
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LOUD, SOFT, ANTIPHASE = "loud", "soft", "antiphase"
SOUNDS = (LOUD, SOFT, ANTIPHASE)
TONE_HZ, TONE_S, RAMP_S, SOFTER_DB = 200.0, 1.0, 0.1, -6.0
RATE = 16_000


@lru_cache(maxsize=16)
def tone_wav(sound: str, *, rms_dbfs: float, rate: int = RATE) -> bytes:
    """One of SOUNDS as a 16-bit stereo WAV file; all three have the same header and the same length.

    `rms_dbfs` is the level of a loud tone's middle in each channel. Raises ValueError for another sound.
    """
    left, right = tone(sound, rms_dbfs=rms_dbfs, rate=rate)
    codes = np.rint(np.stack([left, right], axis=1) * 32_767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(2)
        written.setsampwidth(2)
        written.setframerate(rate)
        written.writeframes(codes.tobytes())
    return file.getvalue()


def tone(sound: str, *, rms_dbfs: float, rate: int = RATE) -> NDArray[np.float64]:
    """The two channels, of shape (2, frames). Raises ValueError for a sound that is none of SOUNDS.

    >>> left, right = tone(ANTIPHASE, rms_dbfs=-23.0)
    >>> bool(np.all(left + right == 0))
    True
    """
    if sound not in SOUNDS:
        raise ValueError(f"{sound!r} is none of {', '.join(SOUNDS)}")
    level = rms_dbfs + (SOFTER_DB if sound == SOFT else 0.0)
    seconds = np.arange(round(TONE_S * rate)) / rate
    wave_ = np.sqrt(2) * 10 ** (level / 20) * np.sin(2 * np.pi * TONE_HZ * seconds) * _envelope(len(seconds), rate)
    return np.stack([wave_, -wave_ if sound == ANTIPHASE else wave_])


def _envelope(frames: int, rate: int) -> NDArray[np.float64]:
    """One, with a raised-cosine ramp at each end."""
    ramp = round(RAMP_S * rate)
    rising = 0.5 - 0.5 * np.cos(np.pi * np.arange(ramp) / ramp)
    return np.concatenate([rising, np.ones(frames - 2 * ramp), rising[::-1]])
