"""The extractors together: what any clip does to them, what they say of themselves, and TRACE's vector."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from measurements.features.blueprint import GROUPS, SWITCHED_OFF, blueprint
from measurements.features.contract import Feature, Unavailable
from measurements.features.extracting import extract
from measurements.features.models.sources import NOTHING, Sources, local_model, model_at, need, why_not_there
from measurements.features.registry import DEFAULT, extractors, with_needed
from measurements.features.voice.emotion import english
from measurements.reasons import NOT_EXTRACTED
from tests.cases import each
from tests.measurements.features.speech import clip_of, said, tone
from tests.paths import PROJECT

#: TRACE, appendix C, figure 8.
KEYS = {
    "agent_response": None,
    "agent_emotion": None,
    "agent_accent": None,
    "agent_audio_quality": {
        "DNSMOS_Personalized_Signal_Quality", "DNSMOS_Personalized_Background_Quality",
        "DNSMOS_Personalized_Overall_Quality", "P808_Overall_Quality",
    },
    "agent_audio_properties": {
        "Mean_Pitch_Hz", "Std_Dev_Pitch_Hz", "Full_Pitch_Contour_Hz", "Integrated_Loudness_LUFS",
        "Std_Dev_Loudness_LUFS", "Full_Loudness_Contour_LUFS", "Speech_Rate_WPM", "Articulation_Rate_WPM",
    },
}  # fmt: skip
#: What needs no extra.
CARRIED = {"transcript", "quality", "pitch", "loudness", "voice_activity", "rates", "speaker"}
LONG = r"""
import re, sys, time
from pathlib import Path
import numpy as np
from tests.measurements.features.speech import clip_of, said
from measurements.features.extracting import extract
from measurements.features.registry import with_needed
speech = said()
samples = np.zeros(600 * 16_000, np.float32)
for start in (0, 400 * 16_000, 588 * 16_000):
    samples[start : start + len(speech)] += speech[: len(samples) - start]
samples += 1e-4 * np.random.default_rng(0).standard_normal(len(samples), np.float32)
def peak():
    # Not getrusage: its peak is inherited from the process that started this one.
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
before = peak()
begin = time.process_time()
found = extract(clip_of(samples), with_needed(["transcript", "pitch", "loudness", "rates", "speaker", "quality"]))
assert all(feature.status == "ok" for feature in found.values()), found
print(time.process_time() - begin, (peak() - before) / 1024)
"""


def test_vector_has_the_keys_and_shape_of_the_paper() -> None:
    found = blueprint(extract(clip_of(said()), with_needed(DEFAULT)))

    assert list(found.vector) == list(KEYS)
    for section in ("agent_audio_quality", "agent_audio_properties"):
        assert set(found.vector[section]) == KEYS[section]
    assert (
        found.vector["agent_audio_quality"]["P808_Overall_Quality"][1:]
        == found.vector["agent_audio_quality"]["P808_Overall_Quality"][1:4] + " / 5.00"
    )
    properties = found.vector["agent_audio_properties"]
    assert [len(properties[f"Full_{it}"]) for it in ("Pitch_Contour_Hz", "Loudness_Contour_LUFS")] == [20, 20]
    assert isinstance(properties["Articulation_Rate_WPM"], float)
    assert "two hundred and six bones" in found.vector["agent_response"]
    assert json.loads(json.dumps(found.as_json())) == found.as_json()


def test_what_is_absent_is_null_with_its_reason_and_nothing_is_invented() -> None:
    found = blueprint(extract(clip_of(said()), with_needed(["emotion", "accent", "quality"])))

    assert (found.vector["agent_emotion"], found.vector["agent_accent"]) == (None, None)
    assert "funasr" in found.missing["agent_emotion"]
    assert "speechbrain" in found.missing["agent_accent"]
    assert found.missing["agent_response"] == NOT_EXTRACTED()
    assert found.vector["agent_audio_quality"]["DNSMOS_Personalized_Overall_Quality"] is not None
    assert found.as_json()["missing"] == found.missing


def test_complete_vector_has_no_key_more() -> None:
    features = {
        "transcript": {"text": "Yes."}, "emotion": {"happy": 1.0}, "accent": {"us": 0.7},
        "quality": {"sig": 4.476, "bak": 4.7, "ovrl": 4.31, "p808": 4.2},
        "pitch": {"mean_hz": 139.38, "sd_hz": 25.25, "contour_hz": [1.0] * 20},
        "loudness": {"integrated_lufs": -18.78, "sd_lufs": 4.2, "contour_lufs": [-20.0] * 20},
        "rates": {"speech_rate_wpm": 169.57, "articulation_rate_wpm": 206.35},
    }  # fmt: skip
    found = blueprint({name: Feature(name, "1", "ok", value) for name, value in features.items()})

    assert found.missing == {}
    assert found.as_json() == found.vector
    assert found.vector["agent_audio_quality"]["DNSMOS_Personalized_Signal_Quality"] == "4.48 / 5.00"


@each("group", GROUPS)
def test_group_can_be_switched_off(group: str) -> None:
    found = blueprint({}, switched_off={group})

    assert set(found.missing.values()) == {SWITCHED_OFF, NOT_EXTRACTED()}
    assert found.vector["agent_response"] is None


@each(
    "samples",
    [np.zeros(32_000), np.zeros(0), np.array([0.1]), 0.1 * tone(300.0, seconds=0.1), np.zeros((100, 2))],
)
def test_no_clip_is_too_odd(samples: np.ndarray) -> None:
    found = extract(clip_of(samples), with_needed(DEFAULT))

    assert {feature.status for feature in found.values()} <= {"ok", "undefined", "unavailable"}
    assert all(feature.reason for feature in found.values() if feature.status != "ok")
    assert all(feature.value is None for feature in found.values() if feature.status != "ok")


def test_stereo_at_48_khz_is_heard_as_its_mean_at_16_khz() -> None:
    left, right = tone(200.0, rate=48_000), tone(200.0, rate=48_000)
    found = extract(clip_of(np.column_stack([left, right]), 48_000), with_needed(["pitch", "loudness"]))
    mono = extract(clip_of(tone(200.0)), with_needed(["pitch", "loudness"]))

    assert found["pitch"].value["mean_hz"] == pytest.approx(mono["pitch"].value["mean_hz"], abs=0.1)
    levels = [it["loudness"].value["integrated_lufs"] for it in (found, mono)]
    assert levels[0] - levels[1] == pytest.approx(3.01, abs=0.03)  # two channels, as the standard adds them


@pytest.mark.slow
def test_ten_minutes_take_bounded_time_and_memory() -> None:
    ran = subprocess.run([sys.executable, "-c", LONG], cwd=PROJECT, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, ran.stdout.split())

    assert seconds < 300
    assert megabytes < 1_500


def test_importing_the_extractors_loads_nothing_heavy() -> None:
    heavy = (
        "torch",
        "onnx",
        "onnxruntime",
        "moonshine_voice",
        "faster_whisper",
        "silero_vad",
        "librosa",
        "resemblyzer",
    )
    ask = (
        "import sys; from measurements.features.registry import extractors\n"
        "for extractor in extractors().values(): extractor.available()\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", ask], cwd=PROJECT, capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"


def test_what_packages_carry_is_available_and_extras_are_not() -> None:
    available = {name for name in DEFAULT if extractors()[name].available() is None}

    assert available == CARRIED


def test_extractors_come_after_those_they_read() -> None:
    names = [extractor.name for extractor in with_needed(["speaker", "rates"])]

    assert names == ["transcript", "voice_activity", "rates", "speaker"]


def test_version_of_rates_tells_whose_transcript_it_counted() -> None:
    carried, other = (extractors(sources)["rates"].version for sources in (NOTHING, Sources(whisper="base")))

    assert "moonshine-voice 0.0.65" in carried
    assert "base" in other


# -- where models come from ------------------------------------------------------------------------------------


def test_model_is_taken_from_the_folder_then_from_the_cache(tmp_path: Path) -> None:
    sources = Sources(folder=tmp_path / "models", cache=tmp_path / "cache")
    snapshot = tmp_path / "cache" / "models--somebody--thing" / "snapshots" / "abc"
    for place in (snapshot, tmp_path / "models" / "thing"):
        place.mkdir(parents=True)
    (snapshot / "model.pt").touch()

    assert local_model(sources, "somebody/thing", must_have="model.pt") == snapshot
    (tmp_path / "models" / "thing" / "model.pt").touch()
    assert model_at(sources, "somebody/thing", must_have="model.pt") == str(tmp_path / "models" / "thing")


def test_hub_is_asked_only_when_allowed() -> None:
    with pytest.raises(Unavailable, match="MODELS_FROM_HUB"):
        model_at(NOTHING, "somebody/thing", must_have="model.pt")
    assert model_at(Sources(may_download=True), "somebody/thing", must_have="model.pt") == "somebody/thing"
    assert why_not_there(Sources(may_download=True), "somebody/thing", must_have="model.pt") is None


def test_carried_file_that_is_not_there_says_which_package() -> None:
    with pytest.raises(Unavailable, match="speechmos"):
        need("speechmos", "nothing.onnx")


def test_labels_of_emotions_come_from_the_answer() -> None:
    assert [english(label) for label in ("中立/neutral", "<unk>", "calm")] == ["neutral", "unknown", "calm"]
