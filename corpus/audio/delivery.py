"""The one form in which every clip is heard: mono 16-bit PCM at one rate and, if asked, at one loudness."""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.audio import reasons
from corpus.audio.blocks import gathered, in_blocks, mixed_down, resampled
from corpus.audio.bs1770 import Loudness, LoudnessMeter, PeakMeter, loudness_of_blocks, true_peak_dbtp
from corpus.audio.reading import HIGHEST_RATE, LOWEST_RATE, Sound, SoundStream
from infrastructure.wording.reasons import Reason, Reasoned

LOWEST_TARGET, HIGHEST_TARGET = -60.0, 0.0
#: What campaigns may choose of these.
QUIETEST_TARGET, LOUDEST_TARGET = -40.0, -12.0
#: The highest true peak of a clip whose loudness is matched.
CEILING_DBTP = -1.0
TARGET_STEP = 0.5
#: Clips that raters hear end on a multiple of this; longer than the frames of codecs and vocoders (10 to 80 ms).
LENGTH_STEP_S = 0.1

_HIGHEST_CODE, _CODES_PER_UNIT = 32_767, 32_768
_FLOAT_ERROR = 1e-9
_HEADER_BYTES = 44


@dataclass(frozen=True)
class DeliveryForm:
    """The form shared by all clips of a campaign: `rate` in Hz; `target_lufs` None leaves levels as they are.

    Raises ValueError for a rate or a target that no campaign can mean.
    """

    rate: int
    target_lufs: float | None

    def __post_init__(self) -> None:
        if not LOWEST_RATE <= self.rate <= HIGHEST_RATE:
            raise ValueError(f"The rate must be {LOWEST_RATE} to {HIGHEST_RATE} Hz, not {self.rate}.")
        if self.target_lufs is not None and not LOWEST_TARGET <= self.target_lufs <= HIGHEST_TARGET:
            raise ValueError(
                f"The target must be {LOWEST_TARGET:g} to {HIGHEST_TARGET:g} LUFS, not {self.target_lufs}."
            )


@dataclass(frozen=True)
class Delivered:
    """A WAV file as it is served, and what was measured on its samples; None where a level is undefined."""

    wav: bytes
    gain_db: float
    integrated_lufs: float | None
    true_peak_dbtp: float | None
    seconds: float


class Undeliverable(Reasoned, ValueError):
    """A clip that cannot take the form.

    Where a lower target is the remedy, `highest_target_lufs` is the highest that fits, in steps of 0.5 LU.
    """

    def __init__(self, reason: Reason, *, highest_target_lufs: float | None = None) -> None:
        super().__init__(reason)
        self.highest_target_lufs = highest_target_lufs


def deliver(
    sound: Sound | SoundStream,
    form: DeliveryForm,
    *,
    ceiling_dbtp: float = CEILING_DBTP,
    length_step_s: float = 0.0,
) -> Delivered:
    """Downmix to the mean of the channels, resample, apply one constant gain and write 16-bit PCM.

    Nothing is limited, trimmed or dithered: samples are rounded to the nearest code. The file is a canonical
    44-byte RIFF header and the samples, so its size tells the duration and nothing else. A codec or vocoder makes
    whole frames, and the number of samples would tell of how many: with `length_step_s` silence follows up to the
    next multiple of it. `ceiling_dbtp`, at most 0, bounds the true peak where loudness is matched. With matching off,
    and where a clip has no loudness, the source keeps its level; samples beyond full scale turn the whole clip down,
    just as far as they need. Levels are measured without the added silence. Of the source one block is in memory at
    a time; of what is made, the mono samples and the file.

    Raises Undeliverable if the ceiling would be exceeded or no sample is left; ValueError for a ceiling above
    0 dBTP; and what the blocks of `sound` raise.
    """
    if ceiling_dbtp > 0:
        raise ValueError(f"The ceiling must be at most 0 dBTP, not {ceiling_dbtp}.")
    mono = _mono_at(sound, form.rate)
    gain_db = None if form.target_lufs is None else _matching_gain(mono, form.rate, form.target_lufs)
    if form.target_lufs is not None and gain_db is not None:
        _check_ceiling(mono, form.rate, form.target_lufs, gain_db=gain_db, ceiling_dbtp=ceiling_dbtp)
    gain_db = _within_full_scale(mono, gain_db or 0.0)
    gain = 10 ** (gain_db / 20)
    wav, codes = _wav(len(mono), form.rate, round(length_step_s * form.rate))
    loudness, peak = _written(mono, gain, codes, form.rate)
    return Delivered(
        wav=bytes(wav),
        gain_db=gain_db,
        integrated_lufs=loudness.lufs,
        true_peak_dbtp=peak,
        seconds=len(codes) / form.rate,
    )


def _mono_at(sound: Sound | SoundStream, rate: int) -> NDArray[np.float64]:
    """Shape (frames, 1)."""
    mono = mixed_down(sound.blocks())
    samples = gathered(
        resampled(mono, rate=sound.rate, to=rate, channels=1, quality="VHQ"), channels=1, dtype=np.float64
    )
    if not len(samples):
        raise Undeliverable(reasons.SHORTER_THAN_SAMPLE(rate=rate))
    return samples


def _louder(mono: NDArray[np.float64], gain: float) -> Iterator[NDArray[np.float64]]:
    for block in in_blocks(mono):
        yield block * gain


def _matching_gain(mono: NDArray[np.float64], rate: int, target_lufs: float) -> float | None:
    """In dB; None where the clip has no loudness: it is silent, or all below the gate."""
    # Twice, because the fixed gate of -70 LUFS counts parts of a very quiet clip once the clip is louder.
    gain_db = 0.0
    for _ in range(2):
        loudness = loudness_of_blocks(_louder(mono, 10 ** (gain_db / 20)), rate=rate, channels=1)
        if loudness.lufs is None:
            return None
        gain_db += target_lufs - loudness.lufs
    return gain_db


def _check_ceiling(
    mono: NDArray[np.float64], rate: int, target_lufs: float, *, gain_db: float, ceiling_dbtp: float
) -> None:
    source_peak = true_peak_dbtp(mono, rate=rate)
    if source_peak is None or source_peak + gain_db <= ceiling_dbtp:
        return
    peak = source_peak + gain_db
    highest = math.floor((target_lufs + ceiling_dbtp - peak) / TARGET_STEP) * TARGET_STEP
    raise Undeliverable(
        reasons.TARGET_TOO_LOUD(
            target=f"{target_lufs:g}", peak=f"{peak:.2f}", ceiling=f"{ceiling_dbtp:g}", highest=f"{highest:g}"
        ),
        highest_target_lufs=highest,
    )


def _within_full_scale(mono: NDArray[np.float64], gain_db: float) -> float:
    """The gain in dB, lowered just as far that no sample would be clipped."""
    peak = max(float(np.abs(block).max()) for block in _louder(mono, 10 ** (gain_db / 20)))
    return gain_db if peak <= 1 + _FLOAT_ERROR else gain_db - 20 * math.log10(peak)


def _wav(frames: int, rate: int, step: int) -> tuple[bytearray, NDArray[np.int16]]:
    """A file of mono 16-bit silence of `frames`, or up to the next multiple of `step`; and its codes, to be set."""
    size = 2 * (frames + (-frames % step if step else 0))
    wav = bytearray(_HEADER_BYTES + size)
    riff = struct.pack("<4sI4s", b"RIFF", 36 + size, b"WAVE")
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16)
    wav[:_HEADER_BYTES] = riff + form + struct.pack("<4sI", b"data", size)
    return wav, np.frombuffer(wav, dtype="<i2", offset=_HEADER_BYTES)


def _written(
    mono: NDArray[np.float64], gain: float, codes: NDArray[np.int16], rate: int
) -> tuple[Loudness, float | None]:
    """Round the samples into `codes`, and measure what was written."""
    loudness, peak = LoudnessMeter(rate=rate, channels=1), PeakMeter(rate=rate)
    start = 0
    for block in _louder(mono, gain):
        # 16-bit PCM has a code for -1 but none for +1, which gets the highest there is.
        rounded = np.minimum(np.rint(block * _CODES_PER_UNIT), _HIGHEST_CODE).astype("<i2")
        codes[start : start + len(block)] = rounded[:, 0]
        start += len(block)
        written = rounded / np.float64(_CODES_PER_UNIT)
        loudness.add(written)
        peak.add(written)
    return loudness.measured(), peak.measured()
