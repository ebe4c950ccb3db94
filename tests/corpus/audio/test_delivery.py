import copy
import io
import struct

import numpy as np
import pyloudnorm
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.audio.delivery import Delivered, DeliveryForm, Undeliverable, deliver
from corpus.audio.reading import Sound, read_sound
from tests.cases import each

MATCHED = DeliveryForm(rate=16_000, target_lufs=-23.0)
AS_IT_IS = DeliveryForm(rate=16_000, target_lufs=None)


def sound(samples: np.ndarray, *, rate: int = 16_000) -> Sound:
    return Sound(samples=samples.astype(np.float32), rate=rate, container="WAV", encoding="PCM_16")


def tone(seconds: float = 2.0, *, peak: float = 0.1, frequency: float = 440.0, rate: int = 16_000) -> np.ndarray:
    times = np.arange(round(seconds * rate)) / rate
    return (peak * np.sin(2 * np.pi * frequency * times))[:, np.newaxis]


def noise(seconds: float = 2.0, *, level: float = 0.05, rate: int = 16_000, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, level, (round(seconds * rate), 1))


def heard(delivered: Delivered) -> np.ndarray:
    samples, _ = soundfile.read(io.BytesIO(delivered.wav), dtype="float64")
    return samples


def refused(clip: Sound, form: DeliveryForm, **options: float) -> Undeliverable:
    with pytest.raises(Undeliverable) as caught:
        deliver(clip, form, **options)
    return caught.value


def test_file_is_a_canonical_header_and_the_samples_and_nothing_else():
    delivered = deliver(sound(tone()), MATCHED)

    size = 2 * 32_000
    header = struct.pack("<4sI4s4sIHHI", b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, 16_000)
    header += struct.pack("<IHH4sI", 32_000, 2, 16, b"data", size)
    assert delivered.wav[:44] == header
    assert len(delivered.wav) == 44 + size
    assert delivered.seconds == 2.0


def test_the_same_clip_gives_the_same_bytes():
    clip = sound(noise(rate=44_100), rate=44_100)
    assert deliver(clip, MATCHED).wav == deliver(clip, MATCHED).wav


@each("form", [MATCHED, AS_IT_IS, DeliveryForm(rate=48_000, target_lufs=-30.0)])
def test_files_of_equal_duration_differ_in_nothing_but_samples(form):
    stored = []
    for container, encoding, level in [
        ("WAV", "FLOAT", 0.01),
        ("FLAC", "PCM_24", 0.1),
        ("OGG", "OPUS", 0.05),
    ]:
        buffer = io.BytesIO()
        soundfile.write(buffer, noise(level=level), 16_000, format=container, subtype=encoding)
        stored.append(read_sound(buffer, name=f"clip.{container.lower()}"))

    files = [deliver(clip, form).wav for clip in stored]

    assert len({len(file) for file in files}) == 1
    assert len({file[:44] for file in files}) == 1


def test_matching_off_leaves_16_bit_mono_samples_bit_for_bit():
    codes = np.random.default_rng(5).integers(-32_768, 32_768, 5_000).astype(np.int16)

    delivered = deliver(sound(codes[:, np.newaxis] / 32_768), AS_IT_IS)

    assert delivered.gain_db == 0.0
    assert delivered.wav[44:] == codes.astype("<i2").tobytes()


def test_positive_full_scale_is_written_as_the_highest_code():
    delivered = deliver(sound(np.array([[0.0], [1.0], [-1.0]])), AS_IT_IS)
    assert delivered.wav[44:] == struct.pack("<3h", 0, 32_767, -32_768)


def test_samples_are_rounded_to_the_nearest_code():
    delivered = deliver(sound(np.array([[0.4], [0.6], [-0.6], [1.4]]) / 32_768), AS_IT_IS)
    assert delivered.wav[44:] == struct.pack("<4h", 0, 1, -1, 1)


@each("source_rate", [8_000, 16_000, 22_050, 48_000])
@each("level", [0.0005, 0.02, 0.2])
def test_delivered_loudness_is_the_target(source_rate, level):
    clip = sound(noise(3.0, level=level, rate=source_rate), rate=source_rate)

    delivered = deliver(clip, DeliveryForm(rate=48_000, target_lufs=-30.0))

    independent = pyloudnorm.Meter(48_000, filter_class="DeMan").integrated_loudness(heard(delivered))
    assert independent == pytest.approx(-30.0, abs=0.1)
    assert delivered.integrated_lufs == pytest.approx(-30.0, abs=0.1)


@settings(max_examples=25, deadline=None)
@given(st.floats(-45, -14), st.integers(0, 2**32 - 1), st.sampled_from([16_000, 24_000]))
def test_every_clip_is_delivered_at_the_target_and_under_the_ceiling_or_refused(target, seed, rate):
    clip = sound(noise(1.0, seed=seed))
    form = DeliveryForm(rate=rate, target_lufs=target)
    fits = target <= refused(clip, DeliveryForm(rate=rate, target_lufs=0.0)).highest_target_lufs
    if not fits:
        form = DeliveryForm(rate=rate, target_lufs=refused(clip, form).highest_target_lufs)

    delivered = deliver(clip, form)

    assert delivered.integrated_lufs == pytest.approx(form.target_lufs, abs=0.1)
    assert delivered.true_peak_dbtp <= -1.0 + 0.01


def test_clip_partly_below_the_gate_is_delivered_at_the_target():
    clip = sound(np.vstack([tone(4.0, peak=10 ** (-66 / 20)), tone(4.0, peak=10 ** (-72 / 20))]))
    assert deliver(clip, MATCHED).integrated_lufs == pytest.approx(-23.0, abs=0.02)


def test_gain_is_one_constant_over_the_clip():
    samples = np.vstack([tone(1.0, peak=0.3), tone(1.0, peak=0.01)])

    delivered = deliver(sound(samples), MATCHED)

    factor = 10 ** (delivered.gain_db / 20)
    np.testing.assert_allclose(heard(delivered), factor * samples[:, 0], rtol=0, atol=1 / 32_768)


def test_level_of_the_source_does_not_show():
    quiet, loud = deliver(sound(noise(level=0.01)), MATCHED), deliver(sound(noise(level=0.1)), MATCHED)
    assert loud.gain_db == pytest.approx(quiet.gain_db - 20, abs=1e-3)
    np.testing.assert_allclose(heard(loud), heard(quiet), rtol=0, atol=2 / 32_768)


def test_48_khz_stereo_becomes_16_khz_mono_of_the_mean():
    samples = np.hstack([tone(peak=0.4, rate=48_000), tone(peak=0.2, rate=48_000)])

    delivered = deliver(sound(samples, rate=48_000), AS_IT_IS)

    middle = slice(1_000, 31_000)
    np.testing.assert_allclose(heard(delivered)[middle], tone(peak=0.3)[middle, 0], atol=1e-4)
    assert delivered.seconds == 2.0


def test_what_lies_above_half_the_new_rate_does_not_fold_down():
    high = tone(frequency=10_000, peak=0.5, rate=48_000)
    delivered = deliver(sound(high, rate=48_000), AS_IT_IS)
    assert np.abs(heard(delivered)[1_000:-1_000]).max() < 1e-3


def test_levels_reported_are_those_of_the_file():
    delivered = deliver(sound(tone(peak=0.1)), AS_IT_IS)
    assert delivered.true_peak_dbtp == pytest.approx(-20.0, abs=0.05)
    assert delivered.integrated_lufs == pytest.approx(-23.6, abs=0.2)


def test_silence_is_delivered_while_matching_is_off():
    delivered = deliver(sound(np.zeros((16_000, 2))), AS_IT_IS)
    assert (delivered.integrated_lufs, delivered.true_peak_dbtp) == (None, None)
    assert delivered.wav[44:] == bytes(32_000)


@each(
    "samples",
    [np.zeros((16_000, 1)), np.hstack([tone(), -tone()]), tone(peak=1e-4)],
)
def test_clip_without_a_loudness_is_delivered_as_it_is(samples):
    matched = deliver(sound(samples), MATCHED)

    assert (matched.gain_db, matched.integrated_lufs) == (0.0, None)
    assert matched.wav == deliver(sound(samples), AS_IT_IS).wav


def clicking() -> Sound:
    samples = tone(peak=0.05)
    samples[16_000, 0] = 0.9
    return sound(samples)


def test_gain_that_breaks_the_ceiling_is_refused_with_the_highest_target_that_fits():
    refusal = refused(clicking(), MATCHED)

    assert refusal.highest_target_lufs == -30.0
    assert str(refusal) == (
        "At -23 LUFS the true peak of this clip would be 5.60 dBTP, above the ceiling of -1 dBTP; the "
        "highest target at which it fits is -30 LUFS."
    )


@each("ceiling", [-3.0, -1.0, 0.0])
def test_highest_target_fits_and_half_a_unit_more_does_not(ceiling):
    highest = refused(clicking(), MATCHED, ceiling_dbtp=ceiling).highest_target_lufs

    delivered = deliver(clicking(), DeliveryForm(16_000, highest), ceiling_dbtp=ceiling)
    assert delivered.true_peak_dbtp <= ceiling + 0.001
    above = refused(clicking(), DeliveryForm(16_000, highest + 0.5), ceiling_dbtp=ceiling)
    assert above.highest_target_lufs == highest


def test_ceiling_looks_between_the_samples():
    phase = np.pi / 2 * np.arange(32_000) + np.pi / 4
    clip = sound((np.sin(phase) * np.hanning(32_000))[:, np.newaxis])
    highest = refused(clip, DeliveryForm(16_000, 0.0)).highest_target_lufs

    delivered = deliver(clip, DeliveryForm(16_000, highest))

    assert -1.5 < delivered.true_peak_dbtp <= -1.0
    assert np.abs(heard(delivered)).max() < 10 ** (-4.0 / 20)


def test_ceiling_does_not_bind_while_matching_is_off():
    delivered = deliver(sound(tone(peak=0.99)), AS_IT_IS)
    assert delivered.true_peak_dbtp > -1.0


def test_clipped_source_is_delivered_when_matched():
    clipped = np.clip(tone(peak=3.0), -1, 32_767 / 32_768)
    delivered = deliver(sound(clipped), MATCHED)
    assert delivered.integrated_lufs == pytest.approx(-23.0, abs=0.1)


def test_clipped_source_is_delivered_as_it_is_at_its_own_rate():
    clipped = np.clip(tone(peak=3.0), -1, 32_767 / 32_768)
    assert np.abs(heard(deliver(sound(clipped), AS_IT_IS))).max() == 1.0


def test_samples_over_full_scale_turn_the_whole_clip_down_as_far_as_they_need():
    samples = np.vstack([tone(peak=1.25), tone(peak=0.1)])

    delivered = deliver(sound(samples), AS_IT_IS)

    assert delivered.gain_db == pytest.approx(-1.94, abs=0.01)
    assert np.abs(heard(delivered)).max() == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_allclose(heard(delivered), samples[:, 0] / 1.25, rtol=0, atol=1e-3)


def test_resampling_that_overshoots_full_scale_turns_the_clip_down():
    square = sound(np.sign(tone(peak=1.0, rate=48_000)), rate=48_000)
    delivered = deliver(square, AS_IT_IS)
    assert -3 < delivered.gain_db < -0.5
    assert np.abs(heard(delivered)).max() == pytest.approx(1.0, abs=1e-3)


def test_clip_that_resampling_leaves_empty_is_refused():
    one_frame = sound(np.ones((1, 1)), rate=192_000)
    assert str(refused(one_frame, AS_IT_IS)) == "This clip is shorter than one sample at 16000 Hz; leave it out."


def test_refusal_can_be_rebuilt_from_its_parts():
    refusal = copy.copy(refused(clicking(), MATCHED))
    assert refusal.highest_target_lufs == -30.0


@each("rate", [0, 3_999, 192_001])
def test_form_with_a_senseless_rate_is_refused(rate):
    with pytest.raises(ValueError, match=rf"^The rate must be 4000 to 192000 Hz, not {rate}\.$"):
        DeliveryForm(rate=rate, target_lufs=None)


@each("target", [-60.5, 0.5, 23.0, float("nan")])
def test_form_with_a_senseless_target_is_refused(target):
    with pytest.raises(ValueError, match=rf"^The target must be -60 to 0 LUFS, not {target}\.$"):
        DeliveryForm(rate=16_000, target_lufs=target)


def test_ceiling_above_full_scale_is_refused():
    with pytest.raises(ValueError, match=r"^The ceiling must be at most 0 dBTP, not 1\.0\.$"):
        deliver(sound(tone()), MATCHED, ceiling_dbtp=1.0)
