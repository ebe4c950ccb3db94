import numpy as np
import pyloudnorm
import pytest

from measurements.features.contract import Undefined
from measurements.features.sound.loudness import loudness, step_powers
from tests.cases import each
from tests.measurements.features.speech import clip_of, said, tone


def test_integrated_loudness_is_pyloudnorms() -> None:
    samples = said()
    meter = pyloudnorm.Meter(16_000, filter_class="DeMan")

    found = loudness(clip_of(samples), {})

    assert found["integrated_lufs"] == pytest.approx(meter.integrated_loudness(samples.astype(np.float64)), abs=0.15)


def test_momentary_values_are_pyloudnorms_block_by_block() -> None:
    """At 48 kHz, where both use the standard's own filters, on a steady sound."""
    noise = 0.1 * np.random.default_rng(0).standard_normal((96_000, 2))
    meter = pyloudnorm.Meter(48_000, filter_class="DeMan", block_size=0.4)

    powers = step_powers([noise], rate=48_000, channels=noise.shape[1])

    whole = -0.691 + 10 * np.log10(powers.mean())
    assert whole == pytest.approx(meter.integrated_loudness(noise), abs=0.02)
    assert len(powers) == 20


def test_full_scale_tone_of_997_hertz_is_at_minus_three() -> None:
    found = loudness(clip_of(tone(997.0, amplitude=1.0, rate=48_000), 48_000), {})

    assert found["integrated_lufs"] == pytest.approx(-3.01, abs=0.01)
    assert found["contour_lufs"] == pytest.approx([-3.01] * 20, abs=0.1)
    assert found["sd_lufs"] == pytest.approx(0.0, abs=0.05)


def test_contour_follows_steps_of_level() -> None:
    samples = np.concatenate([tone(500.0, seconds=2.0, amplitude=a) for a in (0.5, 0.05)])

    found = loudness(clip_of(samples), {})

    contour = found["contour_lufs"]
    assert contour[4] - contour[15] == pytest.approx(20.0, abs=0.1)
    assert found["sd_lufs"] == pytest.approx(10.0, abs=1.0)


def test_halves_of_silence_have_no_points() -> None:
    found = loudness(clip_of(np.concatenate([tone(500.0, seconds=2.0), np.zeros(32_000)])), {})

    assert found["contour_lufs"][12:] == [None] * 8


def test_tenth_of_a_second_is_measured_whole_and_said_to_be() -> None:
    found = loudness(clip_of(tone(500.0, seconds=0.1)), {})

    assert found["sd_lufs"] is None
    assert "shorter than one 400 ms gating block" in found["note"]


@each("samples", [np.zeros(0), np.zeros(16_000), 1e-5 * np.ones(16_000)])
def test_silence_has_no_loudness(samples: np.ndarray) -> None:
    with pytest.raises(Undefined):
        loudness(clip_of(samples), {})
