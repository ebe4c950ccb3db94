import io
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile

from corpus.audio.reading import Sound, UnreadableAudio, read_sound
from tests.cases import each

RATE = 16_000
LOSSLESS = [
    ("WAV", "PCM_U8", 1, "WAV", 1 / 128),
    ("WAV", "PCM_16", 2, "WAV", 2**-15),
    ("WAV", "PCM_24", 1, "WAV", 2**-22),
    ("WAV", "PCM_32", 8, "WAV", 2**-22),
    ("WAV", "FLOAT", 2, "WAV", 0.0),
    ("WAV", "DOUBLE", 1, "WAV", 0.0),
    ("WAVEX", "PCM_16", 6, "WAV", 2**-15),
    ("RF64", "PCM_16", 1, "WAV", 2**-15),
    ("FLAC", "PCM_16", 2, "FLAC", 2**-15),
    ("FLAC", "PCM_24", 1, "FLAC", 2**-22),
]
LOSSY = [
    ("MP3", "MPEG_LAYER_III", "clip.mp3"),
    ("OGG", "VORBIS", "clip.ogg"),
    ("OGG", "VORBIS", "clip.oga"),
    ("OGG", "OPUS", "clip.opus"),
]


def tone(seconds: float = 0.5, *, channels: int = 1, rate: int = RATE) -> np.ndarray:
    times = np.arange(round(seconds * rate)) / rate
    levels = 0.5 / (1 + np.arange(channels))
    return (levels * np.sin(2 * np.pi * 440 * times)[:, np.newaxis]).astype(np.float32)


def encoded(samples: np.ndarray, *, container: str = "WAV", encoding: str = "PCM_16", rate: int = RATE) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format=container, subtype=encoding)
    return buffer.getvalue()


def read(data: bytes, name: str = "clip", **options: float) -> Sound:
    return read_sound(io.BytesIO(data), name=name, **options)


def refusal(data: bytes, name: str = "clip", **options: float) -> str:
    with pytest.raises(UnreadableAudio) as caught:
        read(data, name, **options)
    return str(caught.value)


def flac_declaring(frames: int, data: bytes) -> bytes:
    """Write another total number of samples (36 bits at byte 21) into a FLAC file's STREAMINFO."""
    return data[:21] + struct.pack(">BI", (data[21] & 0xF0) | frames >> 32, frames & 0xFFFFFFFF) + data[26:]


def sparse_wav(path: Path, *, seconds: int, rate: int, channels: int) -> Path:
    size = seconds * rate * channels * 2
    header = struct.pack("<4sI4s4sIHHI", b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, channels, rate)
    header += struct.pack("<IHH4sI", rate * channels * 2, channels * 2, 16, b"data", size)
    with path.open("wb") as file:
        file.write(header)
        file.truncate(44 + size)
    return path


@each("container, encoding, channels, expected, step", LOSSLESS)
def test_lossless_file_reads_as_it_was_written(container, encoding, channels, expected, step):
    samples = tone(channels=channels)

    sound = read(encoded(samples, container=container, encoding=encoding))

    assert (sound.container, sound.encoding) == (expected, encoding)
    assert (sound.rate, sound.channels, sound.seconds) == (RATE, channels, 0.5)
    assert sound.samples.dtype == np.float32
    np.testing.assert_allclose(sound.samples, samples, rtol=0, atol=step)


@each("container, encoding, name", LOSSY)
def test_lossy_file_reads_to_the_same_length_and_nearly_the_same_wave(container, encoding, name):
    samples = tone(2.0, channels=2, rate=48_000)

    sound = read(encoded(samples, container=container, encoding=encoding, rate=48_000), name)

    assert (sound.container, sound.encoding, sound.rate) == (container, encoding, 48_000)
    assert sound.samples.shape == samples.shape
    middle = slice(24_000, 72_000)
    np.testing.assert_allclose(sound.samples[middle], samples[middle], atol=0.05)


@each("frames", [65_535, 65_536, 65_537, 3 * 65_536, 200_000])
@each(
    "container, encoding",
    [("WAV", "MS_ADPCM"), ("FLAC", "PCM_16"), ("MP3", "MPEG_LAYER_III"), ("OGG", "OPUS")],
)
def test_decoding_in_blocks_gives_what_decoding_at_once_gives(container, encoding, frames):
    data = encoded(tone(frames / RATE), container=container, encoding=encoding)

    sound = read(data)

    with soundfile.SoundFile(io.BytesIO(data)) as file:
        whole = file.read(file.frames, dtype="float32", always_2d=True)
    np.testing.assert_array_equal(sound.samples, whole)


@each("frames", [1_000, 65_536, 150_000])
def test_flac_of_undeclared_length_reads_to_its_end(frames):
    data = encoded(tone(frames / RATE), container="FLAC")

    sound = read(flac_declaring(0, data))

    np.testing.assert_array_equal(sound.samples, read(data).samples)


def test_path_and_file_object_give_the_same_sound_and_the_file_stays_open(tmp_path):
    path = tmp_path / "stored"
    path.write_bytes(encoded(tone()))

    with path.open("rb") as file:
        file.seek(100)
        from_file = read_sound(file, name="clip.wav")
        assert not file.closed
    from_path = read_sound(path, name="clip.wav")

    np.testing.assert_array_equal(from_file.samples, from_path.samples)


def test_missing_path_is_not_called_unreadable_audio(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_sound(tmp_path / "absent.wav", name="absent.wav")


@each("name", ["clip.wav", "clip.WAVE", "a.b.wav", "clip", ".wav", "system/clip.wav"])
def test_name_that_fits_or_says_nothing_is_accepted(name):
    assert read(encoded(tone()), name).container == "WAV"


@each(
    "container, encoding, name, message",
    [
        ("FLAC", "PCM_16", "clip.wav", "clip.wav holds FLAC audio; rename it so that it ends in .flac."),
        ("WAV", "PCM_16", "clip.mp3", "clip.mp3 holds WAV audio; rename it so that it ends in .wav."),
        ("OGG", "OPUS", "clip.flac", "clip.flac holds OGG audio; rename it so that it ends in .ogg."),
        ("MP3", "MPEG_LAYER_III", "a.opus", "a.opus holds MP3 audio; rename it so that it ends in .mp3."),
        ("WAV", "PCM_16", "tts-2.5", "tts-2.5 holds WAV audio; rename it so that it ends in .wav."),
    ],
)
def test_name_that_contradicts_the_content_is_refused(container, encoding, name, message):
    assert refusal(encoded(tone(), container=container, encoding=encoding), name) == message


def test_empty_file_is_refused():
    assert refusal(b"", "clip.wav") == "clip.wav is empty (0 bytes); export or upload it again."


@each(
    "data",
    [
        pytest.param(b"x", id="one byte"),
        pytest.param(b"item,text\n1,hello\n", id="text"),
        pytest.param("ÿþ text".encode("utf-16"), id="text in UTF-16"),
        pytest.param(bytes(500), id="zeros"),
        pytest.param(b"RIFF\4\0\0\0AVI LIST", id="video"),
        pytest.param(b"\xff\xea\x90\x64" + bytes(500), id="MPEG of a reserved version"),
    ],
)
def test_content_that_is_not_audio_is_refused(data):
    expected = "clip.wav does not hold audio; WAV, FLAC, MP3 and OGG (Vorbis or Opus) are accepted."
    assert refusal(data, "clip.wav") == expected


@each("container, holds", [("AIFF", "AIFF"), ("CAF", "CAF"), ("AU", "AU"), ("W64", "Wave64")])
def test_other_container_that_libsndfile_could_read_is_refused(container, holds):
    expected = f"clip.wav holds {holds} audio, which is not accepted; convert it to WAV or FLAC."
    assert refusal(encoded(tone(), container=container), "clip.wav") == expected


@each(
    "data, holds",
    [
        (b"\0\0\0\x20ftypM4A \0\0\0\0", "MP4 (M4A)"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81", "WebM or Matroska"),
        (b"\xff\xf1\x50\x80\x02\x1f\xfc", "AAC"),
    ],
)
def test_other_container_is_refused_by_its_name(data, holds):
    expected = f"clip.wav holds {holds} audio, which is not accepted; convert it to WAV or FLAC."
    assert refusal(data, "clip.wav") == expected


@each(
    "container, encoding, kept",
    [
        ("WAV", "PCM_16", 30),
        ("FLAC", "PCM_16", 30),
        ("FLAC", "PCM_16", -1_000),
        ("OGG", "VORBIS", 100),
        ("MP3", "MPEG_LAYER_III", 30),
    ],
)
def test_damaged_file_is_refused(container, encoding, kept):
    data = encoded(tone(20.0), container=container, encoding=encoding)[:kept]
    assert refusal(data) == (
        f"clip begins like {container} but cannot be decoded: it is damaged, cut off or in an encoding that is "
        "not accepted; export it again as WAV or FLAC."
    )


def test_file_that_declares_more_than_it_holds_is_refused():
    data = flac_declaring(90_000, encoded(tone(), container="FLAC"))
    assert refusal(data) == "clip is cut off: it declares 5.6 s and holds 0.5 s; export it again."


def test_length_is_judged_to_the_frame():
    assert read(encoded(tone(1.0)), max_seconds=1.0).seconds == 1.0
    one_more = np.append(tone(1.0), [[0]], axis=0)
    message = "clip.wav lasts longer than the 1 s accepted; cut it into shorter clips."
    assert refusal(encoded(one_more), "clip.wav", max_seconds=1.0) == message


def test_two_hours_are_refused_at_once_and_with_little_memory(tmp_path):
    path = sparse_wav(tmp_path / "long.wav", seconds=7_200, rate=48_000, channels=2)
    tracemalloc.start()
    begun = time.perf_counter()

    with pytest.raises(UnreadableAudio) as caught:
        read_sound(path, name="long.wav")

    elapsed = time.perf_counter() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(caught.value) == "long.wav lasts longer than the 600 s accepted; cut it into shorter clips."
    assert elapsed < 1.0
    assert peak < 2_000_000


def test_length_is_checked_while_decoding_where_the_header_is_silent():
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, (60 * RATE, 1))
    data = flac_declaring(0, encoded(noise, container="FLAC"))
    source = io.BytesIO(data)

    with pytest.raises(UnreadableAudio) as caught:
        read_sound(source, name="clip.flac", max_seconds=5.0)

    assert str(caught.value) == "clip.flac lasts longer than the 5 s accepted; cut it into shorter clips."
    assert source.tell() < len(data) / 4


def test_more_samples_than_memory_allows_are_refused(tmp_path):
    path = sparse_wav(tmp_path / "wide.wav", seconds=100, rate=192_000, channels=8)
    with pytest.raises(UnreadableAudio) as caught:
        read_sound(path, name="wide.wav")
    assert str(caught.value) == (
        "wide.wav holds more than 134,217,728 samples over all its channels; downmix or resample it."
    )


@each("encoding", ["PCM_16", "FLOAT"])
def test_file_without_samples_is_refused(encoding):
    data = encoded(np.zeros((0, 1)), encoding=encoding)
    assert refusal(data) == "clip holds no samples (it lasts 0 s); export it again."


@each("value", [np.nan, np.inf, -np.inf])
@each("frame", [0, 70_000])
def test_samples_that_are_not_finite_are_refused(value, frame):
    samples = tone(5.0, channels=2)
    samples[frame, 1] = value
    message = "clip holds samples that are NaN or infinite; export it again."
    assert refusal(encoded(samples, encoding="FLOAT")) == message


def test_floating_point_samples_on_an_integer_scale_are_refused():
    samples = np.full((100, 1), 32_767.0)
    assert refusal(encoded(samples, encoding="FLOAT")) == (
        "clip reaches 32767 times full scale; scale floating-point samples to between -1 and 1."
    )


def test_floating_point_samples_somewhat_over_full_scale_are_kept():
    samples = np.full((100, 1), 1.5, dtype=np.float32)
    np.testing.assert_array_equal(read(encoded(samples, encoding="FLOAT")).samples, samples)


def test_too_many_channels_are_refused():
    data = encoded(np.zeros((100, 9)))
    assert refusal(data) == "clip has 9 channels and at most 8 are accepted; downmix it first."


@each("rate", [4_000, 192_000])
def test_extreme_rates_are_accepted(rate):
    assert read(encoded(tone(), rate=rate)).rate == rate


@each("rate", [3_999, 192_001])
def test_rates_beyond_the_extremes_are_refused(rate):
    assert refusal(encoded(tone(), rate=rate)) == (
        f"clip has a sample rate of {rate} Hz and 4000 to 192000 Hz are accepted; resample it first."
    )


def test_mp3_that_goes_on_after_its_declared_end_is_refused():
    data = encoded(tone(2.0), container="MP3", encoding="MPEG_LAYER_III")
    assert refusal(data + data) == (
        "clip goes on after the 2.0 s that its header declares; export it again as WAV or FLAC."
    )


def test_mp3_with_a_tag_at_its_end_is_read():
    data = encoded(tone(2.0), container="MP3", encoding="MPEG_LAYER_III")
    assert read(data + b"TAG" + bytes(125)).seconds == 2.0
