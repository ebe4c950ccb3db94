"""Audio files decoded into arrays, or block by block, or refused in a sentence a researcher can act on."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import IO, Any, Protocol

import numpy as np
import soundfile
from numpy.typing import NDArray

from corpus.audio import containers, reasons
from corpus.audio.blocks import gathered, in_blocks
from corpus.audio.declared import CutOff, cut_off
from corpus.audio.decoding import UNDECLARED_FRAMES, ForwardSoundFile
from infrastructure.wording.reasons import Reason, Reasoned

LOWEST_RATE, HIGHEST_RATE = 4_000, 192_000
MOST_CHANNELS = 8
LOUDEST = 100.0  # +40 dBFS: beyond it a floating-point file is scaled wrongly, not mastered hot
MOST_VALUES = 2**27  # 512 MiB of float32; ten minutes of 96 kHz stereo fit

_REFUSED_ENCODINGS = ("MPEG_LAYER_I", "MPEG_LAYER_II")


class UnreadableAudio(Reasoned, ValueError):
    """A file that cannot be taken; the reason says why and what to do, in one sentence."""


class Opens(Protocol):
    """A file that can be opened as often as is wanted, such as a Path."""

    def open(self, mode: str, /) -> IO[Any]: ...


class InBlocks(Protocol):
    """Sound that can be gone through, from its start, as often as is wanted."""

    @property
    def rate(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """Float32 blocks of shape (frames > 0, channels), full scale at ±1."""
        ...


@dataclass(frozen=True, eq=False)
class Sound:
    """Decoded audio: `samples` is float32 of shape (frames, channels) with full scale at ±1, `rate` in Hz."""

    samples: NDArray[np.float32]
    rate: int
    container: str
    encoding: str

    @property
    def channels(self) -> int:
        return int(self.samples.shape[1])

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        return in_blocks(self.samples)


@dataclass(frozen=True)
class StoredSound:
    """A file that is decoded each time its blocks are asked for, so that it is never whole in memory.

    `rate` and `seconds` are what an audit found. `blocks` raises UnreadableAudio, and OSError where there is no file.
    """

    path: Opens
    rate: int
    seconds: float
    max_seconds: float = 600.0

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        with open_sound(self.path, name="", max_seconds=self.max_seconds) as stream:
            yield from stream.blocks()


@dataclass(frozen=True, eq=False)
class SoundStream:
    """An open file; it can be gone through once."""

    rate: int
    channels: int
    container: str
    encoding: str
    _file: ForwardSoundFile
    _source: IO[bytes]
    _name: str
    _max_seconds: float

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """Float32 blocks of shape (frames > 0, channels). Raises UnreadableAudio, at the latest after the last."""
        frames = 0
        with _damage_named(self._name, self.container):
            for block in self._file.decoded_blocks():
                frames += len(block)
                _check_length(self._file, frames, name=self._name, max_seconds=self._max_seconds)
                _check_values(block, name=self._name)
                yield block
        _check_completeness(self._file, frames, name=self._name)
        _check_all_was_read(self._source, self.container, frames / self.rate, name=self._name)


def read_sound(source: Opens | IO[bytes], *, name: str, max_seconds: float = 600.0) -> Sound:
    """Decode one WAV (WAVEX, RF64), FLAC, MP3 or OGG (Vorbis, Opus) file whole; takes what `open_sound` takes.

    Raises UnreadableAudio for every fault of the content, and OSError if the path cannot be opened.
    """
    with open_sound(source, name=name, max_seconds=max_seconds) as stream:
        samples = gathered(stream.blocks(), channels=stream.channels)
        return Sound(samples, stream.rate, stream.container, stream.encoding)


@contextmanager
def open_sound(source: Opens | IO[bytes], *, name: str, max_seconds: float = 600.0) -> Iterator[SoundStream]:
    """Open such a file to go through its blocks; what its header says is checked at once.

    `source` is a path or the like, or a seekable binary file, which is read from its start and left open. `name` is
    what the researcher calls the file: its extension must fit the content; a name without one is taken as it is.

    Raises UnreadableAudio for every fault of the content, and OSError if the path cannot be opened.
    """
    with source.open("rb") if hasattr(source, "open") else nullcontext(source) as opened:
        opened.seek(0)
        claimed = _claimed_container(opened.read(containers.HEAD_BYTES), name=name)
        missing = cut_off(opened, claimed)
        opened.seek(0)
        with _damage_named(name, claimed):
            file = ForwardSoundFile(opened)
        with file:
            _check_header(file, name=name, max_seconds=max_seconds)
            if missing:
                raise UnreadableAudio(_cut(name, missing))
            container = containers.CONTAINER_OF_FORMAT[file.format]
            yield SoundStream(
                file.samplerate, file.channels, container, file.subtype, file, opened, name, max_seconds
            )


def _cut(name: str, missing: CutOff) -> Reason:
    return reasons.FILE_CUT_OFF(name=name, declared=f"{missing.declared:.1f}", held=f"{missing.held:.1f}")


@contextmanager
def _damage_named(name: str, claimed: str) -> Iterator[None]:
    try:
        yield
    except soundfile.LibsndfileError as error:
        raise UnreadableAudio(reasons.FILE_DAMAGED(name=name, claimed=claimed)) from error


def _claimed_container(head: bytes, *, name: str) -> str:
    if not head:
        raise UnreadableAudio(reasons.FILE_EMPTY(name=name))
    claimed = containers.claimed_container(head)
    if claimed:
        return claimed
    foreign = containers.foreign_container(head)
    if foreign:
        raise UnreadableAudio(reasons.AUDIO_NOT_TAKEN(name=name, holds=foreign))
    raise UnreadableAudio(reasons.HOLDS_NO_AUDIO(name=name, accepted=containers.ACCEPTED))


def _check_header(file: ForwardSoundFile, *, name: str, max_seconds: float) -> None:
    container = containers.CONTAINER_OF_FORMAT.get(file.format)
    if container is None or file.subtype in _REFUSED_ENCODINGS:
        holds = f"{file.format} ({file.subtype})"
        raise UnreadableAudio(reasons.AUDIO_NOT_TAKEN(name=name, holds=holds))
    _check_name(name, container)
    if file.channels > MOST_CHANNELS:
        raise UnreadableAudio(reasons.TOO_MANY_CHANNELS(name=name, n=file.channels, most=MOST_CHANNELS))
    if not LOWEST_RATE <= file.samplerate <= HIGHEST_RATE:
        raise UnreadableAudio(
            reasons.RATE_NOT_TAKEN(name=name, rate=file.samplerate, least=LOWEST_RATE, most=HIGHEST_RATE)
        )
    if file.frames != UNDECLARED_FRAMES:
        _check_length(file, file.frames, name=name, max_seconds=max_seconds)


def _check_name(name: str, container: str) -> None:
    extension = containers.extension_of(name)
    if not extension or containers.CONTAINER_OF_EXTENSION.get(extension) == container:
        return
    expected = containers.usual_extension(container)
    raise UnreadableAudio(reasons.NAMED_OTHERWISE(name=name, container=container, expected=expected))


def _check_length(file: ForwardSoundFile, frames: int, *, name: str, max_seconds: float) -> None:
    if frames > max_seconds * file.samplerate:
        raise UnreadableAudio(reasons.CLIP_TOO_LONG(name=name, seconds=f"{max_seconds:g}"))
    if frames * file.channels > MOST_VALUES:
        raise UnreadableAudio(reasons.TOO_MANY_VALUES(name=name, most=f"{MOST_VALUES:,}"))


def _check_values(block: NDArray[np.float32], *, name: str) -> None:
    peak = float(np.abs(block).max())
    if not np.isfinite(peak):
        raise UnreadableAudio(reasons.VALUES_NOT_FINITE(name=name))
    if peak > LOUDEST:
        raise UnreadableAudio(reasons.OVER_FULL_SCALE(name=name, times=f"{peak:.0f}"))


def _check_completeness(file: ForwardSoundFile, frames: int, *, name: str) -> None:
    if not frames:
        raise UnreadableAudio(reasons.FILE_WITHOUT_SAMPLES(name=name))
    # The length of an MP3 can be an estimate that takes its tags for audio.
    if file.format != "MP3" and frames < file.frames != UNDECLARED_FRAMES:
        raise UnreadableAudio(
            reasons.FILE_CUT_OFF(
                name=name, declared=f"{file.frames / file.samplerate:.1f}", held=f"{frames / file.samplerate:.1f}"
            )
        )


def _check_all_was_read(source: IO[bytes], container: str, seconds: float, *, name: str) -> None:
    # Without a Xing header libsndfile guesses the length of an MP3 from its first frame and stops there.
    if container == "MP3" and containers.begins_mp3_frame(source.read(2)):
        raise UnreadableAudio(reasons.FILE_GOES_ON(name=name, seconds=f"{seconds:.1f}"))
