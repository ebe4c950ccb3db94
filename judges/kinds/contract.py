"""What a kind of judge is given, and what it says. Pure: no rows, no framework, no names of systems."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason
from judges.backends.contract import JudgeInput, JudgeOutput
from protocols import Protocol as AskedProtocol

#: As `Verdict.Status`, once there is a result.
Status = Literal["ok", "repaired", "unparsed", "refused", "error"]
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Sound:
    """One clip, mono, as it was imported or as a probe perturbed it; `sha256` identifies it."""

    sha256: str
    seconds: float
    read: Callable[[], tuple[NDArray[np.float64], int]] = field(compare=False, repr=False)


@dataclass(frozen=True)
class Spoken:
    """One turn of one side: its text, as far as the import gave one, and its sound."""

    text: str = ""
    sound: Sound | None = None


@dataclass(frozen=True)
class Case:
    """One unit as it is put before a judge: the user's turns, and the responses in the order in which they are heard.

    `protocol` is the one that people are asked by, for this item. `seed` is the same whenever this unit is judged in
    this order for the nth time.
    """

    protocol: AskedProtocol
    prompt: tuple[Spoken, ...]
    responses: tuple[tuple[Spoken, ...], ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    item: str = ""
    sample: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Feature:
    """One extractor's finding about one clip; without a value, `reason` says why there is none."""

    name: str
    version: str
    value: Any = None
    reason: Reason | None = None


@dataclass(frozen=True)
class Shot:
    """A labelled unit as an example: the case, and the answers by question name, in the order of the case."""

    case: Case
    answers: Mapping[str, str]


class Tools(Protocol):
    """What a kind may use besides its case. Calls are cached, stored and counted behind it."""

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        """Raises JudgeError, Cancelled."""
        ...

    def features(self, sound: Sound, /) -> Mapping[str, Feature]:
        """By the extractor's name; every feature that the kind has named, absent ones with their reason."""
        ...

    def shots(self, case: Case, n: int, /) -> tuple[Shot, ...]:
        """Examples that share neither the item nor any clip with the case; fewer where there are not so many."""
        ...


@dataclass(frozen=True)
class Opinion:
    """The answers by question name, in the order of the case (`1` is heard first), or why there are none.

    They are those that `read_answers(as_judged(case.protocol), …)` takes. `said` is plain data that is shown beside
    the verdict: features, thresholds, votes of aspects.
    """

    status: Status
    answers: Mapping[str, str] = field(default_factory=dict)
    reasoning: str = ""
    message: Reason | None = None
    said: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """One thing that a researcher sets: a choice where there are `choices`, else by the type of the default."""

    name: str
    title: str
    default: str | int | float | bool
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of judge. `judge` says what it makes of a case; `fits` says why it cannot answer a protocol, or nothing.

    A changed prompt or threshold is a new version. `asks_model` needs a language model, `sends_sound` one that hears.
    `calls` is how often a model is asked about one case at most, for the estimate; `features` are the extractors that
    run before; `needs_examples` says whether it can say nothing without labelled units. With `must_qualify`, reports
    refuse its verdicts until it did as well as people on labelled prompts.
    """

    name: str
    version: str
    title: str
    summary: str
    judge: Callable[[Case, Settings, Tools], Opinion]
    fits: Callable[[AskedProtocol, Settings], Reason | None]
    settings: tuple[Setting, ...] = ()
    asks_model: bool = False
    sends_sound: bool = False
    calls: Callable[[AskedProtocol, Settings], int] = lambda _protocol, _settings: 0
    features: tuple[str, ...] = ()
    needs_examples: Callable[[Settings], bool] = lambda _settings: False
    source: str = ""
    must_qualify: bool = False
