"""What is measured block by block is, bit for bit, what was measured on the whole array."""

import numpy as np
import pyloudnorm
import pytest
import soxr
from scipy.signal import resample_poly

from corpus.audio.blocks import BLOCK_FRAMES, gathered, in_blocks, mixed_down, resampled
from corpus.audio.bs1770 import integrated_loudness, true_peak_dbtp
from tests.cases import each


def swelling(frames: int, channels: int, *, dtype: type = np.float32) -> np.ndarray:
    noise = np.random.default_rng(frames + channels).normal(0, 0.1, (frames, channels))
    return (noise * np.linspace(0, 1, frames)[:, np.newaxis] ** 3).astype(dtype)


@each("frames", [1, 1_000, BLOCK_FRAMES, BLOCK_FRAMES + 1, 4 * BLOCK_FRAMES + 3])
@each("rate, to", [(8_000, 48_000), (44_100, 16_000), (48_000, 48_000), (192_000, 24_000)])
def test_blocks_are_resampled_as_the_whole(frames, rate, to):
    samples = swelling(frames, 2, dtype=np.float64)

    found = gathered(resampled(in_blocks(samples), rate=rate, to=to, channels=2), channels=2, dtype=np.float64)

    assert np.array_equal(found, soxr.resample(samples, rate, to, quality="HQ"))


def test_blocks_are_mixed_down_and_gathered_as_the_whole():
    samples = swelling(3 * BLOCK_FRAMES + 7, 6)

    found = gathered(mixed_down(in_blocks(samples)), channels=1, dtype=np.float64)

    assert np.array_equal(found, samples.mean(axis=1, keepdims=True, dtype=np.float64))
    assert gathered(iter([]), channels=2).shape == (0, 2)


@each("seconds", [0.4, 0.55, 3.01, 33.0])
@each("rate, channels", [(48_000, 1), (48_000, 2), (8_000, 2), (44_100, 1)])
def test_loudness_is_that_of_pyloudnorm_on_the_whole(seconds, rate, channels):
    samples = swelling(round(seconds * rate), channels)
    whole = samples.astype(np.float64)
    if rate != 48_000:
        whole = soxr.resample(whole, rate, 48_000, quality="HQ")
    whole = whole[: 19_200 + (len(whole) - 19_200) // 4_800 * 4_800]

    meter = pyloudnorm.Meter(48_000, filter_class="DeMan", block_size=0.4)
    assert integrated_loudness(samples, rate=rate).lufs == float(meter.integrated_loudness(whole))


@each("frames", [3, 2**18 - 1, 2**18 + 16, 2**18 + 17, 2**19 + 40])
@each("rate, factor", [(16_000, 4), (96_000, 2), (192_000, 1)])
def test_true_peak_is_that_of_the_whole(frames, rate, factor):
    samples = swelling(frames, 2, dtype=np.float64)
    whole = max(np.abs(samples).max(), np.abs(resample_poly(samples, factor, 1)).max())

    assert true_peak_dbtp(samples, rate=rate) == pytest.approx(20 * np.log10(whole), abs=1e-9)
