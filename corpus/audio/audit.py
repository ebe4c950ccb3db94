"""What a clip is like, measured once at import: level, peaks, clipping and silence.

Everything is measured block by block, so that a clip is never whole in memory.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.audio.bs1770 import LoudnessMeter, PeakMeter
from corpus.audio.reading import Sound, SoundStream

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
    unusual about the measurement. A wholly silent clip has all its seconds as leading silence. `inner_silence_s` is
    all silence between the first sound and the last, `longest_pause_s` the longest of it in one piece. `sound_sha256`
    is of rate, channels and decoded samples: equal where two files hold the same sound in different containers.
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
    inner_silence_s: float
    longest_pause_s: float
    sound_sha256: str = ""


def audit_sound(sound: Sound | SoundStream) -> Audit:
    """Measure a clip as it is, before any downmix, resampling or gain. Raises what its `blocks` raise."""
    loudness, peak = LoudnessMeter(rate=sound.rate, channels=sound.channels), PeakMeter(rate=sound.rate)
    clipping = _Clipping(_HIGHEST_CODE.get(sound.encoding, _FULL_SCALE), sound.channels)
    silence = _Silence(sound.rate, sound.channels)
    samples = hashlib.sha256(f"{sound.rate} {sound.channels}".encode())
    for block in sound.blocks():
        samples.update(np.ascontiguousarray(block, dtype="<f4").data)
        for measure in (loudness, peak, clipping, silence):
            measure.add(block)
    level, (leading, trailing) = loudness.measured(), silence.at_ends()
    return Audit(
        seconds=silence.frames / sound.rate,
        rate=sound.rate,
        channels=sound.channels,
        container=sound.container,
        encoding=sound.encoding,
        integrated_lufs=level.lufs,
        loudness_note=level.note,
        true_peak_dbtp=peak.measured(),
        clipped_samples=clipping.samples(),
        leading_silence_s=leading,
        trailing_silence_s=trailing,
        inner_silence_s=silence.inner_frames / sound.rate,
        longest_pause_s=silence.longest_pause / sound.rate,
        sound_sha256=samples.hexdigest(),
    )


class _Clipping:
    """Counts samples in runs of three or more at full scale, channel by channel."""

    def __init__(self, full_scale: float, channels: int) -> None:
        self._full_scale = full_scale
        self._open = np.zeros(channels, dtype=np.int64)  # the run at the end of what was added, per channel
        self._counted = 0

    def add(self, block: NDArray[np.float32]) -> None:
        """`block` has shape (frames, channels)."""
        at_full_scale = np.abs(block) >= self._full_scale
        if not at_full_scale.any() and not self._open.any():
            return
        for channel, flags in enumerate(at_full_scale.T):
            self._add_to(channel, flags)

    def samples(self) -> int:
        return self._counted + int(self._open[self._open >= SHORTEST_CLIPPING].sum())

    def _add_to(self, channel: int, flags: NDArray[np.bool_]) -> None:
        if flags.all():
            self._open[channel] += len(flags)
            return
        edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]])))
        lengths = edges[1::2] - edges[::2]
        before, self._open[channel] = self._open[channel], 0
        if flags[0]:
            lengths[0] += before
        elif before:
            lengths = np.append(before, lengths)
        if flags[-1]:
            self._open[channel], lengths = lengths[-1], lengths[:-1]
        self._counted += int(lengths[lengths >= SHORTEST_CLIPPING].sum())


class _Silence:
    """Finds silence at both ends and between them.

    Silent is a stretch of 10 ms whose RMS is below -60 dB of full scale (a full-scale sine stands at -3 dB)
    in every channel.
    """

    def __init__(self, rate: int, channels: int) -> None:
        self._rate, self._stretch = rate, max(1, round(rate / 100))
        self._rest = np.empty((0, channels), dtype=np.float32)
        self.frames = self.inner_frames = self.longest_pause = 0
        self._first_loud: int | None = None
        self._end_of_last_loud = 0

    def add(self, block: NDArray[np.float32]) -> None:
        """`block` has shape (frames, channels)."""
        begin = self.frames - len(self._rest)
        self.frames += len(block)
        frames = np.concatenate([self._rest, block])
        whole = len(frames) // self._stretch * self._stretch
        self._rest = frames[whole:]
        self._look_at(frames[:whole], begin)

    def at_ends(self) -> tuple[float, float]:
        """Leading and trailing silence in seconds, after the last block; all of it leads where nothing is loud."""
        self._look_at(self._rest, self.frames - len(self._rest))
        if self._first_loud is None:
            return self.frames / self._rate, 0.0
        return self._first_loud / self._rate, (self.frames - self._end_of_last_loud) / self._rate

    def _look_at(self, frames: NDArray[np.float32], begin: int) -> None:
        """Frames from the one that is `begin`, in whole stretches, or the last that are left."""
        starts = np.arange(0, len(frames), self._stretch)
        if not len(starts):
            return
        ends = np.append(starts[1:], len(frames))
        energy = np.add.reduceat(np.square(frames, dtype=np.float64), starts, axis=0).max(axis=1)
        loud = np.flatnonzero(energy >= (ends - starts) * 10 ** (SILENCE_DBFS / 10))
        if len(loud):
            if self._first_loud is None:
                self._first_loud = self._end_of_last_loud = begin + int(starts[loud[0]])
            pauses = begin + starts[loud] - np.append(self._end_of_last_loud, begin + ends[loud[:-1]])
            self.inner_frames += int(pauses.sum())
            self.longest_pause = max(self.longest_pause, int(pauses.max()))
            self._end_of_last_loud = begin + int(ends[loud[-1]])
