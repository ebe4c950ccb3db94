"""The transcript by a recogniser, with times; and a second pass where it seems to repeat itself."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from measurements import reasons
from measurements.features.contract import RATE, ClipSound, Earlier, Samples, Undefined, Value
from measurements.features.speech.repetition import faster_than_speech, loops

LONGEST_PIECE_S, SHORTEST_PIECE_S = 60, 15
_SLOT = RATE // 10


@dataclass(frozen=True)
class Word:
    """A word as it was heard, in seconds from the start of the clip."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Line:
    """Some words in a row; `words` is None where the recogniser gives no times of words."""

    text: str
    start: float
    end: float
    words: tuple[Word, ...] | None = None


Recogniser = Callable[[Samples], list[Line]]


def transcript(clip: ClipSound, _earlier: Earlier, *, recognise: Recogniser) -> Value:
    """The text, its lines and (where the recogniser gives them) words with times in seconds.

    Where the text looks like a loop it is heard once more in shorter pieces; if that does not, it is taken. `repeats`
    says that both do: then the speaker may really repeat the words, and the listener can check.
    Raises Undefined for silence, and for words that follow faster than any speech.
    """
    if not clip.mono.any():
        raise Undefined(reasons.SILENCE_NO_WORDS())
    lines = _heard(clip.mono, recognise, LONGEST_PIECE_S)
    if _is_doubtful(lines, clip.seconds):
        lines = _heard(clip.mono, recognise, SHORTEST_PIECE_S)
    text = _text(lines)
    if faster_than_speech(text, clip.seconds):
        raise Undefined(reasons.RECOGNISER_REPEATED())
    return {
        "text": text,
        "lines": [[round(line.start, 2), round(line.end, 2), line.text] for line in lines],
        "words": _words(lines),
        "repeats": loops(text),
    }


def pieces(samples: Samples, longest_s: int) -> list[tuple[int, Samples]]:
    """Parts of at most `longest_s` seconds with where they begin, cut where it is quietest in their last third."""
    found, start, longest = [], 0, longest_s * RATE
    while len(samples) - start > longest:
        last = samples[start + longest * 2 // 3 : start + longest]
        slots = last[: len(last) // _SLOT * _SLOT].reshape(-1, _SLOT)
        quietest = int(np.square(slots, dtype=np.float64).sum(axis=1).argmin())
        end = start + longest * 2 // 3 + quietest * _SLOT + _SLOT // 2
        found.append((start, samples[start:end]))
        start = end
    return [*found, (start, samples[start:])]


def _heard(samples: Samples, recognise: Recogniser, longest_s: int) -> list[Line]:
    return [
        _later(line, start / RATE)
        for start, piece in pieces(samples, longest_s)
        for line in recognise(piece)
        if line.text.strip()
    ]


def _later(line: Line, by: float) -> Line:
    words = None if line.words is None else tuple(Word(it.text, it.start + by, it.end + by) for it in line.words)
    return Line(line.text.strip(), line.start + by, line.end + by, words)


def _is_doubtful(lines: list[Line], seconds: float) -> bool:
    text = _text(lines)
    return loops(text) or faster_than_speech(text, seconds)


def _text(lines: list[Line]) -> str:
    return " ".join(line.text for line in lines)


def _words(lines: list[Line]) -> list[list[object]] | None:
    """All words with their times; None unless every line has them."""
    if any(line.words is None for line in lines):
        return None
    return [[round(word.start, 2), round(word.end, 2), word.text] for line in lines for word in line.words or ()]
