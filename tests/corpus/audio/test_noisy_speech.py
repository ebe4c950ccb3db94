import io

import numpy as np
import pytest
import soundfile

from campaigns.audio.signals.noisy_speech import noisy_speech, noisy_speech_wav, syllables
from corpus.audio.bs1770 import integrated_loudness
from corpus.audio.delivery import DeliveryForm
from tests.cases import each


@each("rate", [16_000, 48_000])
@each("snr", [30.0, 42.0, 50.0])
def test_noise_is_as_far_below_the_voice_as_asked(rate, snr):
    voice, sounding = syllables(rate)
    noise = noisy_speech(snr, rate=rate) - voice

    ratio = np.mean(voice[sounding] ** 2) / np.mean(noise[sounding] ** 2)
    assert 10 * np.log10(ratio) == pytest.approx(snr, abs=0.01)


def test_noise_is_alone_in_the_pauses():
    voice, sounding = syllables(16_000)

    assert 0.3 < np.mean(~sounding) < 0.6
    noise = noisy_speech(30.0, rate=16_000)[~sounding]
    assert 20 * np.log10(0.05 / np.sqrt(np.mean(noise**2))) == pytest.approx(30, abs=1)
    assert np.sqrt(np.mean(voice[sounding] ** 2)) == pytest.approx(0.05)


@each("target", [-30.0, -23.0, -16.0])
def test_files_are_as_loud_as_the_clips_and_equally_long(target):
    form = DeliveryForm(16_000, target)
    files = [noisy_speech_wav(snr, form) for snr in (30, 38, 48, 50)]

    assert len({len(file) for file in files}) == 1
    assert len({file[:44] for file in files}) == 1
    for file in files:
        samples, _rate = soundfile.read(io.BytesIO(file), dtype="float64", always_2d=True)
        assert integrated_loudness(samples, rate=16_000).lufs == pytest.approx(target, abs=0.1)


def test_least_noise_survives_sixteen_bits():
    """At 50 dB the noise is still several codes high, so that there is something to notice."""
    file = noisy_speech_wav(50, DeliveryForm(16_000, -23.0))
    samples, _rate = soundfile.read(io.BytesIO(file), dtype="int16")
    pause = samples[~syllables(16_000)[1]]

    assert np.sqrt(np.mean(pause.astype(float) ** 2)) > 3
