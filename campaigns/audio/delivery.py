"""The one form in which every clip is heard: mono 16-bit PCM at one rate and, if asked, at one loudness."""

import io
import math
import wave
from dataclasses import dataclass

import numpy as np
import soxr
from numpy.typing import NDArray

from campaigns.audio.bs1770 import integrated_loudness, true_peak_dbtp
from campaigns.audio.reading import HIGHEST_RATE, LOWEST_RATE, Sound

LOWEST_TARGET, HIGHEST_TARGET = -60.0, 0.0
#: The highest true peak of a clip whose loudness is matched.
CEILING_DBTP = -1.0
TARGET_STEP = 0.5
#: Clips that raters hear end on a multiple of this; longer than the frames of codecs and vocoders (10 to 80 ms).
LENGTH_STEP_S = 0.1

_HIGHEST_CODE, _CODES_PER_UNIT = 32_767, 32_768
_FLOAT_ERROR = 1e-9


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


class Undeliverable(ValueError):
    """A clip that cannot take the form; the message says why and what to do.

    Where a lower target is the remedy, `highest_target_lufs` is the highest that fits, in steps of 0.5 LU.
    """

    def __init__(self, message: str, *, highest_target_lufs: float | None = None) -> None:
        super().__init__(message)
        self.highest_target_lufs = highest_target_lufs


def deliver(
    sound: Sound, form: DeliveryForm, *, ceiling_dbtp: float = CEILING_DBTP, length_step_s: float = 0.0
) -> Delivered:
    """Downmix to the mean of the channels, resample, apply one constant gain and write 16-bit PCM.

    Nothing is limited, trimmed or dithered: samples are rounded to the nearest code. The file is a canonical
    44-byte RIFF header and the samples, so its size tells the duration and nothing else. A codec or vocoder makes
    whole frames, and the number of samples would tell of how many: with `length_step_s` silence follows up to the
    next multiple of it. `ceiling_dbtp`, at most 0, bounds the true peak where loudness is matched; with matching off
    the source keeps its level. Levels are measured without that silence.

    Raises Undeliverable if the loudness to match is undefined, the ceiling would be exceeded, or samples
    would leave full scale; ValueError for a ceiling above 0 dBTP.
    """
    if ceiling_dbtp > 0:
        raise ValueError(f"The ceiling must be at most 0 dBTP, not {ceiling_dbtp}.")
    mono = _mono_at(sound, form.rate)
    gain_db = 0.0
    if form.target_lufs is not None:
        gain_db = _matching_gain(mono, form.rate, form.target_lufs)
        _check_ceiling(mono, form.rate, form.target_lufs, gain_db=gain_db, ceiling_dbtp=ceiling_dbtp)
    codes = _pcm16(mono * 10 ** (gain_db / 20), form.rate)
    written = codes / np.float64(_CODES_PER_UNIT)
    if length_step_s:
        codes = _to_multiple(codes, round(length_step_s * form.rate))
    return Delivered(
        wav=_wav(codes, form.rate),
        gain_db=gain_db,
        integrated_lufs=integrated_loudness(written, rate=form.rate).lufs,
        true_peak_dbtp=true_peak_dbtp(written, rate=form.rate),
        seconds=len(codes) / form.rate,
    )


def _mono_at(sound: Sound, rate: int) -> NDArray[np.float64]:
    mono = sound.samples.mean(axis=1, keepdims=True, dtype=np.float64)
    resampled = soxr.resample(mono, sound.rate, rate, quality="VHQ")
    if not len(resampled):
        raise Undeliverable(f"This clip is shorter than one sample at {rate} Hz; leave it out.")
    return np.asarray(resampled)


def _matching_gain(mono: NDArray[np.float64], rate: int, target_lufs: float) -> float:
    # Twice, because the fixed gate of -70 LUFS counts parts of a very quiet clip once the clip is louder.
    gain_db = 0.0
    for _ in range(2):
        loudness = integrated_loudness(mono * 10 ** (gain_db / 20), rate=rate)
        if loudness.lufs is None:
            raise Undeliverable(
                f"This clip cannot be matched to {target_lufs:g} LUFS because its loudness is undefined "
                f"({loudness.note}); turn loudness matching off for the campaign or leave the clip out."
            )
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
        f"At {target_lufs:g} LUFS the true peak of this clip would be {peak:.2f} dBTP, above the ceiling of "
        f"{ceiling_dbtp:g} dBTP; the highest target at which it fits is {highest:g} LUFS.",
        highest_target_lufs=highest,
    )


def _pcm16(mono: NDArray[np.float64], rate: int) -> NDArray[np.int16]:
    peak = float(np.abs(mono).max())
    if peak > 1 + _FLOAT_ERROR:
        raise Undeliverable(
            f"As mono at {rate} Hz this clip would reach {20 * math.log10(peak):.2f} dBFS and be clipped; "
            f"turn loudness matching on for the campaign or import the clip at a lower level."
        )
    # 16-bit PCM has a code for -1 but none for +1, which gets the highest there is.
    codes = np.rint(mono * _CODES_PER_UNIT)
    return np.minimum(codes, _HIGHEST_CODE).astype("<i2")


def _to_multiple(codes: NDArray[np.int16], step: int) -> NDArray[np.int16]:
    """With zeros behind, until there is a multiple of `step` samples; shape (samples, channels)."""
    return np.pad(codes, ((0, -len(codes) % step), (0, 0)))


def _wav(codes: NDArray[np.int16], rate: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(codes.tobytes())
    return buffer.getvalue()
