from dataclasses import replace

import numpy as np
import pytest

from corpus.audio.audit import Audit, _Silence, audit_sound
from corpus.audio.reading import Sound
from tests.cases import each

RATE = 16_000


def sound(samples: np.ndarray, *, encoding: str = "PCM_16", rate: int = RATE) -> Sound:
    return Sound(samples=samples.astype(np.float32), rate=rate, container="WAV", encoding=encoding)


def mono(values: list[float]) -> Sound:
    return sound(np.array(values)[:, np.newaxis])


def tone(seconds: float, *, peak: float = 0.5, rate: int = RATE) -> np.ndarray:
    times = np.arange(round(seconds * rate)) / rate
    return (peak * np.sin(2 * np.pi * 1_000 * times))[:, np.newaxis]


def silence(seconds: float, *, rate: int = RATE) -> np.ndarray:
    return np.zeros((round(seconds * rate), 1))


def test_audit_tells_what_the_clip_is_and_what_was_measured():
    clip = Sound(samples=np.repeat(tone(2.0), 2, axis=1), rate=RATE, container="FLAC", encoding="PCM_24")

    audit = audit_sound(clip)

    assert audit == Audit(
        seconds=2.0,
        rate=RATE,
        channels=2,
        container="FLAC",
        encoding="PCM_24",
        integrated_lufs=pytest.approx(-6.02, abs=0.05),
        loudness_note="",
        true_peak_dbtp=pytest.approx(-6.02, abs=0.05),
        clipped_samples=0,
        leading_silence_s=0.0,
        trailing_silence_s=0.0,
        inner_silence_s=0.0,
        longest_pause_s=0.0,
        sound_sha256=audit_sound(replace(clip, container="WAV")).sound_sha256,
    )


def test_the_same_samples_are_the_same_sound_whatever_holds_them():
    clip = sound(tone(0.1))
    others = [replace(clip, rate=clip.rate * 2), sound(-tone(0.1)), sound(np.repeat(tone(0.1), 2, axis=1))]

    same = replace(clip, container="FLAC", encoding="PCM_24")

    assert audit_sound(same).sound_sha256 == audit_sound(clip).sound_sha256
    assert len({audit_sound(it).sound_sha256 for it in (clip, *others)}) == 4


def test_digital_silence_is_audited_without_levels():
    audit = audit_sound(sound(silence(1.25)))

    assert audit.integrated_lufs is None
    assert audit.loudness_note == "digital silence has no loudness"
    assert audit.true_peak_dbtp is None
    assert (audit.leading_silence_s, audit.trailing_silence_s) == (1.25, 0.0)


@each("frames", [1, 2, 159, 160, 161])
def test_clip_of_a_few_frames_is_audited(frames):
    audit = audit_sound(sound(np.full((frames, 1), 0.5)))
    assert audit.seconds == frames / RATE
    assert (audit.leading_silence_s, audit.trailing_silence_s) == (0.0, 0.0)


TOP = 32_767 / 32_768


@each(
    "values, expected",
    [
        ([0, 0.5, TOP, TOP, 0.5], 0),
        ([0, 0.5, TOP, TOP, TOP, 0.5], 3),
        ([0, -1, -1, -1, -1, 0], 4),
        ([TOP, TOP, TOP, 0, -1, -1, 0, -1, -1, -1], 6),
        ([1.3, 1.2, 1.1, 0], 3),
        ([TOP, TOP, 32_766 / 32_768, TOP, TOP], 0),
        ([TOP] * 10, 10),
    ],
)
def test_clipping_is_three_or_more_samples_in_a_row_at_full_scale(values, expected):
    assert audit_sound(mono(values)).clipped_samples == expected


def test_clipping_is_counted_in_each_channel_by_itself():
    left = [0, 0, 0, TOP, TOP]
    right = [TOP, TOP, 0, TOP, 0]
    both = [0, TOP, TOP, TOP, 0]

    assert audit_sound(sound(np.array([left, right]).T)).clipped_samples == 0
    assert audit_sound(sound(np.array([both, both]).T)).clipped_samples == 6


@each("encoding, top", [("PCM_U8", 127 / 128), ("ULAW", 32_124 / 32_768), ("ALAW", 32_256 / 32_768)])
def test_clipping_knows_the_highest_code_of_coarse_encodings(encoding, top):
    samples = np.array([0, top, top, top, 0])[:, np.newaxis]
    assert audit_sound(sound(samples, encoding=encoding)).clipped_samples == 3
    assert audit_sound(sound(samples, encoding="PCM_16")).clipped_samples == 0


@each("rate", [8_000, 16_000, 44_100])
def test_silence_at_both_ends_is_measured_to_ten_milliseconds(rate):
    samples = np.vstack([silence(0.3, rate=rate), tone(1.0, rate=rate), silence(0.7, rate=rate)])

    audit = audit_sound(sound(samples, rate=rate))

    assert audit.leading_silence_s == pytest.approx(0.3, abs=0.0101)
    assert audit.trailing_silence_s == pytest.approx(0.7, abs=0.0101)


def test_pause_inside_the_clip_is_not_silence_at_its_ends():
    audit = audit_sound(sound(np.vstack([tone(0.5), silence(1.0), tone(0.5)])))
    assert (audit.leading_silence_s, audit.trailing_silence_s) == (0.0, 0.0)
    assert (audit.inner_silence_s, audit.longest_pause_s) == (1.0, 1.0)


def test_silence_inside_is_added_up_and_its_longest_piece_is_the_longest_pause():
    parts = [silence(3.0), tone(0.5), silence(0.2), tone(0.5), silence(2.4), tone(0.01), silence(4.0)]
    audit = audit_sound(sound(np.vstack(parts)))
    assert audit.inner_silence_s == pytest.approx(2.6)
    assert audit.longest_pause_s == pytest.approx(2.4)


@each("frames", [1, 7, 160, 1_000, 16_001])
def test_pauses_do_not_depend_on_the_blocks_in_which_a_clip_is_read(frames):
    samples = np.vstack([tone(0.3), silence(0.5), tone(0.105), silence(1.1), tone(0.2)]).astype(np.float32)
    silent = _Silence(RATE, 1)
    for begin in range(0, len(samples), frames):
        silent.add(samples[begin : begin + frames])
    silent.at_ends()
    whole = audit_sound(sound(samples))
    assert (silent.inner_frames / RATE, silent.longest_pause / RATE) == (whole.inner_silence_s, whole.longest_pause_s)


@each("rms_dbfs, leading", [(-60.1, 0.5), (-59.9, 0.0)])
def test_silence_is_below_minus_60_dbfs_rms(rms_dbfs, leading):
    hiss = tone(0.5, peak=10 ** (rms_dbfs / 20) * np.sqrt(2))
    audit = audit_sound(sound(np.vstack([hiss, tone(1.0)])))
    assert audit.leading_silence_s == leading


def test_one_speaking_channel_breaks_the_silence():
    samples = np.hstack([silence(1.0), np.vstack([silence(0.2), tone(0.8)])])
    assert audit_sound(sound(samples)).leading_silence_s == pytest.approx(0.2)


def test_sound_in_the_last_shorter_stretch_counts():
    samples = np.vstack([silence(1.0), np.full((10, 1), 0.5)])
    audit = audit_sound(sound(samples))
    assert (audit.leading_silence_s, audit.trailing_silence_s) == (1.0, 0.0)
