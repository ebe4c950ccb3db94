"""Audio files decoded into arrays, or refused in a sentence a researcher can act on."""

from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import soundfile
from numpy.typing import NDArray

from campaigns.audio import containers
from campaigns.audio.decoding import UNDECLARED_FRAMES, ForwardSoundFile

LOWEST_RATE, HIGHEST_RATE = 4_000, 192_000
MOST_CHANNELS = 8
LOUDEST = 100.0  # +40 dBFS: beyond it a floating-point file is scaled wrongly, not mastered hot
MOST_VALUES = 2**27  # 512 MiB of float32; ten minutes of 96 kHz stereo fit

_REFUSED_ENCODINGS = ("MPEG_LAYER_I", "MPEG_LAYER_II")


class UnreadableAudio(ValueError):
    """A file that cannot be taken; the message says why and what to do, in one sentence."""


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


def read_sound(source: Path | IO[bytes], *, name: str, max_seconds: float = 600.0) -> Sound:
    """Decode one WAV (WAVEX, RF64), FLAC, MP3 or OGG (Vorbis, Opus) file.

    `source` is a path, or a seekable binary file, which is read from its start and left open. `name` is what
    the researcher calls the file: its extension must fit the content; a name without one is taken as it is.

    Raises UnreadableAudio for every fault of the content, and OSError if the path cannot be opened.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            return _read(file, name=name, max_seconds=max_seconds)
    return _read(source, name=name, max_seconds=max_seconds)


def _read(source: IO[bytes], *, name: str, max_seconds: float) -> Sound:
    source.seek(0)
    claimed = _claimed_container(source.read(containers.HEAD_BYTES), name=name)
    source.seek(0)
    try:
        with ForwardSoundFile(source) as file:
            _check_header(file, name=name, max_seconds=max_seconds)
            sound = Sound(
                samples=_decoded(file, name=name, max_seconds=max_seconds),
                rate=file.samplerate,
                container=containers.CONTAINER_OF_FORMAT[file.format],
                encoding=file.subtype,
            )
    except soundfile.LibsndfileError as error:
        raise UnreadableAudio(
            f"{name} begins like {claimed} but cannot be decoded: it is damaged, cut off or in an encoding "
            f"that is not accepted; export it again as WAV or FLAC."
        ) from error
    _check_all_was_read(source, sound, name=name)
    return sound


def _claimed_container(head: bytes, *, name: str) -> str:
    if not head:
        raise UnreadableAudio(f"{name} is empty (0 bytes); export or upload it again.")
    claimed = containers.claimed_container(head)
    if claimed:
        return claimed
    foreign = containers.foreign_container(head)
    if foreign:
        raise UnreadableAudio(_not_taken(name, foreign))
    raise UnreadableAudio(f"{name} does not hold audio; {containers.ACCEPTED} are accepted.")


def _check_header(file: ForwardSoundFile, *, name: str, max_seconds: float) -> None:
    container = containers.CONTAINER_OF_FORMAT.get(file.format)
    if container is None or file.subtype in _REFUSED_ENCODINGS:
        raise UnreadableAudio(_not_taken(name, f"{file.format} ({file.subtype})"))
    _check_name(name, container)
    if file.channels > MOST_CHANNELS:
        raise UnreadableAudio(
            f"{name} has {file.channels} channels and at most {MOST_CHANNELS} are accepted; downmix it first."
        )
    if not LOWEST_RATE <= file.samplerate <= HIGHEST_RATE:
        raise UnreadableAudio(
            f"{name} has a sample rate of {file.samplerate} Hz and {LOWEST_RATE} to {HIGHEST_RATE} Hz are "
            f"accepted; resample it first."
        )
    if file.frames != UNDECLARED_FRAMES:
        _check_length(file, file.frames, name=name, max_seconds=max_seconds)


def _check_name(name: str, container: str) -> None:
    extension = containers.extension_of(name)
    if not extension or containers.CONTAINER_OF_EXTENSION.get(extension) == container:
        return
    expected = containers.usual_extension(container)
    raise UnreadableAudio(f"{name} holds {container} audio; rename it so that it ends in {expected}.")


def _check_length(file: ForwardSoundFile, frames: int, *, name: str, max_seconds: float) -> None:
    if frames > max_seconds * file.samplerate:
        raise UnreadableAudio(f"{name} lasts longer than the {max_seconds:g} s accepted; cut it into shorter clips.")
    if frames * file.channels > MOST_VALUES:
        raise UnreadableAudio(
            f"{name} holds more than {MOST_VALUES:,} samples over all its channels; downmix or resample it."
        )


def _decoded(file: ForwardSoundFile, *, name: str, max_seconds: float) -> NDArray[np.float32]:
    blocks: list[NDArray[np.float32]] = []
    frames = 0
    for block in file.decoded_blocks():
        frames += len(block)
        _check_length(file, frames, name=name, max_seconds=max_seconds)
        _check_values(block, name=name)
        blocks.append(block)
    _check_completeness(file, frames, name=name)
    return np.concatenate(blocks)


def _check_values(block: NDArray[np.float32], *, name: str) -> None:
    peak = float(np.abs(block).max())
    if not np.isfinite(peak):
        raise UnreadableAudio(f"{name} holds samples that are NaN or infinite; export it again.")
    if peak > LOUDEST:
        raise UnreadableAudio(
            f"{name} reaches {peak:.0f} times full scale; scale floating-point samples to between -1 and 1."
        )


def _check_completeness(file: ForwardSoundFile, frames: int, *, name: str) -> None:
    if not frames:
        raise UnreadableAudio(f"{name} holds no samples (it lasts 0 s); export it again.")
    # The length of an MP3 can be an estimate that takes its tags for audio.
    if file.format != "MP3" and frames < file.frames != UNDECLARED_FRAMES:
        raise UnreadableAudio(
            f"{name} is cut off: it declares {file.frames / file.samplerate:.1f} s and holds "
            f"{frames / file.samplerate:.1f} s; export it again."
        )


def _check_all_was_read(source: IO[bytes], sound: Sound, *, name: str) -> None:
    # Without a Xing header libsndfile guesses the length of an MP3 from its first frame and stops there.
    if sound.container == "MP3" and containers.begins_mp3_frame(source.read(2)):
        raise UnreadableAudio(
            f"{name} goes on after the {sound.seconds:.1f} s that its header declares; export it again as "
            f"WAV or FLAC."
        )


def _not_taken(name: str, holds: str) -> str:
    return f"{name} holds {holds} audio, which is not accepted; convert it to WAV or FLAC."
