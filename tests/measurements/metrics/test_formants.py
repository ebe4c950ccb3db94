import numpy as np
import pytest
import soundfile
from scipy.signal import lfilter

from measurements.metrics import formants
from measurements.metrics.contract import Audio, Undefined
from tests.cases import each

RATE = 11_000
VOWEL = (730.0, 1090.0, 2440.0, 3500.0, 4500.0)


def vowel(hertz: tuple[float, ...], *, rate: int = RATE, seconds: float = 0.6) -> Audio:
    """Noise that falls with frequency, as a voice does, through resonances: what linear prediction is made for."""
    samples = np.random.default_rng(5).standard_normal(round(seconds * rate))
    for formant in hertz:
        radius = np.exp(-np.pi * 60 / rate)
        samples = lfilter([1], [1, -2 * radius * np.cos(2 * np.pi * formant / rate), radius**2], samples)
    samples = lfilter([1], [1, -0.97], samples)
    return Audio(0.1 * samples / np.abs(samples).max(), rate)


def test_burg_finds_the_coefficients_of_a_process() -> None:
    known = np.array([-1.5, 0.9])
    samples = lfilter([1], [1, *known], np.random.default_rng(0).standard_normal(20_000))

    assert formants.burg(samples[np.newaxis], 2)[0] == pytest.approx(known, abs=0.02)


def test_formants_of_a_vowel_are_found() -> None:
    assert formants.mean_formants(vowel(VOWEL)) == pytest.approx(VOWEL[:3], rel=0.03)


def test_deviation_is_how_far_formants_moved() -> None:
    moved = (830.0, 1190.0, 2540.0, 3500.0, 4500.0)

    assert formants.formant_deviation(vowel(moved), vowel(VOWEL)) == pytest.approx(100, abs=35)
    assert formants.formant_deviation(vowel(VOWEL), vowel(VOWEL)) == 0


def test_level_does_not_matter() -> None:
    one = vowel(VOWEL)

    assert formants.formant_deviation(Audio(one.samples / 10, RATE), one) == pytest.approx(0, abs=1e-4)


@each("samples, reason", [(np.zeros(RATE), "silent"), (np.ones(100), "shorter"), (np.zeros(0), "shorter")])
def test_what_has_no_formants_is_undefined(samples: np.ndarray, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        formants.mean_formants(Audio(samples, RATE))


def test_real_speech_has_formants_where_praat_sees_them(shared_data) -> None:
    """Praat's (Parselmouth) means over frames within 25 dB of the loudest; its choice of frames is another."""
    samples, rate = soundfile.read(shared_data / "audio" / "clips" / "gemini2-flash-exp__i0.flac")

    found = formants.mean_formants(Audio(samples[: 15 * rate], rate))

    assert found == pytest.approx([672, 1860, 2865], rel=0.08)
