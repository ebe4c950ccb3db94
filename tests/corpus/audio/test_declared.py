"""Files whose header declares more sound than they hold."""

import io
import struct

import numpy as np
import pytest
import soundfile

from corpus.audio.reading import UnreadableAudio, read_sound

RATE = 44_100


def encoded(container: str, *, channels: int = 1, rate: int = RATE) -> bytes:
    times = np.arange(2 * rate) / rate
    tone = 0.3 * np.sin(2 * np.pi * 440 * times) + 0.1 * np.sin(2 * np.pi * 3100 * times**2)
    buffer = io.BytesIO()
    soundfile.write(buffer, np.column_stack([tone] * channels), rate, format=container)
    return buffer.getvalue()


@pytest.mark.parametrize("container", ["WAV", "FLAC", "MP3"])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [44_100, 22_050, 11_025])
def test_half_a_file_is_refused_and_a_whole_one_is_read(container: str, channels: int, rate: int) -> None:
    data, name = encoded(container, channels=channels, rate=rate), f"a.{container.lower()}"

    assert read_sound(io.BytesIO(data), name=name).seconds == pytest.approx(2, abs=0.2)
    with pytest.raises(UnreadableAudio) as refused:
        read_sound(io.BytesIO(data[: len(data) // 2]), name=name)
    assert refused.value.reason.code == ("file_cut_off" if container != "FLAC" else refused.value.reason.code)
    with pytest.raises(UnreadableAudio):
        read_sound(io.BytesIO(data[: len(data) * 19 // 20]), name=name)


def test_refusal_says_how_much_is_there() -> None:
    data = encoded("WAV")
    with pytest.raises(UnreadableAudio, match=r"it declares 2\.0 s and holds 1\.0 s"):
        read_sound(io.BytesIO(data[: len(data) // 2]), name="a.wav")


@pytest.mark.parametrize("declared", [0, 0xFFFF_FFFF, 0x7FFF_F000])
def test_wav_of_a_stream_declares_nothing(declared: int) -> None:
    data = bytearray(encoded("WAV"))
    at = data.index(b"data") + 4
    data[at : at + 4] = struct.pack("<I", declared)
    if declared == 0:  # nothing is declared, and the decoder takes it by its word
        with pytest.raises(UnreadableAudio) as refused:
            read_sound(io.BytesIO(bytes(data)), name="a.wav")
        assert refused.value.reason.code != "file_cut_off"
        return
    assert read_sound(io.BytesIO(bytes(data)), name="a.wav").seconds == pytest.approx(2)


def test_tags_around_an_mp3_are_no_sound() -> None:
    data, tag = encoded("MP3"), b"ID3\x04\x00\x00" + bytes([0, 0, 1, 0]) + bytes(128)
    for whole in (tag + data, data + b"TAG" + bytes(125)):
        assert read_sound(io.BytesIO(whole), name="a.mp3").seconds == pytest.approx(2, abs=0.2)
    with pytest.raises(UnreadableAudio):
        read_sound(io.BytesIO(tag + data[: len(data) // 2]), name="a.mp3")
