"""Known signals, invariants, and figures that librosa 0.11 gave for a synthetic clip."""

import numpy as np
import pytest

from campaigns.audio.signals.noisy_speech import syllables
from measurements.metrics import contours
from measurements.metrics.contract import Audio, Undefined
from tests.cases import each

RATE = 16_000
LIBROSA = {
    "shapes": (75, 75, (128, 1025)),
    "rms": 0.02922853940166533,
    "onsets": 2.233924154244823,
    "filter": 0.12799929827451706,
    "tempo": 98.6842105263158,
}


def clicks(bpm: float, seconds: float = 12.0) -> Audio:
    samples = np.zeros(round(seconds * RATE))
    for start in np.arange(0.1, seconds - 0.1, 60 / bpm):
        place = round(start * RATE)
        samples[place : place + 200] = np.random.default_rng(0).standard_normal(200) * 0.3
    return Audio(samples, RATE)


@pytest.fixture(scope="module")
def voice() -> Audio:
    return Audio(syllables(RATE)[0], RATE)


@pytest.mark.parametrize(
    "metric", [contours.energy_similarity, contours.rhythm_similarity, contours.envelope_similarity]
)
def test_clip_is_like_itself_at_any_level_and_unlike_noise(metric, voice: Audio) -> None:
    noise = Audio(np.random.default_rng(1).standard_normal(len(voice.samples)) * 0.1, RATE)

    assert metric(voice, voice) == pytest.approx(1)
    assert metric(Audio(voice.samples / 4, RATE), voice) == pytest.approx(1, abs=1e-3)
    assert abs(metric(noise, voice)) < 0.3


def test_rising_and_falling_contours_are_opposite() -> None:
    rise = np.linspace(100, 200, 50)

    assert contours.f0_similarity(rise, rise[::-1]) == pytest.approx(-1)
    assert contours.f0_similarity(rise, np.linspace(100, 200, 77)) == pytest.approx(1)


def test_unvoiced_frames_are_bridged_and_those_at_the_ends_left_out() -> None:
    full = np.array([100.0, 110, 120, 130, 140])
    holes = np.array([0.0, 100, np.nan, 120, 0, 140, np.nan])

    assert contours.f0_similarity(holes, full) == pytest.approx(1)


@each("contour, reason", [([0.0, 0, 100], "fewer than two voiced"), ([100.0, 100, 100], "flat")])
def test_contours_without_movement_are_undefined(contour: list, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        contours.f0_similarity(np.array(contour), np.array([100.0, 110, 120]))


def test_similarity_is_symmetric_and_pearsons() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.standard_normal(40), rng.standard_normal(40)

    value = contours.contour_similarity(one, other)

    assert value == pytest.approx(np.corrcoef(one, other)[0, 1])
    assert value == pytest.approx(contours.contour_similarity(other, one))


def test_silence_has_no_contour() -> None:
    silence = Audio(np.zeros(RATE), RATE)
    for metric in (contours.energy_similarity, contours.rhythm_similarity, contours.envelope_similarity):
        with pytest.raises(Undefined, match="flat"):
            metric(silence, silence)
    with pytest.raises(Undefined, match="no onsets"):
        contours.tempo(silence)


@each("bpm", [90, 105, 120])
def test_tempo_of_clicks_is_found(bpm: float) -> None:
    assert contours.tempo(clicks(bpm)) == pytest.approx(bpm, rel=0.04)


def test_tempo_ratio_is_symmetric() -> None:
    ratio = contours.tempo_ratio(clicks(120), clicks(90))

    assert ratio == contours.tempo_ratio(clicks(90), clicks(120)) == pytest.approx(0.75, rel=0.05)


def test_frames_and_filters_are_librosas(voice: Audio) -> None:
    """librosa 0.11 of the same samples: feature.rms, filters.mel, onset.onset_strength, feature.tempo."""
    rms, onsets, filters = (
        contours.rms_contour(voice), contours.onset_strength(voice), contours.mel_filters(RATE)
    )  # fmt: skip

    assert (len(rms), len(onsets), filters.shape) == LIBROSA["shapes"]
    assert rms.mean() == pytest.approx(LIBROSA["rms"], rel=1e-5)
    assert onsets.mean() == pytest.approx(LIBROSA["onsets"], rel=1e-5)
    assert filters[40].sum() == pytest.approx(LIBROSA["filter"], rel=1e-5)
    assert contours.tempo(clicks(100)) == pytest.approx(LIBROSA["tempo"], rel=1e-6)


def test_short_clip_is_measured() -> None:
    tenth = Audio(np.sin(np.arange(1600) / 5) * np.linspace(0, 1, 1600), RATE)

    assert contours.energy_similarity(tenth, tenth) == pytest.approx(1)
    assert contours.envelope_similarity(tenth, tenth) == pytest.approx(1)
