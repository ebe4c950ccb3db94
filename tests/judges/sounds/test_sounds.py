from dataclasses import replace

import numpy as np
import pytest
import soundfile

from corpus.audio.bs1770 import integrated_loudness
from judges.kinds.contract import Sound
from judges.sounds import signals
from judges.sounds.recordings import GAP_S, Form, Piece, alone, in_form, together
from judges.sounds.signals import Signal, explained, seconds_of, sounding
from tests.cases import each
from tests.judges.kinds.hearing import a_clip, decoded, pitches
from tests.needs import lacking

TONES = Form(spelling="tones")
PROMPT, FIRST, SECOND = Signal("prompt"), Signal("response", 1), Signal("response", 2)


def test_pieces_come_one_after_the_other_each_behind_its_signals() -> None:
    pieces = [
        Piece(a_clip(300), (Signal("test"), PROMPT)),
        Piece(a_clip(400), (FIRST,)),
        Piece(a_clip(600), (SECOND,)),
    ]

    part = together(pieces, TONES)

    assert pitches(part) == [1500, 750, 300, 1000, 400, 1000, 1000, 600]
    assert part.holds == (
        "signal: Test", "signal: Prompt", "clip clip-300",
        "signal: Response 1", "clip clip-400", "signal: Response 2", "clip clip-600",
    )  # fmt: skip


@each("rate", [16_000, 24_000])
@each("from_rate", [16_000, 22_050, 48_000])
def test_file_has_the_rate_and_the_length_that_were_told(rate: int, from_rate: int) -> None:
    clips = [a_clip(300, seconds=0.7, rate=from_rate), a_clip(500, seconds=1.3, rate=from_rate)]

    part = together([Piece(clip, (FIRST,)) for clip in clips], replace(TONES, rate=rate))

    samples, got = decoded(part.wav())
    signal_s = len(sounding(FIRST, spelling="tones", rate=rate)) / rate
    assert got == part.rate == rate
    assert part.seconds == pytest.approx(2 * signal_s + 2.0 + GAP_S)
    assert len(samples) / rate == pytest.approx(part.seconds, abs=0.001)


def test_a_clip_alone_has_no_signal_and_is_the_clip() -> None:
    samples, _ = decoded(alone(a_clip(440), TONES).wav())

    assert np.abs(samples - a_clip(440).read()[0]).max() <= 1 / 32_768


def test_nothing_is_decoded_before_the_file_is_wanted() -> None:
    def read() -> tuple[np.ndarray, int]:
        raise AssertionError("it was decoded")

    part = together([Piece(Sound("x", 1.0, read))], TONES)

    with pytest.raises(AssertionError, match="it was decoded"):
        part.wav()


def test_hash_tells_apart_whatever_changes_the_file_and_nothing_else() -> None:
    base = [Piece(a_clip(300), (FIRST,)), Piece(a_clip(400), (SECOND,))]
    others = [
        (base, replace(TONES, rate=24_000)),
        (base, replace(TONES, level="even")),
        (base, replace(TONES, spelling="spoken")),
        (base[::-1], TONES),
        (base[:1], TONES),
        ([base[0], Piece(a_clip(401), (SECOND,))], TONES),
        ([base[0], Piece(a_clip(400), (FIRST,))], TONES),
    ]

    assert len({together(base, TONES).sha256, *(together(*other).sha256 for other in others)}) == 8
    assert together(list(base), TONES) == together(base, Form(spelling="tones"))


def test_even_level_brings_clips_to_one_loudness_unless_that_would_clip() -> None:
    quiet, peaky = a_clip(1000, seconds=2), Sound("peaky", 2.0, lambda: (_peaky(), 16_000))

    evened = in_form(*quiet.read(), form=Form(level="even"))
    limited = in_form(*peaky.read(), form=Form(level="even"))

    assert integrated_loudness(evened[:, np.newaxis], rate=16_000).lufs == pytest.approx(-23.0, abs=0.1)
    assert np.abs(limited).max() == pytest.approx(0.99)


def test_silence_stays_silence() -> None:
    assert not in_form(np.zeros(16_000), 16_000, form=Form(level="even")).any()


def test_what_is_beyond_full_scale_is_clipped_and_does_not_wrap() -> None:
    loud = Sound("loud", 0.1, lambda: (np.array([2.0, -2.0] * 800), 16_000))

    samples, _ = decoded(alone(loud, TONES).wav())

    assert (samples.max(), samples.min()) == (32_767 / 32_768, -1.0)


def test_spoken_signals_have_one_beep_and_then_a_voice_that_is_the_same_every_time() -> None:
    said = sounding(SECOND, spelling="spoken", rate=16_000)
    signals._spoken.cache_clear()

    again = sounding(SECOND, spelling="spoken", rate=16_000)

    beep = sounding(FIRST, spelling="tones", rate=16_000)
    assert np.array_equal(said, again)
    assert len(said) > 2 * len(beep)
    assert np.array_equal(said[: round(0.15 * 16_000)], beep[: round(0.15 * 16_000)])


@each("signal", [SECOND, Signal("example", 8), Signal("response", 26, turn=17), PROMPT, Signal("test")])
@each("spelling", ["tones", "spoken"])
def test_length_of_a_signal_is_known_before_it_is_made(signal: Signal, spelling: signals.Spelling) -> None:
    made = sounding(signal, spelling=spelling, rate=24_000)

    assert len(made) / 24_000 == pytest.approx(seconds_of(signal, spelling=spelling))


def test_long_words_are_spoken_faster_and_are_not_cut_off() -> None:
    long = signals._spoken("Response 26, turn 17", 1.3, 16_000)
    usual = signals._spoken("Response 2", 1.3, 16_000)

    assert (len(long), len(usual)) == (20_800, 20_800)
    assert np.abs(usual[-3_000:]).max() < 1e-3 < np.abs(long[-6_000:]).max()
    assert np.abs(long[-400:]).max() < 0.05 * np.abs(long).max()


def test_planning_a_request_needs_no_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    def voice() -> None:
        raise AssertionError("it was loaded")

    monkeypatch.setattr(signals, "hibari_voice", voice)
    signals._spoken.cache_clear()

    assert together([Piece(a_clip(300), (SECOND,))], Form()).seconds == pytest.approx(0.5 + 0.25 + 1.3 + 0.3)


def test_number_and_turn_can_be_counted() -> None:
    part = together([Piece(a_clip(300), (Signal("response", 3, turn=2),))], TONES)

    assert pitches(part) == [1000, 1000, 1000, 2000, 2000, 300]


def test_prompt_explains_the_signals_that_are_used_and_no_others() -> None:
    said = explained([PROMPT, FIRST], spelling="tones")

    assert ("750 Hz" in said, "1000 Hz" in said, "1500 Hz" in said, "2000 Hz" in said) == (True, True, False, False)
    assert "2000 Hz" in explained([Signal("response", 1, turn=2)], spelling="tones")


def _peaky() -> np.ndarray:
    """Quiet noise with one click: at -23 LUFS the click would be beyond full scale."""
    samples = 0.001 * np.random.default_rng(0).standard_normal(32_000)
    samples[16_000] = 0.5
    return samples


def test_real_clips_come_out_as_long_as_they_are(shared_data: object) -> None:
    folder = shared_data / "audio" / "clips"  # type: ignore[operator]
    if not folder.is_dir():
        lacking("the real clips are not there")
    paths = sorted(folder.glob("*.flac"), key=lambda path: path.stat().st_size)[:3]
    clips = [
        Sound(path.name, soundfile.info(path).duration, lambda path=path: soundfile.read(path)) for path in paths
    ]

    part = together([Piece(clip, (FIRST,)) for clip in clips], replace(TONES, rate=24_000))

    samples, rate = decoded(part.wav())
    assert len(samples) / rate == pytest.approx(part.seconds, abs=0.001)
    assert sum(clip.seconds for clip in clips) > 10
