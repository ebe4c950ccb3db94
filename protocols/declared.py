"""The words a protocol is made of, as they are declared: nothing here asks whether they go together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from infrastructure.wording.phrases import Phrase
from protocols.kinds import KINDS
from protocols.kinds.frames import Frame
from protocols.kinds.kind import Option, QuestionKind, UnitKind

Elicitation = Literal["direct", "guided"]
#: What playing the other response does: it begins anew, or it goes on where the first one was (for the same words).
Playback = Literal["restart", "synchronised"]


@dataclass(frozen=True)
class Scale:
    """The possible answers: `measure` names the kind of question. Without options, a `response` frame offers every
    response of the unit.
    """

    name: str
    options: tuple[Option, ...] = ()
    frame: Frame = "none"
    measure: str = "nominal"

    def offered(self, n_responses: int) -> tuple[Option, ...]:
        if not self.any_response:
            return self.options
        return tuple(Option(str(place), Phrase("Response %(n)s", n=place)) for place in range(1, n_responses + 1))

    @property
    def any_response(self) -> bool:
        """Whether the choice is between all the responses of the unit, however many they are."""
        return self.frame == "response" and not self.options

    @cached_property
    def kind(self) -> QuestionKind:
        return KINDS[self.measure](self.options, self.frame, any_response=self.any_response)


@dataclass(frozen=True)
class Aspect:
    """One thing that is judged, of the unit or of each of its responses.

    It stays locked until the aspects named in `after` are answered; it is asked only where the aspects named in
    `only_if` were answered with these values, and of items with the facts in `only_for`; its answer differs from
    that of the aspect named in `unlike`.
    """

    name: str
    title: str
    question: str
    scale: Scale
    guidance: str = ""
    group: str = ""
    per_response: bool = False
    required: bool = True
    after: tuple[str, ...] = ()
    only_if: Mapping[str, str] = field(default_factory=dict)
    only_for: Mapping[str, str] = field(default_factory=dict)
    unlike: str = ""


@dataclass(frozen=True)
class Listening:
    """How much of every clip must have been heard: all of it, or `seconds` of it (less if it is shorter)."""

    rule: Literal["full", "seconds", "none"] = "full"
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", float(self.seconds))


@dataclass(frozen=True)
class Example:
    """A worked example for the guidelines: what one hears, the answers, and why."""

    heard: str
    answers: Mapping[str, str]
    why: str


@dataclass(frozen=True)
class DeclaredProtocol:
    """Everything that a protocol declares.

    `shows` names the facts of an item that raters are told (its dimension, say); `item_criteria` says that items
    bring yes/no criteria of their own (MTalk-Bench App. C.2.2, level 3), which are asked only where the answers in
    `criteria_only_if` were given.
    """

    name: str
    version: str
    title: str
    instructions: str
    aspects: tuple[Aspect, ...]
    source: str = ""
    unit: UnitKind = "pair"
    elicitation: Elicitation = "direct"
    prompt_title: str = "The prompt"
    listening: Listening = Listening()
    playback: Playback = "restart"
    ask_confidence: bool = False
    shows: tuple[str, ...] = ()
    item_criteria: bool = False
    criteria_only_if: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
