import numpy as np
import pytest
import torch
from silero_vad import get_speech_timestamps, load_silero_vad

from infrastructure.wording.reasons import TEXT
from measurements.features.contract import Feature, Unavailable, Undefined
from measurements.features.speech.rates import rates
from measurements.features.voice.activity import speech_in, speech_probabilities, voice_activity
from tests.cases import each
from tests.measurements.features.speech import clip_of, said


def with_pauses(*seconds: float) -> np.ndarray:
    """A sentence, said once more after each pause."""
    sentence = said("The green chlorophyll breaks down in autumn.")
    parts = [part for pause in seconds for part in (np.zeros(round(16_000 * pause), np.float32), sentence)]
    return np.concatenate([sentence, *parts])


def test_stretches_are_those_of_the_package() -> None:
    samples = with_pauses(0.6, 1.5)
    theirs = get_speech_timestamps(torch.from_numpy(samples), load_silero_vad(onnx=True), return_seconds=False)

    ours = speech_in(samples)

    found = [(stretch.start * 16_000, stretch.end * 16_000) for stretch in ours]
    assert np.array(found) == pytest.approx(np.array([(it["start"], it["end"]) for it in theirs]), abs=520)


def test_probabilities_do_not_depend_on_how_the_file_is_cut() -> None:
    """512 frames go in at a time; the state is handed on."""
    samples = np.resize(with_pauses(1.0), 20 * 16_000)

    whole = speech_probabilities(samples)

    assert len(whole) == 20 * 16_000 // 512
    assert speech_probabilities(samples[: 600 * 512])[:600] == pytest.approx(whole[:600], abs=1e-6)


def test_pauses_are_found_and_measured() -> None:
    none, short, long = (voice_activity(clip_of(with_pauses(*it)), {}) for it in ((), (0.8, 0.8), (1.5, 1.5)))

    assert [it["pauses"] - 3 * none["pauses"] for it in (short, long)] == [2, 2]
    assert long["longest_pause_s"] - short["longest_pause_s"] == pytest.approx(0.7, abs=0.07)
    assert long["pauses_s"] - short["pauses_s"] == pytest.approx(1.4, abs=0.14)
    assert long["speech_share"] < short["speech_share"] < none["speech_share"]


def test_nobody_speaks_in_silence_and_noise() -> None:
    for samples in (np.zeros(32_000), 0.05 * np.random.default_rng(0).standard_normal(32_000)):
        assert voice_activity(clip_of(samples), {})["speech_share"] == 0.0


def test_no_samples_have_no_share() -> None:
    with pytest.raises(Undefined):
        voice_activity(clip_of(np.zeros(0)), {})


def given(text: str, speech_s: float) -> dict[str, Feature]:
    return {
        "transcript": Feature("transcript", "1", "ok", {"text": text}),
        "voice_activity": Feature("voice_activity", "1", "ok", {"speech_s": speech_s}),
    }


def test_rates_count_words_by_the_minute_with_and_without_pauses() -> None:
    found = rates(clip_of(np.zeros(16_000 * 10)), given("Don't say that — it's ten o'clock.", 5.0))

    assert found == {"words": 6, "speech_rate_wpm": 36.0, "articulation_rate_wpm": 72.0}


@each("text, speech_s", [("", 5.0), ("Ten.", 0.0)])
def test_rates_are_undefined_without_words_or_speech(text: str, speech_s: float) -> None:
    with pytest.raises(Undefined):
        rates(clip_of(np.zeros(16_000)), given(text, speech_s))


def test_rates_say_why_there_is_no_transcript() -> None:
    why = TEXT(text="No recogniser.")
    without = given("", 1.0) | {"transcript": Feature("transcript", "1", "unavailable", reason=why)}

    with pytest.raises(Unavailable, match="No recogniser"):
        rates(clip_of(np.zeros(16_000)), without)
