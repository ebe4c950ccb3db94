import io

import numpy as np
import pytest
import soundfile

from campaigns.audio.signals.tones import ANTIPHASE, LOUD, RATE, SOFT, SOUNDS, tone, tone_wav
from tests.cases import each


def heard(sound: str, level: float = -23.0) -> np.ndarray:
    samples, rate = soundfile.read(io.BytesIO(tone_wav(sound, rms_dbfs=level)), dtype="float64", always_2d=True)
    assert rate == RATE
    return samples


def middle_db(channel: np.ndarray) -> float:
    """The level of half a second between the ramps: a whole number of periods."""
    return float(20 * np.log10(np.sqrt(np.mean(channel[RATE // 4 : 3 * RATE // 4] ** 2))))


@each("sound, level", [(LOUD, -23.0), (SOFT, -29.0), (ANTIPHASE, -23.0)])
def test_tones_have_their_levels_in_both_channels(sound, level):
    samples = heard(sound)

    assert [middle_db(samples[:, channel]) for channel in (0, 1)] == pytest.approx([level, level], abs=0.01)


def test_mixed_to_mono_the_antiphase_tone_is_gone_and_the_others_are_as_they_were():
    mono = {sound: heard(sound).mean(axis=1) for sound in SOUNDS}

    assert np.array_equal(mono[ANTIPHASE], np.zeros(RATE))
    assert middle_db(mono[LOUD]) - middle_db(mono[SOFT]) == pytest.approx(6, abs=0.01)


def test_one_channel_is_exactly_the_other_or_its_inverse():
    assert np.array_equal(heard(LOUD)[:, 0], heard(LOUD)[:, 1])
    assert np.array_equal(heard(SOFT)[:, 0], heard(SOFT)[:, 1])
    assert np.array_equal(heard(ANTIPHASE)[:, 0], -heard(ANTIPHASE)[:, 1])
    assert np.array_equal(heard(ANTIPHASE)[:, 0], heard(LOUD)[:, 0])


def test_tone_is_of_200_hertz_and_begins_and_ends_softly():
    samples = tone(LOUD, rms_dbfs=-23.0)[0]
    spectrum = np.abs(np.fft.rfft(samples))

    assert np.argmax(spectrum) == 200
    assert np.abs(samples[[0, -1]]).max() < 1e-6
    peaks = [np.abs(part).max() for part in np.split(samples, 10)]
    assert np.ptp(peaks[1:9]) < 1e-3
    assert max(peaks[0], peaks[9]) <= peaks[5]


def test_files_differ_in_nothing_but_their_samples():
    files = [tone_wav(sound, rms_dbfs=-23.0) for sound in SOUNDS]

    assert {len(file) for file in files} == {44 + 4 * RATE}
    assert len({file[:44] for file in files}) == 1


def test_unknown_sound_is_refused():
    with pytest.raises(ValueError, match="none of"):
        tone("softer", rms_dbfs=-23.0)
