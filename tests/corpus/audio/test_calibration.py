import io

import numpy as np
import pytest
import soundfile

from campaigns.audio.signals.calibration import EDGE, PERIOD, speech_shaped_noise, volume_noise
from corpus.audio.bs1770 import integrated_loudness, true_peak_dbtp
from corpus.audio.delivery import DeliveryForm, Undeliverable
from tests.cases import each

RATES = (4_000, 8_000, 16_000, 22_050, 44_100, 48_000)


def heard(form: DeliveryForm) -> np.ndarray:
    samples, rate = soundfile.read(io.BytesIO(volume_noise(form)), dtype="float64", always_2d=True)
    assert rate == form.rate
    return samples


def band_level_db(samples: np.ndarray, rate: int, low: float, high: float) -> float:
    """The mean power per Hz in a band, in dB."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    return float(10 * np.log10(power[(frequencies >= low) & (frequencies < high)].mean()))


@each("target", [-40.0, -23.0, -12.0])
@each("rate", RATES)
def test_noise_is_as_loud_as_the_clips_and_its_peaks_stay_low(rate, target):
    samples = heard(DeliveryForm(rate, target))

    assert integrated_loudness(samples, rate=rate).lufs == pytest.approx(target, abs=0.1)
    assert true_peak_dbtp(samples, rate=rate) < -1


@each("rate", RATES)
def test_noise_goes_round_without_a_seam(rate):
    samples = heard(DeliveryForm(rate, -23.0))[:, 0]
    start, end = round(EDGE * rate), round((EDGE + PERIOD) * rate)

    assert len(samples) == round(PERIOD * rate) + round(2 * EDGE * rate)
    beyond = len(samples) - end
    np.testing.assert_array_equal(samples[end:], samples[start : start + beyond])
    np.testing.assert_array_equal(samples[end - start : end], samples[:start])


def test_noise_is_the_same_every_time():
    first = speech_shaped_noise(16_000, seconds=1.0)

    assert np.array_equal(first, speech_shaped_noise(16_000, seconds=1.0))


def test_noise_has_the_spectrum_of_speech():
    """Differences of spectrum levels in ANSI S3.5-1997, table 1, at normal effort."""
    noise = speech_shaped_noise(48_000, seconds=PERIOD)

    at_450 = band_level_db(noise, 48_000, 440, 460)
    for centre, expected in [(150, 31.44), (1000, 25.01), (4000, 9.33), (8500, -0.14)]:
        level = band_level_db(noise, 48_000, centre - 10, centre + 10)
        assert level - at_450 == pytest.approx(expected - 34.58, abs=0.3)
    assert band_level_db(noise, 48_000, 0, 95) < at_450 - 80
    assert band_level_db(noise, 48_000, 9_600, 24_000) < at_450 - 80


def test_noise_is_steady():
    noise = speech_shaped_noise(16_000, seconds=PERIOD)

    levels = [20 * np.log10(np.sqrt(np.mean(part**2))) for part in np.array_split(noise, 24)]
    assert np.ptp(levels) < 2


def test_noise_has_low_peaks():
    noise = speech_shaped_noise(48_000, seconds=PERIOD)

    assert 20 * np.log10(np.abs(noise).max() / np.sqrt(np.mean(noise**2))) < 9.5


def test_noise_that_would_exceed_the_ceiling_is_refused():
    with pytest.raises(Undeliverable):
        volume_noise(DeliveryForm(16_000, -6.0))
