"""What a metric is, what it is given, and what comes out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason, Reasoned
from measurements import reasons

Floats = NDArray[np.float64]
#: (start, end) of each stretch of speech, in seconds
Regions = Sequence[tuple[float, float]]


class Undefined(Reasoned, ValueError):
    """The metric has no value for these inputs."""


@dataclass(frozen=True, eq=False)
class Audio:
    """Mono samples, shape (frames,), full scale ±1, at `rate` in Hz."""

    samples: Floats
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class Input(StrEnum):
    """What a metric may need. Source is the prompt, response the system's output."""

    SOURCE_AUDIO = Phrase("source audio")
    RESPONSE_AUDIO = Phrase("response audio")
    SOURCE_TEXT = Phrase("source text")
    RESPONSE_TEXT = Phrase("response text")
    TRANSCRIPT = Phrase("transcript of the response")
    REFERENCE = Phrase("reference text")
    LANGUAGE = Phrase("language of the response")
    SOURCE_SECONDS = Phrase("duration of the source")
    RESPONSE_SECONDS = Phrase("duration of the response")
    SOURCE_F0 = Phrase("pitch contour of the source")
    RESPONSE_F0 = Phrase("pitch contour of the response")
    SOURCE_SPEECH = Phrase("speech regions of the source")
    RESPONSE_SPEECH = Phrase("speech regions of the response")
    SOURCE_SPEAKER = Phrase("speaker embedding of the source")
    RESPONSE_SPEAKER = Phrase("speaker embedding of the response")
    SOURCE_EMOTION = Phrase("emotion probabilities of the source")
    RESPONSE_EMOTION = Phrase("emotion probabilities of the response")
    SOURCE_EMOTION_EMBEDDING = Phrase("emotion embedding of the source")
    RESPONSE_EMOTION_EMBEDDING = Phrase("emotion embedding of the response")
    DNSMOS = Phrase("DNSMOS of the response")


class Axis(StrEnum):
    """The a priori dimensions of COMPASS §3.2. An imported metric may name another."""

    TEXT = "Translation quality (text)"
    ASR = "Translation quality (ASR)"
    NATURALNESS = "Audio naturalness"
    SPEAKER = "Speaker consistency"
    PROSODY = "Prosody and emotion"
    ISOCHRONY = "Isochrony"
    LIPSYNC = "Lip-sync"
    ISOMETRY = "Isometry and length"
    OTHER = "Other"


#: A number: the value that is best, and the further from it the worse.
Direction = Literal["higher", "lower"] | float

#: What a metric gets for one response: its inputs in the order in which it names them.
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Evidence:
    """What is known of one response, and why the rest is not."""

    values: Mapping[Input, Any]
    missing: Mapping[Input, Reason] = field(default_factory=dict)

    def why_missing(self, needed: Input) -> Reason:
        return self.missing.get(needed) or reasons.INPUT_MISSING(input=needed)


@dataclass(frozen=True)
class Score:
    """A finite value, or the reason why there is none.

    >>> Score(None)
    Traceback (most recent call last):
        ...
    ValueError: a score without a value needs a reason
    """

    value: float | None
    reason: Reason | None = None

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError("a score without a value needs a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.value} is no value")


@dataclass(frozen=True)
class Origin:
    """The package that does the work ("imported" where none does), and the licence of it and of its weights."""

    package: str
    licence: str


@dataclass(frozen=True)
class Metric:
    """One entry of the registry.

    `function` takes the inputs in their order and gives the value of one response. `corpus` takes the rows of all
    responses of a system; where there is none, the system's value is the mean over responses. Both raise Undefined.
    `hints` are inputs that help and may be missing (None). A metric without either function is only imported.
    `version` rises whenever the same inputs would give another value.
    """

    name: str
    title: str
    axis: str
    direction: Direction
    inputs: tuple[Input, ...]
    formula: str
    made: Origin
    function: Callable[..., float] | None = None
    corpus: Callable[[Sequence[Row]], float] | None = None
    hints: tuple[Input, ...] = ()
    version: str = "1"

    @property
    def is_imported_only(self) -> bool:
        return self.function is None and self.corpus is None


def own_metric(name: str, made_of: Mapping[str, Any]) -> Metric:
    """A metric that is in no registry: its scores were imported, and `made_of` says its axis and which way is better.

    >>> own_metric("Judge X", {"axis": "Audio naturalness", "direction": "lower"}).direction
    'lower'
    """
    direction: Direction = "lower" if made_of.get("direction") == "lower" else "higher"
    return Metric(
        name, name, str(made_of.get("axis") or Axis.OTHER), direction, (), "imported", Origin("imported", "")
    )


def row_of(metric: Metric, evidence: Evidence) -> Row | Reason:
    """What the metric is to be given, or the reason why that is impossible."""
    for needed in metric.inputs:
        if evidence.values.get(needed) is None:
            return evidence.why_missing(needed)
    return tuple(evidence.values.get(name) for name in (*metric.inputs, *metric.hints))


def score_response(metric: Metric, evidence: Evidence) -> Score:
    """The metric's value for one response. Raises TypeError for one that has none per response."""
    if metric.function is None:
        raise TypeError(f"{metric.name} has no value per response")
    row = row_of(metric, evidence)
    if isinstance(row, Reason):
        return Score(None, row)
    return _scored(metric.function, *row)


def score_system(metric: Metric, evidence: Sequence[Evidence]) -> tuple[Score, int]:
    """The metric over all responses of a system that have its inputs, and how many those are."""
    if metric.corpus is None:
        raise TypeError(f"{metric.name} is the mean of its values per response")
    rows = [row_of(metric, one) for one in evidence]
    known = [row for row in rows if not isinstance(row, Reason)]
    if not known:
        why = (row for row in rows if isinstance(row, Reason))
        return Score(None, next(why, reasons.RESPONSE_MISSING())), 0
    return _scored(metric.corpus, known), len(known)


def _scored(function: Callable[..., float], *inputs: Any) -> Score:
    try:
        value = float(function(*inputs))
    except Undefined as undefined:
        return Score(None, undefined.reason)
    return Score(value) if math.isfinite(value) else Score(None, reasons.VALUE_NOT_FINITE())
