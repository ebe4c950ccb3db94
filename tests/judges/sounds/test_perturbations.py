import json

import numpy as np
import pytest

from campaigns.audio.signals.noisy_speech import syllables
from corpus.audio.reading import read_sound
from judges.sounds.perturbations import FLAGS, NAMES, Perturbation, Unperturbable
from judges.sounds.speech_level import active_level
from tests.cases import each

RATE = 16_000


@pytest.fixture(scope="module")
def voice() -> np.ndarray:
    return (syllables(RATE)[0] * 0.5).astype(np.float32)


def dominant_hz(samples: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * RATE / len(samples))


@each("snr", [-5, 0, 1, 10, 20, 30])
def test_noise_has_the_ratio_to_the_active_speech(voice: np.ndarray, snr: float) -> None:
    result = Perturbation("white_noise", snr).perturbed(voice, RATE)

    noise = result.samples.astype(np.float64) - voice
    noise_db = 10 * np.log10(np.mean(noise**2))
    assert result.clipped == 0
    assert active_level(voice, rate=RATE).dbov - noise_db == pytest.approx(snr, abs=0.1)


def test_noise_ratio_holds_on_real_speech(shared_data) -> None:
    sound = read_sound(sorted((shared_data / "audio" / "clips").glob("*.flac"))[0], name="")

    result = Perturbation("white_noise", 10).perturbed(sound.samples, sound.rate)

    noise_db = 10 * np.log10(np.mean((result.samples.astype(np.float64) - sound.samples) ** 2))
    assert active_level(sound.samples, rate=sound.rate).dbov - noise_db == pytest.approx(10, abs=0.1)


def test_noise_is_white(voice: np.ndarray) -> None:
    noise = Perturbation("white_noise", 0).apply(voice, RATE).astype(np.float64) - voice
    power = np.abs(np.fft.rfft(noise)) ** 2

    quarters = [part.mean() for part in np.array_split(power[1:], 4)]

    assert np.array(quarters) / np.mean(quarters) == pytest.approx(np.ones(4), abs=0.15)


def test_noise_is_the_same_each_time_and_scales_between_ratios(voice: np.ndarray) -> None:
    at_0, again, at_20 = (Perturbation("white_noise", snr).apply(voice, RATE) for snr in (0, 0, 20))

    assert np.array_equal(at_0, again)
    assert at_20.astype(np.float64) - voice == pytest.approx((at_0.astype(np.float64) - voice) / 10, abs=1e-6)


def test_noise_differs_by_seed_and_by_content(voice: np.ndarray) -> None:
    other = voice.copy()
    other[100] += 0.01
    first = Perturbation("white_noise", 0).apply(voice, RATE) - voice

    assert not np.allclose(first, Perturbation("white_noise", 0, seed=1).apply(voice, RATE) - voice)
    assert not np.allclose(first, Perturbation("white_noise", 0).apply(other, RATE) - other)


def test_silence_takes_no_noise() -> None:
    with pytest.raises(Unperturbable, match="signal-to-noise"):
        Perturbation("white_noise", 10).apply(np.zeros(RATE), RATE)


@pytest.mark.parametrize("gain", [-20, -6, 6])
def test_gain_moves_the_level(voice: np.ndarray, gain: float) -> None:
    result = Perturbation("gain", gain).perturbed(voice, RATE)

    assert result.clipped == 0
    ratio = np.sqrt(np.mean(result.samples.astype(np.float64) ** 2) / np.mean(voice.astype(np.float64) ** 2))
    assert 20 * np.log10(ratio) == pytest.approx(gain, abs=0.001)


def test_gain_says_what_it_clipped() -> None:
    result = Perturbation("gain", 20).perturbed(np.array([0.05, -0.2, 0.5, 0.01]), RATE)

    assert result.clipped == 2
    assert result.samples == pytest.approx([0.5, -1.0, 1.0, 0.1])


@each("percent", [-40, -20, 0, 25, 60, 100])
def test_speed_changes_duration_and_pitch_by_the_same_ratio(percent: float) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 400 * np.arange(2 * RATE) / RATE)

    faster = Perturbation("speed", percent).apply(tone, RATE)

    assert len(faster) == pytest.approx(2 * RATE / (1 + percent / 100), abs=1)
    assert dominant_hz(faster) == pytest.approx(400 * (1 + percent / 100), abs=2)
    assert np.sqrt(np.mean(faster**2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.01)


def test_trailing_silence_is_digital_and_at_the_end(voice: np.ndarray) -> None:
    longer = Perturbation("trailing_silence", 1.5).apply(voice, RATE)

    assert len(longer) == len(voice) + 24_000
    assert np.array_equal(longer[: len(voice)], voice)
    assert not longer[len(voice) :].any()


@pytest.mark.parametrize("name", sorted(FLAGS))
def test_flags_leave_the_clip_alone(voice: np.ndarray, name: str) -> None:
    flag = Perturbation(name)

    assert not flag.changes_audio
    assert np.array_equal(flag.apply(voice, RATE), voice)


@each("perturbation", [Perturbation(name, 3 * (name not in FLAGS)) for name in NAMES])
def test_stereo_stays_stereo(perturbation: Perturbation, voice: np.ndarray) -> None:
    both = np.stack([voice, voice / 2], axis=1)

    assert perturbation.apply(both, RATE).shape[1] == 2


@each("name", NAMES)
def test_json_comes_back_as_it_went(name: str) -> None:
    one = Perturbation(name, 0 if name in FLAGS else 12.5, seed=3)

    assert Perturbation.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_titles_tell_all_apart() -> None:
    titles = {Perturbation(name, 0 if name in FLAGS else 6).title for name in NAMES}

    assert titles == {
        "white noise at 6 dB SNR",
        "gain +6 dB",
        "speed +6 %, pitch with it",
        "6 s of silence at the end",
        "swapped order",
        "transcript only",
    }


@each(
    "data",
    [
        {"name": "reverb"},
        {"value": 3},
        {"name": "gain", "value": "loud"},
        {"name": "gain", "value": float("nan")},
        {"name": "gain", "value": True},
        {"name": "gain", "value": 200},
        {"name": "speed", "value": -100},
        {"name": "trailing_silence", "value": -1},
        {"name": "swapped_order", "value": 1},
        {"name": "gain", "value": 1, "seed": -1},
        {"name": "gain", "value": 1, "more": 1},
    ],
)
def test_nonsense_is_refused(data: dict) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Perturbation.from_json(data)


@each("samples", [np.zeros(0), np.zeros((2, 2, 2)), np.array([0.1, np.nan])])
def test_what_is_no_clip_is_refused(samples: np.ndarray) -> None:
    with pytest.raises(Unperturbable):
        Perturbation("gain", 1).apply(samples, RATE)
