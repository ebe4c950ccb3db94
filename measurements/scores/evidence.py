"""What a dataset knows of a response that metrics can use: audio, texts, durations, and features of its clips."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from corpus.audio.blocks import gathered, mixed_down, resampled
from corpus.audio.reading import UnreadableAudio, open_sound
from corpus.models import Clip, Response, ResponseTurn, Turn
from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.clip_features.rows import features_of, features_of_clips
from measurements.features.voice.pitch import pitch_contour
from measurements.metrics.contract import Audio, Evidence, Input

#: What the metrics of the paper are computed at (COMPASS App. B).
RATE = 16_000
#: Facts of an item that are read, the first that is there.
REFERENCE_FACTS = ("reference_translation", "reference_text")
LANGUAGE_FACTS = ("target_language", "language")


class Feature(Protocol):
    """A value, or the reason why there is none."""

    @property
    def value(self) -> Any: ...
    @property
    def reason(self) -> Reason | None: ...


#: The features of a clip by name, passed in by the caller that computes features; without it there are none.
FeaturesOf = Callable[[Clip], Mapping[str, Feature]]
#: Those of several clips, by the clip's id.
FeaturesOfClips = Callable[[Iterable[Clip]], Mapping[int, Mapping[str, Feature]]]


def no_features(_clip: Clip) -> Mapping[str, Feature]:
    return {}


@dataclass(frozen=True)
class Readers:
    """Where inputs come from that are made of sound.

    `pitch_of` gives F0 in Hz per frame (0 or NaN where unvoiced) of samples at 16 kHz; without it the contour of the
    feature is taken, which has fewer points.
    """

    features_of: FeaturesOf = no_features
    pitch_of: Callable[[NDArray[np.float32]], NDArray[np.float64]] | None = None
    features_of_clips: FeaturesOfClips | None = None

    def knowing(self, clips: Iterable[Clip]) -> "Readers":
        """The same, with the features of these clips read at once, where they can be."""
        if self.features_of_clips is None:
            return self
        found = self.features_of_clips(clips)
        return replace(self, features_of=lambda clip: found[clip.pk])


#: What this installation has. Extractors are joined here, and nowhere else.
READERS = Readers(features_of, pitch_contour, features_of_clips)


@dataclass(frozen=True)
class Wanted:
    """An input that comes from a feature: the feature's name, and how its value is read."""

    feature: str
    read: Callable[[Any], Any]


def _contour(value: Any) -> Any:
    return np.array([np.nan if point is None else point for point in value["contour_hz"]], dtype=np.float64)


def _regions(value: Any) -> Any:
    return [(float(start), float(end)) for start, end in value["speech"]]


def _vector(value: Any) -> Any:
    return np.asarray(value, dtype=np.float64)


def _text(value: Any) -> Any:
    return value["text"]


def _quality(value: Any) -> Any:
    return {name.upper(): float(value[name]) for name in ("sig", "bak", "ovrl", "p808")}


#: For source and response; DNSMOS and the transcript are the response's alone.
FROM_BOTH = {
    (Input.SOURCE_F0, Input.RESPONSE_F0): Wanted("pitch", _contour),
    (Input.SOURCE_SPEECH, Input.RESPONSE_SPEECH): Wanted("voice_activity", _regions),
    (Input.SOURCE_SPEAKER, Input.RESPONSE_SPEAKER): Wanted("speaker", _vector),
    (Input.SOURCE_EMOTION, Input.RESPONSE_EMOTION): Wanted("emotion", dict),
    (Input.SOURCE_EMOTION_EMBEDDING, Input.RESPONSE_EMOTION_EMBEDDING): Wanted("emotion_embedding", _vector),
}
FROM_RESPONSE = {Input.TRANSCRIPT: Wanted("transcript", _text), Input.DNSMOS: Wanted("quality", _quality)}
AUDIO = frozenset({Input.SOURCE_AUDIO, Input.RESPONSE_AUDIO})
PITCH = {Input.SOURCE_F0: Input.SOURCE_AUDIO, Input.RESPONSE_F0: Input.RESPONSE_AUDIO}


@dataclass
class Gathered:
    """Evidence as it comes together, and where the transcript is from."""

    values: dict[Input, Any]
    missing: dict[Input, Reason]
    made_of: dict[str, str]

    def take(self, name: Input, found: Any | None, why: Reason) -> None:
        if found is None:
            self.missing[name] = why
        else:
            self.values[name] = found


def evidence_of(
    response: Response, needed: Iterable[Input], *, readers: Readers = READERS
) -> tuple[Evidence, dict[str, str]]:
    """What is known of a response, as far as `needed` asks, and where its transcript came from.

    The turns of a conversation are put one behind the other. Audio is read only where it is asked for.
    """
    wanted, asked = frozenset(needed), list(response.item.turns.all())
    features_of = cache(readers.features_of)  # several inputs are read from one clip's features
    of_audio = frozenset(PITCH if readers.pitch_of else ()) & wanted
    said, got = list(response.turns.all()), Gathered({}, {}, {})
    _texts(got, response, asked, said)
    for name, turns in ((Input.SOURCE_SECONDS, asked), (Input.RESPONSE_SECONDS, said)):
        got.take(name, _seconds(turns), reasons.TURN_WITHOUT_AUDIO())
    for name, turns in ((Input.SOURCE_AUDIO, asked), (Input.RESPONSE_AUDIO, said)):
        if name in wanted or any(PITCH[pitch] == name for pitch in of_audio):
            _audio(got, name, turns)
    for name in of_audio:
        _pitch(got, name, readers)
    for (source, answer), feature in FROM_BOTH.items():
        for name, turns in ((source, asked), (answer, said)):
            if name in wanted - of_audio:
                _feature(got, name, feature, turns, features_of)
    for name, feature in FROM_RESPONSE.items():
        if name in wanted:
            _feature(got, name, feature, said, features_of)
    if Input.TRANSCRIPT in wanted:
        _transcript(got)
    return Evidence(got.values, got.missing), got.made_of


def _texts(got: Gathered, response: Response, asked: Sequence[Turn], said: Sequence[ResponseTurn]) -> None:
    facts = response.item.facts
    got.take(Input.SOURCE_TEXT, _joined(asked), reasons.SOURCE_TURN_WITHOUT_TEXT())
    got.take(Input.RESPONSE_TEXT, _joined(said), reasons.RESPONSE_TURN_WITHOUT_TEXT())
    reference = next((str(facts[name]) for name in REFERENCE_FACTS if facts.get(name)), None)
    got.take(Input.REFERENCE, reference, _no_fact(REFERENCE_FACTS))
    language = next((str(facts[name]) for name in LANGUAGE_FACTS if facts.get(name)), None)
    got.take(Input.LANGUAGE, language, _no_fact(LANGUAGE_FACTS))


def _no_fact(names: tuple[str, str]) -> Reason:
    return reasons.FACT_MISSING(one=names[0], other=names[1])


def _joined(turns: Sequence[Turn] | Sequence[ResponseTurn]) -> str | None:
    texts = [turn.text.strip() for turn in turns]
    return " ".join(texts) if texts and all(texts) else None


def _seconds(turns: Sequence[Turn] | Sequence[ResponseTurn]) -> float | None:
    clips = [turn.clip for turn in turns]
    return sum(clip.seconds for clip in clips if clip) if clips and all(clips) else None


def _audio(got: Gathered, name: Input, turns: Sequence[Turn] | Sequence[ResponseTurn]) -> None:
    clips = [turn.clip for turn in turns]
    if not clips or not all(clips):
        got.missing[name] = reasons.TURN_WITHOUT_AUDIO()
        return
    try:
        parts = [_mono(clip) for clip in clips if clip]
    except UnreadableAudio as unreadable:
        got.missing[name] = unreadable.reason
    except OSError as error:
        got.missing[name] = reasons.ORIGINAL_NOT_READ(fault=error.strerror)
    else:
        got.values[name] = Audio(np.concatenate(parts), RATE)


def _mono(clip: Clip) -> Any:
    with open_sound(clip.path, name="", max_seconds=settings.MAX_CLIP_SECONDS) as stream:
        mixed = mixed_down(stream.blocks())
        if stream.rate != RATE:
            mixed = resampled(mixed, rate=stream.rate, to=RATE, channels=1)
        return gathered(mixed, channels=1, dtype=np.float64)[:, 0]


def _feature(
    got: Gathered,
    name: Input,
    wanted: Wanted,
    turns: Sequence[Turn] | Sequence[ResponseTurn],
    features_of: FeaturesOf,
) -> None:
    """The feature of the only turn. Features of several turns are no feature of all of them."""
    if len(turns) != 1 or turns[0].clip is None:
        several = reasons.TURNS_WITHOUT_FEATURE(n=len(turns), input=name)
        return got.take(name, None, reasons.TURN_WITHOUT_AUDIO() if len(turns) == 1 else several)
    feature = features_of(turns[0].clip).get(wanted.feature)
    if feature is None:
        return got.take(name, None, reasons.FEATURE_NOT_EXTRACTED(feature=wanted.feature))
    value = None if feature.value is None else wanted.read(feature.value)
    return got.take(name, value, feature.reason or reasons.FEATURE_WITHOUT_VALUE(feature=wanted.feature))


def _pitch(got: Gathered, name: Input, readers: Readers) -> None:
    audio: Audio | None = got.values.get(PITCH[name])
    if audio is None or readers.pitch_of is None:
        got.missing[name] = got.missing[PITCH[name]]
    else:
        got.values[name] = readers.pitch_of(audio.samples.astype(np.float32))


def _transcript(got: Gathered) -> None:
    """The recognised transcript; without one, the text of the import."""
    if Input.TRANSCRIPT in got.values:
        got.made_of["transcript"] = "feature"
    elif text := got.values.get(Input.RESPONSE_TEXT):
        got.missing.pop(Input.TRANSCRIPT)
        got.values[Input.TRANSCRIPT], got.made_of["transcript"] = text, "text of the import"
