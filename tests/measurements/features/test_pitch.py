import numpy as np
import pytest

from measurements.features.contract import Undefined
from measurements.features.voice.pitch import pitch, pitch_contour
from tests.cases import each
from tests.measurements.features.speech import clip_of, said, tone


@each("hertz", [62.5, 80.0, 123.4, 220.0, 301.0, 440.0, 590.0])
def test_pitch_of_a_tone_is_its_frequency(hertz: float) -> None:
    found = pitch(clip_of(tone(hertz)), {})

    assert found["mean_hz"] == pytest.approx(hertz, rel=0.003)
    assert found["sd_hz"] == pytest.approx(0.0, abs=0.5)
    assert found["voiced_share"] > 0.97


@each("hertz", [90.0, 180.0, 330.0])
def test_pitch_of_a_rich_tone_in_noise_is_its_fundamental(hertz: float) -> None:
    rng = np.random.default_rng(0)
    rich = sum(tone(hertz * n, amplitude=0.2 / n) for n in range(1, 9)) + 0.01 * rng.standard_normal(48_000)

    found = pitch(clip_of(np.asarray(rich)), {})

    assert found["mean_hz"] == pytest.approx(hertz, rel=0.01)


def test_contour_follows_a_glide() -> None:
    seconds, rate = 4.0, 16_000
    at = np.arange(round(seconds * rate)) / rate
    glide = 0.3 * np.sin(2 * np.pi * (100 * at + 25 * at**2 / 2 * 2))  # 100 to 300 Hz

    contour = pitch(clip_of(glide), {})["contour_hz"]

    assert contour == pytest.approx([100 + 200 * (point + 0.5) / 20 for point in range(20)], rel=0.03)


def test_contour_has_twenty_points_and_none_where_nothing_sounds() -> None:
    samples = np.concatenate([tone(200.0, seconds=2.0), np.zeros(32_000)])

    contour = pitch(clip_of(samples), {})["contour_hz"]

    assert len(contour) == 20
    assert contour[:9] == pytest.approx([200.0] * 9, rel=0.01)
    assert contour[11:] == [None] * 9


def test_flat_reading_has_a_smaller_spread_and_a_lively_one_a_larger() -> None:
    spreads = [pitch(clip_of(said(pitch_spread=spread)), {})["sd_hz"] for spread in (0.0, 0.5, 1.0, 1.5)]

    assert spreads == sorted(spreads)
    assert spreads[0] < 12
    assert spreads[2] > 25


def test_contour_is_that_of_the_voice_that_was_asked_for() -> None:
    """A monotone of the demo's voice: nearly every frame within 3 Hz of one value."""
    contour = pitch_contour(said(pitch_spread=0.0))
    voiced = contour[~np.isnan(contour)]

    assert np.mean(np.abs(voiced - np.median(voiced)) < 3) > 0.9


@each("seconds", [0.0, 0.01, 0.1, 2.0])
def test_silence_and_noise_have_no_pitch(seconds: float) -> None:
    n = round(16_000 * seconds)
    for samples in (np.zeros(n), 0.1 * np.random.default_rng(1).standard_normal(n)):
        with pytest.raises(Undefined):
            pitch(clip_of(samples), {})
