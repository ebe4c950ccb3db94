"""Sounds as a model is given them: one clip, or several with a signal before each, in one WAV file."""

import hashlib
import io
import json
import wave
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from corpus.audio.bs1770 import integrated_loudness
from judges.backends.contract import SoundPart
from judges.sounds import signals
from judges.sounds.signals import Samples, Signal, Spelling, seconds_of, sounding

#: A changed way of putting sounds together is another sound.
VERSION = "1"
#: Silence after a clip, before the next signal.
GAP_S = 0.5
EVEN_LUFS, HIGHEST_PEAK = -23.0, 0.99


class Clip(Protocol):
    """`judges.kinds.contract.Sound`."""

    @property
    def sha256(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def read(self) -> Callable[[], tuple[NDArray[np.float64], int]]: ...


@dataclass(frozen=True)
class Form:
    """The one form of every sound of a judge; `even` brings each clip to -23 LUFS."""

    rate: int = 16_000
    level: Literal["as_is", "even"] = "as_is"
    spelling: Spelling = "spoken"


@dataclass(frozen=True)
class Piece:
    """A clip, and the signals that are heard before it."""

    clip: Clip
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True)
class Recording:
    """The WAV file, made when it is called for."""

    pieces: tuple[Piece, ...]
    form: Form

    def __call__(self) -> bytes:
        parts: list[Samples] = []
        for piece in self.pieces:
            if parts:
                parts.append(np.zeros(round(GAP_S * self.form.rate)))
            parts += [sounding(one, spelling=self.form.spelling, rate=self.form.rate) for one in piece.signals]
            parts.append(in_form(*piece.clip.read(), form=self.form))
        return wav_of(np.concatenate(parts), self.form.rate)


def alone(clip: Clip, form: Form) -> SoundPart:
    """One clip without any signal."""
    return together((Piece(clip),), form)


def together(pieces: Sequence[Piece], form: Form) -> SoundPart:
    """The pieces one after the other. Nothing is decoded before the file is wanted."""
    pieces = tuple(pieces)
    return SoundPart(
        sha256=_recipe(pieces, form),
        seconds=_seconds(pieces, form),
        rate=form.rate,
        wav=Recording(pieces, form),
        holds=tuple(name for piece in pieces for name in _names(piece)),
    )


def _recipe(pieces: tuple[Piece, ...], form: Form) -> str:
    """A hash of everything that decides the file, so that a sound that was sent once is known without decoding it."""
    heard: list[Any] = [[[asdict(one) for one in piece.signals], piece.clip.sha256] for piece in pieces]
    recipe = {"sounds": VERSION, "signals": signals.VERSION, "form": asdict(form), "pieces": heard}
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def _seconds(pieces: tuple[Piece, ...], form: Form) -> float:
    announced = sum(seconds_of(one, spelling=form.spelling) for piece in pieces for one in piece.signals)
    return announced + sum(piece.clip.seconds for piece in pieces) + GAP_S * (len(pieces) - 1)


def _names(piece: Piece) -> tuple[str, ...]:
    return (*(f"signal: {one.words}" for one in piece.signals), f"clip {piece.clip.sha256[:12]}")


def in_form(samples: NDArray[np.float64], rate: int, *, form: Form) -> Samples:
    """A mono clip, shape (n,), at the form's rate and level; what has no loudness keeps its level."""
    mono = np.asarray(samples, dtype=np.float64)
    if rate != form.rate:
        mono = np.asarray(soxr.resample(mono, rate, form.rate, quality="HQ"))
    if form.level == "even" and (lufs := integrated_loudness(mono[:, np.newaxis], rate=form.rate).lufs) is not None:
        peak = float(np.abs(mono).max())
        mono = mono * min(10 ** ((EVEN_LUFS - lufs) / 20), HIGHEST_PEAK / peak)
    return mono


def wav_of(mono: Samples, rate: int) -> bytes:
    """A mono WAV file of 16 bits; what lies beyond full scale is clipped.

    >>> len(wav_of(np.zeros(10), 16_000))
    64
    """
    codes = np.clip(np.rint(mono * 32_768), -32_768, 32_767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(rate)
        written.writeframes(codes.tobytes())
    return file.getvalue()
