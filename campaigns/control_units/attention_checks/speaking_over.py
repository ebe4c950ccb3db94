"""A sentence put into a clip in place of a part of it, as loud as the clip, so that nothing but the words is new."""

import io

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from campaigns import reasons
from corpus.audio.bs1770 import integrated_loudness
from corpus.audio.reading import Sound
from infrastructure.wording.reasons import Reasoned

#: The clip falls silent this long before and after the sentence, and fades in and out over so long.
PAUSE_S, FADE_S = 0.15, 0.02
#: The sentence comes after at least so much of the clip, and after at most so much where there is time.
SHORTEST_LEAD_S, LONGEST_LEAD_S = 0.5, 3.0
_HIGHEST = 0.99


class DoesNotFit(Reasoned, ValueError):
    """Why a clip cannot carry the sentence."""


def latest_lead(clip: Sound, sentence: Sound, *, within_s: float | None = None) -> float:
    """The latest lead, in seconds, with which the whole sentence is in the clip, and in its first `within_s`.

    Raises DoesNotFit where even the earliest is too late.
    """
    room = clip.seconds if within_s is None else min(clip.seconds, within_s)
    lead = room - sentence.seconds - 2 * PAUSE_S
    if lead < SHORTEST_LEAD_S:
        needed = SHORTEST_LEAD_S + sentence.seconds + 2 * PAUSE_S
        raise DoesNotFit(reasons.SENTENCE_TOO_LONG(needed=f"{needed:.2f}", room=f"{room:.2f}"))
    return min(lead, LONGEST_LEAD_S)


def with_sentence(clip: Sound, sentence: Sound, *, lead_s: float) -> Sound:
    """Mono at the clip's rate, of exactly its length: its beginning, the sentence at its loudness, its end.

    Raises DoesNotFit where either has no loudness to match or the sentence would be clipped.
    """
    mono = clip.samples.mean(axis=1, dtype=np.float64)
    words = _as_loud(soxr.resample(sentence.samples.mean(axis=1, dtype=np.float64), sentence.rate, clip.rate), clip)
    at = round((lead_s + PAUSE_S) * clip.rate)
    pause = round(PAUSE_S * clip.rate)
    mixed = mono * _hole(len(mono), at - pause, at + len(words) + pause, fade=round(FADE_S * clip.rate))
    mixed[at : at + len(words)] += words
    return Sound(mixed.astype(np.float32)[:, np.newaxis], clip.rate, "WAV", "PCM_24")


def trimmed(sentence: Sound, *, leading_s: float, trailing_s: float) -> Sound:
    """The sentence without the silence at its ends."""
    stop = len(sentence.samples) - round(trailing_s * sentence.rate)
    samples = sentence.samples[round(leading_s * sentence.rate) : stop]
    return Sound(samples, sentence.rate, sentence.container, sentence.encoding)


def as_wav(sound: Sound) -> io.BytesIO:
    """A file of 24-bit PCM; the same samples make the same bytes."""
    file = io.BytesIO()
    soundfile.write(file, sound.samples, sound.rate, format="WAV", subtype="PCM_24")
    file.seek(0)
    return file


def _as_loud(words: NDArray[np.float64], clip: Sound) -> NDArray[np.float64]:
    of_clip = integrated_loudness(clip.samples.mean(axis=1, keepdims=True), rate=clip.rate).lufs
    of_words = integrated_loudness(words[:, np.newaxis], rate=clip.rate).lufs
    if of_clip is None or of_words is None:
        raise DoesNotFit(reasons.NOTHING_TO_MATCH())
    louder: NDArray[np.float64] = words * 10 ** ((of_clip - of_words) / 20)
    if np.abs(louder).max() > _HIGHEST:
        raise DoesNotFit(reasons.SENTENCE_CLIPPED())
    return louder


def _hole(n: int, start: int, stop: int, *, fade: int) -> NDArray[np.float64]:
    """Ones, and zeros from `start` to `stop`, with raised cosines of `fade` samples at both edges of the hole."""
    gain = np.ones(n)
    gain[start:stop] = 0.0
    down = (1 + np.cos(np.pi * np.arange(1, fade + 1) / (fade + 1))) / 2
    gain[start : start + fade] = down
    gain[stop - fade : min(stop, n)] = down[::-1][: max(0, min(stop, n) - (stop - fade))]
    return gain
