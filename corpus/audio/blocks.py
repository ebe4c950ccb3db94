"""Sound block by block: cut into blocks, put together again, and resampled on the way.

What comes out is, bit for bit, what the whole array gives at once.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import soxr
from numpy.typing import NDArray

F = TypeVar("F", bound=np.floating[Any])

BLOCK_FRAMES = 65_536
_GROWTH = 1.5


def in_blocks(samples: NDArray[F]) -> Iterator[NDArray[F]]:
    """Views of `samples`, shape (frames, channels), of at most 65,536 frames each."""
    for start in range(0, len(samples), BLOCK_FRAMES):
        yield samples[start : start + BLOCK_FRAMES]


def gathered(
    blocks: Iterable[NDArray[Any]], *, channels: int, dtype: type[np.floating[Any]] = np.float32
) -> NDArray[Any]:
    """The blocks as one array of shape (frames, channels), never in memory twice."""
    samples, frames = np.empty((BLOCK_FRAMES, channels), dtype=dtype), 0
    for block in blocks:
        if frames + len(block) > len(samples):
            grown = max(frames + len(block), math.ceil(len(samples) * _GROWTH))
            samples.resize((grown, channels), refcheck=False)
        samples[frames : frames + len(block)] = block
        frames += len(block)
    samples.resize((frames, channels), refcheck=False)
    return samples


def mixed_down(blocks: Iterable[NDArray[Any]], dtype: type[np.floating[Any]] = np.float64) -> Iterator[NDArray[Any]]:
    """The mean of the channels of each block, shape (frames, 1)."""
    for block in blocks:
        yield block.mean(axis=1, keepdims=True, dtype=dtype)


def resampled(
    blocks: Iterable[NDArray[Any]],
    *,
    rate: int,
    to: int,
    channels: int,
    quality: str = "HQ",
    dtype: type[np.floating[Any]] = np.float64,
) -> Iterator[NDArray[Any]]:
    """The blocks, shape (frames, channels), at another rate; some may be empty."""
    stream = soxr.ResampleStream(rate, to, channels, dtype=np.dtype(dtype).name, quality=quality)
    for block in blocks:
        yield stream.resample_chunk(np.ascontiguousarray(block, dtype=dtype))
    yield stream.resample_chunk(np.empty((0, channels), dtype=dtype), last=True)
