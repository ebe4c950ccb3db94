import numpy as np
import pytest

from campaigns.audio.signals.noisy_speech import syllables
from judges.sounds.speech_level import Silent, active_level

RATE = 16_000


def noise(seconds: float, rms: float) -> np.ndarray:
    drawn = np.random.default_rng(1).standard_normal(round(seconds * RATE))
    return drawn * rms / np.sqrt(np.mean(drawn**2))


def test_level_of_steady_sound_is_its_rms() -> None:
    level = active_level(noise(10, 0.1), rate=RATE)

    assert level.dbov == pytest.approx(-20, abs=0.1)
    assert level.activity == pytest.approx(1, abs=0.02)


def test_pauses_do_not_count() -> None:
    sound = noise(10, 0.1)
    half = np.concatenate([sound, np.zeros(10 * RATE)])

    level = active_level(half, rate=RATE)

    assert level.dbov == pytest.approx(-20, abs=0.3)  # the whole clip's RMS is -23
    assert level.activity == pytest.approx(0.51, abs=0.02)


def test_level_follows_gain_exactly_enough() -> None:
    voice, _ = syllables(RATE)

    levels = [active_level(voice * 10 ** (gain / 20), rate=RATE).dbov for gain in (-12, 0, 12)]

    assert np.diff(levels) == pytest.approx([12, 12], abs=0.15)


def test_two_channels_count_by_their_mean_power() -> None:
    sound = noise(3, 0.1)

    both = active_level(np.stack([sound, sound], axis=1), rate=RATE)

    assert both == active_level(sound, rate=RATE)


def test_soft_click_has_a_level() -> None:
    click = np.zeros(RATE)
    click[5] = 1e-4

    assert active_level(click, rate=RATE).activity == 1.0


def test_silence_has_none() -> None:
    with pytest.raises(Silent):
        active_level(np.zeros(RATE), rate=RATE)
