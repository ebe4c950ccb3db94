"""DNSMOS against the package whose networks it runs, and against planted faults."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from speechmos import dnsmos

from corpus.audio.reading import read_sound
from corpus.demo.defects import add_white_noise, clip_hard
from measurements.features.blueprint import out_of_five
from measurements.features.contract import ClipSound, Undefined
from measurements.features.sound.dnsmos import quality, windows
from tests.cases import each
from tests.measurements.features.speech import clip_of, said

SCORES = {"sig": "sig_mos", "bak": "bak_mos", "ovrl": "ovrl_mos", "p808": "p808_mos"}


@pytest.fixture(scope="module")
def reference() -> Any:
    """`speechmos` as it is, on one thread."""

    def session(path: str) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(path, options)

    dnsmos.ort = SimpleNamespace(InferenceSession=session)
    return lambda samples: dnsmos.run(samples, 16_000, "dnsmos_personalized")


def noise(seconds: float, seed: int = 1) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    shape = np.abs(np.sin(np.arange(round(seconds * 16_000)) / 5_000))
    return (0.1 * shape * rng.standard_normal(len(shape))).clip(-1, 1).astype(np.float32)


@each("seconds", [0.1, 2.7, 9.0, 9.01, 9.5, 12.34, 26.5])
def test_scores_are_those_of_the_package(reference: Any, seconds: float) -> None:
    samples = noise(seconds)

    ours, theirs = quality(clip_of(samples), {}), reference(samples)

    for name, their_name in SCORES.items():
        assert ours[name] == pytest.approx(float(theirs[their_name]), abs=3e-6)


def test_scores_of_real_clips_are_those_of_the_package(reference: Any, shared_data: Path) -> None:
    for path in sorted((shared_data / "audio" / "clips").glob("*.flac"))[1:4]:
        clip = ClipSound(read_sound(path, name=path.name))
        ours, theirs = quality(clip, {}), reference(clip.mono.clip(-1, 1))

        for name, their_name in SCORES.items():
            assert ours[name] == pytest.approx(float(theirs[their_name]), abs=3e-6)
            assert out_of_five(ours[name]) == f"{theirs[their_name]:.2f} / 5.00"


def test_reference_leaves_windows_out_and_the_corrected_rule_does_not() -> None:
    assert windows(30 * 16_000, "reference") == list(range(7))
    assert windows(30 * 16_000, "every_window") == list(range(21))
    assert windows(40 * 16_000, "reference") == [*range(7), *range(24, 31)]


def test_corrected_rule_scores_what_comes_late() -> None:
    samples = np.resize(said(), 27 * 16_000)
    spoilt = samples.copy()
    spoilt[17 * 16_000 :] = noise(10.0)
    clean, late = (quality(clip_of(it), {}) for it in (samples, spoilt))

    corrected = quality(clip_of(spoilt), {}, rule="every_window")

    assert late["ovrl"] == clean["ovrl"]
    assert (late["windows"], late["windows_dropped"]) == (7, 11)
    assert corrected["ovrl"] < late["ovrl"] - 0.2
    assert corrected["windows"] == 18


def test_corrected_rule_is_the_mean_of_windows_scored_alone(reference: Any) -> None:
    samples = noise(20.0)
    alone = [reference(samples[k * 16_000 : k * 16_000 + 144_160]) for k in range(11)]

    together = quality(clip_of(samples), {}, rule="every_window")

    for name, their_name in SCORES.items():
        assert together[name] == pytest.approx(np.mean([float(it[their_name]) for it in alone]), abs=3e-6)


def test_noise_lowers_the_overall_score_step_by_step() -> None:
    rng = np.random.default_rng(3)
    clean = quality(clip_of(said()), {})["ovrl"]
    noisy = [
        quality(clip_of(add_white_noise(said(), snr_db=db, rng=rng)), {})["ovrl"] for db in (30.0, 20.0, 10.0, 0.0)
    ]

    assert clean > 4.2
    assert [clean, *noisy] == sorted([clean, *noisy], reverse=True)
    assert noisy[-1] < 2.2


def test_clipping_lowers_the_overall_score() -> None:
    clean, clipped = (quality(clip_of(it), {})["ovrl"] for it in (said(), clip_hard(said(), drive_db=20.0)))

    assert clipped < clean - 1


@each("samples", [np.zeros(32_000), np.zeros(0)])
def test_silence_has_no_quality(samples: NDArray[np.float64]) -> None:
    with pytest.raises(Undefined):
        quality(clip_of(samples), {})


def test_level_at_which_scores_were_taken_is_told() -> None:
    louder, softer = (quality(clip_of(said() * gain), {}) for gain in (1.0, 0.1))

    assert louder["level_dbfs"] - softer["level_dbfs"] == pytest.approx(20.0, abs=0.02)
    assert softer["ovrl"] < louder["ovrl"]
