import csv
import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile

from corpus.demo.defects import add_white_noise, clip_hard, flatten_pitch
from corpus.demo.script import DEMO_ITEMS
from corpus.demo.speech import COLUMNS, DEMO_SYSTEMS, write_demo_dataset

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_demo_dataset(folder)
    return folder


@pytest.fixture
def tone():
    return (0.4 * np.sin(2 * np.pi * 220.0 * np.arange(24_000) / 24_000)).astype(np.float32)


def run_python(code, *arguments):
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return result.stdout


def manifest_rows(folder):
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        return list(csv.DictReader(manifest))


def digests(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def response(folder, system, key):
    samples, rate = soundfile.read(folder / "audio" / system / f"{key}.flac")
    return samples, rate


def seconds(folder, system, key):
    return soundfile.info(folder / "audio" / system / f"{key}.flac").duration


def pitch_track(samples, rate):
    """F0 in Hz of the clearly voiced 40 ms frames: the highest autocorrelation peak from 70 to 400 Hz."""
    width, hop = int(0.04 * rate), int(0.01 * rate)
    frames = np.lib.stride_tricks.sliding_window_view(samples, width)[::hop]
    frames = frames - frames.mean(axis=1, keepdims=True)
    loud = frames.std(axis=1)
    frames = frames[loud > 0.2 * loud.max()]
    spectrum = np.abs(np.fft.rfft(frames, 2 * width)) ** 2
    correlation = np.fft.irfft(spectrum)[:, :width] / np.arange(width, 0, -1)
    shortest, longest = rate // 400, rate // 70
    lags = shortest + correlation[:, shortest:longest].argmax(axis=1)
    strength = correlation[np.arange(len(lags)), lags] / correlation[:, 0]
    return rate / lags[strength > 0.7]


def pitch_spread(samples, rate):
    """Interquartile range of F0 in semitones: octave slips of the tracker are outliers and do not count."""
    low, high = np.percentile(pitch_track(samples, rate), [25, 75])
    return 12.0 * np.log2(high / low)


@pytest.mark.parametrize("snr_db", [-5.0, 0.0, 10.0, 30.0])
def test_white_noise_has_the_stated_snr(tone, snr_db):
    noise = add_white_noise(tone, snr_db=snr_db, rng=np.random.default_rng(1)).astype(np.float64) - tone

    measured = 10.0 * np.log10(np.mean(tone.astype(np.float64) ** 2) / np.mean(noise**2))

    assert measured == pytest.approx(snr_db, abs=1e-3)


def test_white_noise_repeats_with_its_generator(tone):
    first, second, other = (add_white_noise(tone, snr_db=10.0, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))

    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_white_noise_refuses_silence():
    with pytest.raises(ValueError, match="silence"):
        add_white_noise(np.zeros(10, np.float32), snr_db=10.0, rng=np.random.default_rng(1))


def test_clip_hard_amplifies_then_clamps(tone):
    clipped = clip_hard(tone, drive_db=20.0)

    assert clipped.dtype == np.float32
    np.testing.assert_allclose(clipped, np.clip(10.0 * tone, -1.0, 1.0), rtol=1e-6)
    # |sin| exceeds 1/4 on this part of a cycle.
    assert np.mean(np.abs(clipped) == 1.0) == pytest.approx(1.0 - 2.0 * np.arcsin(0.25) / np.pi, abs=0.01)


def test_clip_hard_without_overload_changes_nothing(tone):
    assert np.array_equal(clip_hard(tone, drive_db=0.0), tone)


def test_flatten_pitch_scales_voiced_excursions_only():
    f0 = np.array([0.5, 150.0, 250.0, -1.0], np.float32)

    assert flatten_pitch(f0, spread=1.0).tolist() == f0.tolist()
    assert flatten_pitch(f0, spread=0.5).tolist() == [0.5, 175.0, 225.0, -1.0]
    assert flatten_pitch(f0, spread=0.0).tolist() == [0.5, 200.0, 200.0, -1.0]


def test_flatten_pitch_leaves_an_unvoiced_contour_alone():
    f0 = np.array([0.0, 1.0, -1.0], np.float32)

    assert flatten_pitch(f0, spread=0.0).tolist() == f0.tolist()


def test_script_has_eight_distinct_items_per_category():
    assert Counter(item.category for item in DEMO_ITEMS) == {"facts": 8, "delivery": 8, "conversation": 8}
    assert len({item.key for item in DEMO_ITEMS}) == 24
    assert len({text for item in DEMO_ITEMS for text in (item.prompt, item.answer, item.wrong_answer)}) == 72


def test_script_lines_are_short():
    assert max(len(text.split()) for item in DEMO_ITEMS for text in (item.answer, item.wrong_answer)) <= 16


def test_manifest_has_one_row_per_item_and_system(dataset):
    rows = manifest_rows(dataset)

    assert tuple(rows[0]) == COLUMNS
    assert [(row["item"], row["system"]) for row in rows] == [
        (item.key, system.name) for item in DEMO_ITEMS for system in DEMO_SYSTEMS
    ]
    assert {row["turn"] for row in rows} == {"1"}


def test_manifest_repeats_the_words_that_are_spoken(dataset):
    script = {item.key: item for item in DEMO_ITEMS}

    for row in manifest_rows(dataset):
        item = script[row["item"]]
        assert (row["category"], row["prompt_text"]) == (item.category, item.prompt)
        assert row["response_text"] == (item.wrong_answer if row["system"] == "flint" else item.answer)


def test_manifest_names_every_file_and_nothing_else(dataset):
    named = {row[column] for row in manifest_rows(dataset) for column in ("prompt_audio", "response_audio")}

    assert named == {path.relative_to(dataset).as_posix() for path in dataset.glob("audio/*/*")}
    assert len(named) == 24 * 7


def test_audio_is_readable_mono_of_sensible_length_and_level(dataset):
    for path in dataset.glob("audio/*/*"):
        samples, _rate = soundfile.read(path)
        info = soundfile.info(path)
        peak_dbfs = 20.0 * np.log10(np.abs(samples).max())

        assert (info.format, info.subtype, info.channels) == ("FLAC", "PCM_16", 1), path
        assert 1.0 <= info.duration <= 12.0, path
        assert peak_dbfs == pytest.approx(0.0 if path.parent.name == "cinder" else -3.0, abs=0.01), path


@pytest.mark.parametrize("key", [item.key for item in DEMO_ITEMS])
def test_noisy_system_is_the_clean_one_at_10_db(dataset, key):
    clean, _rate = response(dataset, "aurora", key)
    noisy, _rate = response(dataset, "breeze", key)
    gain = (noisy @ clean) / (clean @ clean)

    noise = noisy - gain * clean

    assert 10.0 * np.log10(np.mean((gain * clean) ** 2) / np.mean(noise**2)) == pytest.approx(10.0, abs=0.1)


@pytest.mark.parametrize("key", [item.key for item in DEMO_ITEMS])
def test_distorted_system_is_the_clean_one_clipped(dataset, key):
    clean, _rate = response(dataset, "aurora", key)
    distorted, _rate = response(dataset, "cinder", key)

    overloaded = np.clip(10.0 * clean / np.abs(clean).max(), -1.0, 1.0)

    np.testing.assert_allclose(distorted, overloaded, atol=1e-3)
    assert np.mean(np.abs(distorted) > 0.999) > 0.05


@pytest.mark.parametrize("key", [item.key for item in DEMO_ITEMS])
def test_hurried_system_takes_much_less_time(dataset, key):
    assert seconds(dataset, "dune", key) < 0.7 * seconds(dataset, "aurora", key)


@pytest.mark.parametrize("key", [item.key for item in DEMO_ITEMS])
def test_monotone_system_is_much_flatter_and_as_long(dataset, key):
    assert pitch_spread(*response(dataset, "ember", key)) < 0.35 * pitch_spread(*response(dataset, "aurora", key))
    assert seconds(dataset, "ember", key) == seconds(dataset, "aurora", key)


@pytest.mark.slow
def test_same_seed_writes_the_same_bytes_in_another_process(dataset, tmp_path):
    run_python(
        "import sys; from pathlib import Path; from corpus.demo.speech import write_demo_dataset;"
        "write_demo_dataset(Path(sys.argv[1]))",
        str(tmp_path),
    )

    assert digests(tmp_path) == digests(dataset)


def test_import_loads_no_synthesiser():
    loaded = run_python(
        "import sys, corpus.demo.speech;"
        "print({'django', 'hibari', 'onnxruntime', 'py_nanotts', 'scipy'} & set(sys.modules))"
    )

    assert loaded == "set()\n"
