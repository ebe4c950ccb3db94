import numpy as np
import pytest

from campaigns.control_units.attention_checks.speaking_over import (
    PAUSE_S,
    DoesNotFit,
    as_wav,
    latest_lead,
    trimmed,
    with_sentence,
)
from corpus.audio.bs1770 import integrated_loudness
from corpus.audio.reading import Sound
from tests.cases import each

RATE = 16_000


def sound(samples: np.ndarray, rate: int = RATE) -> Sound:
    return Sound(samples.astype(np.float32).reshape(len(samples), -1), rate, "WAV", "FLOAT")


def tone(seconds: float, hz: float, level: float, rate: int = RATE) -> np.ndarray:
    return level * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def test_clip_keeps_its_length_its_beginning_and_its_end() -> None:
    clip = sound(tone(6, 300, 0.1))

    made = with_sentence(clip, sound(tone(1.5, 1000, 0.5, 24_000), 24_000), lead_s=1.0)

    assert (made.samples.shape, made.rate) == (clip.samples.shape, RATE)
    until, again = round(1.0 * RATE), round((1.0 + 2 * PAUSE_S + 1.5) * RATE) + 1
    np.testing.assert_array_equal(made.samples[:until], clip.samples[:until])
    np.testing.assert_array_equal(made.samples[again:], clip.samples[again:])


def test_only_the_sentence_is_heard_where_it_is_spoken_and_as_loud_as_the_clip() -> None:
    clip = sound(tone(6, 300, 0.1))
    made = with_sentence(clip, sound(tone(1.5, 1000, 0.5)), lead_s=1.0)

    spoken = made.samples[round(1.15 * RATE) : round(2.65 * RATE)].astype(np.float64)
    power = np.abs(np.fft.rfft(spoken[:, 0] * np.hanning(len(spoken)))) ** 2
    hz = np.fft.rfftfreq(len(spoken), 1 / RATE)
    of_sentence, of_clip = (power[np.abs(hz - at) < 20].sum() for at in (1000, 300))

    assert 10 * np.log10(of_sentence / of_clip) > 60
    loudness = integrated_loudness(clip.samples, rate=RATE).lufs
    assert integrated_loudness(spoken, rate=RATE).lufs == pytest.approx(loudness, abs=0.1)


def test_nothing_clicks_at_the_edges() -> None:
    clip = sound(tone(6, 300, 0.1))

    made = with_sentence(clip, sound(tone(1.5, 1000, 0.5)), lead_s=1.003)

    step = np.abs(np.diff(made.samples[:, 0][: round(1.15 * RATE)])).max()
    assert step <= np.abs(np.diff(clip.samples[:, 0])).max() * 1.01


def test_stereo_becomes_mono_and_the_same_samples_make_the_same_bytes() -> None:
    clip = sound(np.stack([tone(6, 300, 0.1), tone(6, 500, 0.1)], axis=1))
    sentence = sound(tone(1.5, 1000, 0.5))

    made = [as_wav(with_sentence(clip, sentence, lead_s=1.0)).getvalue() for _ in range(2)]

    assert made[0] == made[1]
    assert with_sentence(clip, sentence, lead_s=1.0).channels == 1


@each("seconds, within, lead", [(6.0, None, 3.0), (3.0, None, 1.2), (20.0, 3.0, 1.2), (2.31, None, 0.51)])
def test_sentence_ends_before_the_clip_and_before_what_is_asked_to_be_heard(
    seconds: float, within: float | None, lead: float
) -> None:
    room = latest_lead(sound(tone(seconds, 300, 0.1)), sound(tone(1.5, 1000, 0.1)), within_s=within)

    assert room == pytest.approx(lead)


@each("seconds, within", [(2.29, None), (20.0, 2.29)])
def test_clip_that_is_too_short_is_refused_with_how_much_is_needed(seconds: float, within: float | None) -> None:
    with pytest.raises(DoesNotFit, match=r"needs 2\.30 s and there are 2\.29 s"):
        latest_lead(sound(tone(seconds, 300, 0.1)), sound(tone(1.5, 1000, 0.1)), within_s=within)


@each(
    "clip, sentence, reason",
    [
        (np.zeros(6 * RATE), tone(1, 300, 0.1), "silent"),
        (tone(6, 300, 0.1), np.zeros(RATE), "silent"),
        (np.sign(tone(6, 3000, 0.99)), np.append(tone(1, 300, 0.05), [0.9] * 3), "clipped"),
    ],
)
def test_sentence_that_cannot_be_as_loud_as_the_clip_is_refused(
    clip: np.ndarray, sentence: np.ndarray, reason: str
) -> None:
    with pytest.raises(DoesNotFit, match=reason):
        with_sentence(sound(clip), sound(sentence), lead_s=1.0)


def test_silence_at_the_ends_of_a_recording_goes() -> None:
    spoken = sound(np.concatenate([np.zeros(RATE), tone(1, 300, 0.1), np.zeros(RATE // 2)]))

    assert trimmed(spoken, leading_s=1.0, trailing_s=0.5).seconds == pytest.approx(1.0)
