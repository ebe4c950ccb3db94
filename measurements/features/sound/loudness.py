"""Loudness over time (ITU-R BS.1770-4): integrated, how much it varies, and its course."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.audio.blocks import mixed_down, resampled
from corpus.audio.bs1770 import loudness_of_blocks
from measurements import reasons
from measurements.features.contract import ClipSound, Earlier, Undefined, Value
from measurements.features.sound.contours import POINTS

GATE_LUFS = -70.0
_RATE, _STEP = 48_000, 4_800  # 100 ms; a momentary value is four of them
_PIECE = 10 * _RATE
_OFFSET = -0.691
#: The standard's two filters at 48 kHz (Annex 1, tables 1 and 2), as (b, a).
_FILTERS = (
    ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585)),
    ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)),
)


def loudness(clip: ClipSound, _earlier: Earlier) -> Value:
    """Integrated loudness, the standard deviation of momentary loudness above the gate, and twenty points, in LUFS.

    Raises Undefined for what lies below the gate of -70 LUFS.
    """
    sound = clip.sound
    if (first := next(sound.blocks(), None)) is None:
        raise Undefined(reasons.NO_SAMPLES())
    channels = first.shape[1]
    whole = loudness_of_blocks(sound.blocks(), rate=sound.rate, channels=channels)
    if whole.lufs is None:
        raise Undefined(reasons.BELOW_GATE())
    powers = step_powers(sound.blocks(), rate=sound.rate, channels=channels)
    momentary = _lufs(np.convolve(powers, np.full(4, 0.25), "valid") if len(powers) >= 4 else powers)
    heard = momentary[momentary >= GATE_LUFS]
    return {
        "integrated_lufs": round(whole.lufs, 2),
        "sd_lufs": round(float(heard.std()), 2) if len(heard) > 1 else None,
        "contour_lufs": _twentieths(powers),
        "note": whole.note,
    }


def step_powers(blocks: Iterable[NDArray[Any]], *, rate: int, channels: int) -> NDArray[np.float64]:
    """Mean square of the K-weighted signal, summed over channels, for each 100 ms; a rest counts as a step.

    `blocks` have shape (frames, channels). More than two channels are measured as their mono downmix, as in
    `integrated_loudness`.
    """
    from scipy.signal import lfilter  # noqa: PLC0415 - a second to import: where sound is measured

    if channels > 2:
        blocks, channels = mixed_down(blocks, np.float32), 1
    if rate != _RATE:
        blocks = resampled(blocks, rate=rate, to=_RATE, channels=channels, dtype=np.float32)
    states = [np.zeros((2, channels)) for _ in _FILTERS]
    powers = []
    for piece in _pieces(blocks):
        weighted = piece.astype(np.float64)
        for i, (b, a) in enumerate(_FILTERS):
            weighted, states[i] = lfilter(b, a, weighted, axis=0, zi=states[i])
        squares = (weighted**2).sum(axis=1)
        edges = np.arange(0, len(squares), _STEP)
        powers.append(np.add.reduceat(squares, edges) / np.diff(np.append(edges, len(squares))))
    return np.concatenate(powers) if powers else np.empty(0)


def _pieces(blocks: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """The blocks again, each of ten seconds but the last."""
    held: list[NDArray[Any]] = []
    for block in blocks:
        held.append(block)
        if sum(map(len, held)) < _PIECE:
            continue
        frames = np.concatenate(held)
        for start in range(0, len(frames) - _PIECE + 1, _PIECE):
            yield frames[start : start + _PIECE]
        held = [frames[len(frames) // _PIECE * _PIECE :]]
    rest = np.concatenate(held) if held else np.empty((0, 1))
    if len(rest):
        yield rest


def _lufs(powers: NDArray[np.float64]) -> NDArray[np.float64]:
    return _OFFSET + 10 * np.log10(np.maximum(powers, 1e-12))


def _twentieths(powers: NDArray[np.float64]) -> list[float | None]:
    """Loudness of each twentieth of the clip, from its mean power; None below the gate."""
    if len(powers) < POINTS:
        powers = np.repeat(powers, -(-POINTS // len(powers)))
    edges = np.linspace(0, len(powers), POINTS + 1).round().astype(int)
    levels = _lufs(np.array([powers[a:b].mean() for a, b in pairwise(edges)]))
    return [round(float(level), 2) if level >= GATE_LUFS else None for level in levels]
