"""One channel of a recording with several: `talk/both.wav#1.wav` is the second channel of `talk/both.wav`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import soundfile

from corpus.imports.files.audio_files import AudioFiles, MissingAudio
from corpus.imports.reasons import NO_SUCH_CHANNEL, NOT_UNPACKED
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import TEXT

FRAMES_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Channels:
    """The files, and their channels. A channel is written as WAV in the format of its samples."""

    files: AudioFiles

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        name, mark, channel = path.removesuffix(".wav").rpartition("#")
        number = whole_number(channel)
        if not mark or number is None:
            with self.files.open(path) as file:
                yield file
            return
        with self.files.open(name) as both, tempfile.TemporaryFile() as copy:
            try:
                _copy(both, copy, path, number)
            except soundfile.SoundFileError as error:
                raise MissingAudio(NOT_UNPACKED(path=path, why=TEXT(text=str(error)))) from error
            copy.seek(0)
            yield copy


def channel_of(path: str, channel: int) -> str:
    return f"{path}#{channel}.wav"


def _copy(both: IO[bytes], copy: IO[bytes], path: str, channel: int) -> None:
    with soundfile.SoundFile(both) as sound:
        if channel >= sound.channels:
            raise MissingAudio(NO_SUCH_CHANNEL(path=path, n=sound.channels))
        subtype = sound.subtype if soundfile.check_format("WAV", sound.subtype) else "PCM_16"
        with soundfile.SoundFile(copy, "w", sound.samplerate, 1, subtype, format="WAV") as one:
            for block in sound.blocks(FRAMES_AT_ONCE, dtype="float64", always_2d=True):
                one.write(block[:, channel])
