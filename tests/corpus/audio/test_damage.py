import io

import numpy as np
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.audio.reading import Sound, UnreadableAudio, read_sound

RATE = 16_000
FORMS = [
    ("WAV", "PCM_U8"),
    ("WAV", "PCM_16"),
    ("WAV", "FLOAT"),
    ("WAV", "DOUBLE"),
    ("WAV", "GSM610"),
    ("WAV", "IMA_ADPCM"),
    ("WAVEX", "PCM_24"),
    ("RF64", "PCM_16"),
    ("FLAC", "PCM_16"),
    ("MP3", "MPEG_LAYER_III"),
    ("OGG", "VORBIS"),
    ("OGG", "OPUS"),
]


def encoded(container: str, encoding: str) -> bytes:
    buffer = io.BytesIO()
    samples = 0.5 * np.sin(2 * np.pi * 440 * np.arange(RATE // 2) / RATE)
    soundfile.write(buffer, samples, RATE, format=container, subtype=encoding)
    return buffer.getvalue()


FILES = [encoded(*form) for form in FORMS]


def outcome(data: bytes) -> Sound | UnreadableAudio:
    try:
        return read_sound(io.BytesIO(data), name="clip", max_seconds=30.0)
    except UnreadableAudio as refusal:
        return refusal


def assert_reads_or_is_refused(data: bytes) -> None:
    result = outcome(data)
    if isinstance(result, Sound):
        assert result.samples.ndim == 2
        assert np.isfinite(result.samples).all()
    else:
        assert str(result).startswith("clip ")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=3_000))
def test_random_bytes_are_read_or_refused(data):
    assert_reads_or_is_refused(data)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.integers(4, 1_000), st.binary(max_size=3_000))
def test_random_bytes_after_a_valid_beginning_are_read_or_refused(whole, kept, data):
    assert_reads_or_is_refused(whole[:kept] + data)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.dictionaries(st.integers(4, 200), st.integers(0, 255), max_size=6))
def test_file_with_a_damaged_header_is_read_or_refused(whole, damage):
    data = bytearray(whole)
    for position, value in damage.items():
        data[position] = value
    assert_reads_or_is_refused(bytes(data))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FILES), st.floats(0, 1))
def test_file_cut_off_anywhere_is_read_or_refused(whole, kept):
    assert_reads_or_is_refused(whole[: int(kept * len(whole))])
