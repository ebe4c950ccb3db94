"""Loudness and true peak as ITU-R BS.1770-4 defines them, of whole arrays or block by block in little memory."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from corpus.audio.blocks import in_blocks

_FILTER_RATE = 48_000  # the one rate for which the standard tabulates its filters (Annex 1, tables 1 and 2)
_BLOCK_SECONDS, _OVERLAP = 0.4, 0.75
_BLOCK, _HOP = 19_200, 4_800  # 400 ms gating blocks that overlap by 75 %
_GATE, _RELATIVE_GATE, _OFFSET = -70.0, -10.0, -0.691
_PIECE, _MARGIN = 2**18, 16  # resample_poly's filter reaches 10 frames to either side
# "DeMan" is the standard's own table; pyloudnorm's default filters read 0.04 LU low.
_DE_MAN = (
    (3.99984385397, 0.7071752369554193, 1681.9744509555319, _FILTER_RATE, "high_shelf_DeMan"),
    (0.0, 0.5003270373253953, 38.13547087613982, _FILTER_RATE, "high_pass_DeMan"),
)


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
    return loudness_of_blocks(in_blocks(samples), rate=rate, channels=samples.shape[1])


def loudness_of_blocks(blocks: Iterable[NDArray[Any]], *, rate: int, channels: int) -> Loudness:
    """The same, of blocks of shape (frames, channels) that are gone through once."""
    meter = LoudnessMeter(rate=rate, channels=channels)
    for block in blocks:
        meter.add(block)
    return meter.measured()


def true_peak_dbtp(samples: NDArray[np.floating], *, rate: int) -> float | None:
    """Estimate the true peak of `samples`, shape (frames, channels), in dBTP (BS.1770-4, Annex 2).

    The signal is oversampled to at least 192 kHz or four times, whichever is less. None for digital silence.
    """
    meter = PeakMeter(rate=rate)
    for block in in_blocks(samples):
        meter.add(block)
    return meter.measured()


class LoudnessMeter:
    """Integrated loudness of what is added: the blocks of a sound, in their order."""

    def __init__(self, *, rate: int, channels: int) -> None:
        self._mixes = channels > 2
        self._silent = True
        self._gating = _Gating(1 if self._mixes else channels)
        self._resampler = None if rate == _FILTER_RATE else _Resampler(rate, 1 if self._mixes else channels)

    def add(self, block: NDArray[Any]) -> None:
        """`block` has shape (frames, channels), full scale ±1."""
        self._silent = self._silent and not block.any()
        mixed = block.mean(axis=1, keepdims=True) if self._mixes else block
        signal = mixed.astype(np.float64)
        self._gating.add(self._resampler.add(signal) if self._resampler else signal)

    def measured(self) -> Loudness:
        """Once, after the last block."""
        if self._silent:
            return Loudness(None, "digital silence has no loudness")
        if self._resampler:
            self._gating.add(self._resampler.rest())
        notes = ["measured on the mono downmix of more than two channels"] if self._mixes else []
        if self._gating.is_short:
            notes.append("shorter than one 400 ms gating block, so measured whole as one ungated block")
        lufs = self._gating.loudness()
        if math.isfinite(lufs):
            return Loudness(lufs, "; ".join(notes))
        return Loudness(None, "; ".join(["nothing rises above the -70 LUFS gate", *notes]))


class _Resampler:
    def __init__(self, rate: int, channels: int) -> None:
        self._channels = channels
        self._stream = soxr.ResampleStream(rate, _FILTER_RATE, channels, dtype="float64", quality="HQ")

    def add(self, signal: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._stream.resample_chunk(np.ascontiguousarray(signal)))

    def rest(self) -> NDArray[np.float64]:
        return np.asarray(self._stream.resample_chunk(np.empty((0, self._channels)), last=True))


@cache
def _k_weighting() -> tuple[Any, ...]:
    """Its two filters, each with coefficients `b` and `a`."""
    from pyloudnorm.iirfilter import IIRfilter  # noqa: PLC0415 - a second to import: where sound is measured

    return tuple(IIRfilter(*it) for it in _DE_MAN)


class _Gating:
    """The powers of the K-weighted gating blocks of a signal at 48 kHz, in the steps and sums of pyloudnorm."""

    def __init__(self, channels: int) -> None:
        self._states = [np.zeros((channels, 2)) for _ in _DE_MAN]
        self._short: list[NDArray[np.float64]] = []
        self._frames = 0
        self._tail, self._tail_start = np.empty((channels, 0)), 0
        self._powers: list[NDArray[np.float64]] = []

    @property
    def is_short(self) -> bool:
        return self._frames < _BLOCK

    def add(self, signal: NDArray[np.float64]) -> None:
        """`signal` has shape (frames, channels)."""
        from scipy.signal import lfilter  # noqa: PLC0415 - a second to import: where sound is measured

        if not len(signal):  # a filter would forget its state over nothing
            return
        if self.is_short:
            self._short.append(signal)
        self._frames += len(signal)
        weighted = np.ascontiguousarray(signal.T)
        for stage, filtering in enumerate(_k_weighting()):
            weighted, self._states[stage] = lfilter(
                filtering.b, filtering.a, weighted, axis=1, zi=self._states[stage]
            )
        self._tail = np.concatenate([self._tail, weighted], axis=1)
        self._sum_whole_blocks()

    def loudness(self) -> float:
        """In LUFS; minus infinity where nothing rises above the gate."""
        if self.is_short:
            return _loudness_of_whole(np.concatenate(self._short or [np.empty((0, len(self._tail)))]))
        powers = np.array(self._powers).T
        with np.errstate(divide="ignore"):
            levels = _OFFSET + 10 * np.log10(powers.sum(axis=0))
            gated = levels >= _GATE
            if not gated.any():
                return -math.inf
            relative = _OFFSET + 10 * np.log10(_mean_power(powers[:, gated])) + _RELATIVE_GATE
            gated = (levels > _GATE) & (levels > relative)
            return float(_OFFSET + 10 * np.log10(_mean_power(powers[:, gated]))) if gated.any() else -math.inf

    def _sum_whole_blocks(self) -> None:
        while (edges := self._next_block())[1] <= self._tail_start + self._tail.shape[1]:
            start, stop = (edge - self._tail_start for edge in edges)
            blocks = self._tail[:, start:stop]
            self._powers.append(
                np.array([1.0 / (_BLOCK_SECONDS * _FILTER_RATE) * np.sum(np.square(one)) for one in blocks])
            )
        start = self._next_block()[0]
        self._tail = self._tail[:, start - self._tail_start :].copy()
        self._tail_start = start

    def _next_block(self) -> tuple[int, int]:
        n, step = len(self._powers), 1.0 - _OVERLAP
        return (
            int(_BLOCK_SECONDS * (n * step) * _FILTER_RATE),
            int(_BLOCK_SECONDS * (n * step + 1) * _FILTER_RATE),
        )


def _mean_power(powers: NDArray[np.float64]) -> float:
    """Over blocks, added over channels; `powers` has shape (channels, blocks)."""
    return float(np.sum([np.mean(channel) for channel in powers]))


def _loudness_of_whole(signal: NDArray[np.float64]) -> float:
    import pyloudnorm  # noqa: PLC0415 - a second to import: where sound is measured

    # With a frame of zeros and a thousandth of a frame, rounding cannot make the block outlast the data.
    padded = np.pad(signal, ((0, 1), (0, 0)))
    block_seconds = (len(signal) + 1e-3) / _FILTER_RATE
    meter = pyloudnorm.Meter(_FILTER_RATE, filter_class="DeMan", block_size=block_seconds)
    return float(meter.integrated_loudness(padded))


class PeakMeter:
    """True peak of what is added: the blocks of a sound, in their order."""

    def __init__(self, *, rate: int) -> None:
        self._factor = 4 if rate < 96_000 else 2 if rate < 192_000 else 1
        self._peak = 0.0
        self._held: list[NDArray[Any]] = []
        self._n_held = self._before = 0

    def add(self, block: NDArray[Any]) -> None:
        """`block` has shape (frames, channels)."""
        self._peak = max(self._peak, float(np.abs(block).max(initial=0)))
        if self._factor == 1:
            return
        self._held.append(block)
        self._n_held += len(block)
        while self._n_held >= self._before + _PIECE + _MARGIN:
            self._oversample(np.concatenate(self._held))

    def measured(self) -> float | None:
        """Once, after the last block. None for digital silence."""
        while self._n_held > self._before:
            self._oversample(np.concatenate(self._held))
        return 20 * math.log10(self._peak) if self._peak > 0 else None

    def _oversample(self, held: NDArray[Any]) -> None:
        """One piece of what is held, which goes on from where the piece before ended."""
        from scipy.signal import resample_poly  # noqa: PLC0415 - a second to import: where sound is measured

        piece, factor = held[: self._before + _PIECE + _MARGIN], self._factor
        for channel in piece.T:
            finer = resample_poly(channel, factor, 1)[self._before * factor : (self._before + _PIECE) * factor]
            self._peak = max(self._peak, float(np.abs(finer).max()))
        done = min(self._before + _PIECE, len(held))
        kept = max(done - _MARGIN, 0)
        self._before = done - kept
        self._held, self._n_held = [held[kept:].copy()], len(held) - kept
