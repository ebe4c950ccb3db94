"""What goes into a backend and what comes out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from infrastructure.wording.reasons import Reason, Reasoned

#: `ok`: as asked; `repaired`: found inside something else; `unparsed`: no answer to be found; `refused`: the model
#: would not. What is unparsed or refused is missing, and never an answer.
ParseStatus = Literal["ok", "repaired", "unparsed", "refused"]
IsCancelled = Callable[[], bool]
#: How a server wants sound: as OpenAI's `input_audio`, as an `audio_url` that holds the data (vLLM), or not at all.
SoundForm = Literal["", "input_audio", "audio_url"]

#: Why a reply ended, in the servers' word, where it met the limit of tokens.
CUT_OFF = "length"
#: Tokens that are part of those of the question or of the reply, and may have a price of their own.
TOKEN_KINDS = ("audio_in", "cached_in", "reasoning_out", "audio_out")


@dataclass(frozen=True)
class SoundPart:
    """A sound in a message: one mono WAV file of 16 bits, made only when it is sent.

    `sha256` covers everything that determines the file: the clips, what was put between them, rate and
    level. `holds` says the same in words, in order.
    """

    sha256: str
    seconds: float
    rate: int
    wav: Callable[[], bytes] = field(compare=False, repr=False)
    holds: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgeInput:
    """Messages as the chat endpoint takes them, and the JSON Schema of the reply.

    Where a message's content is a list of parts, a `SoundPart` may be one of them; `judges.backends.messages` makes
    of it the stored and the sent form.
    """

    messages: tuple[Mapping[str, Any], ...]
    schema: Mapping[str, Any]
    schema_name: str = "reply"
    max_tokens: int = 1024
    temperature: float = 0.0


@dataclass(frozen=True)
class JudgeOutput:
    """A reply as it came, what was read from it, and what it used; `model` is as the server named it.

    `tokens_in` and `tokens_out` are all that is billed as question and as reply; the others are those of them that
    were sound, read from a cache, or thinking. None: the server does not say, or what it says cannot be, which
    `is_miscounted` tells. `finish_reason` is why the reply ended, in the server's word; `problem` why nothing was
    read from it.
    """

    raw: str
    status: ParseStatus
    data: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    attempts: int = 1
    audio_in: int | None = None
    cached_in: int | None = None
    reasoning_out: int | None = None
    audio_out: int | None = None
    finish_reason: str = ""
    problem: Reason | None = None
    is_miscounted: bool = False

    @property
    def kinds(self) -> dict[str, int | None]:
        """The tokens that are billed in their own way, by name."""
        return {name: getattr(self, name) for name in TOKEN_KINDS}


class JudgeError(Reasoned):
    """No reply could be had. `permanent` says that asking again is of no use; `reason` is for a researcher.

    `status` is that of HTTP, where there was one; `retry_after` the seconds that the server wants to be left alone;
    `no_quota` that the account's quota is used up until it is paid or a day is over. `was_sent`: no answer came
    to a question that was sent, so that it may be billed. `counted` is what came where it counts tokens.
    """

    def __init__(
        self,
        reason: Reason,
        *,
        permanent: bool,
        status: int | None = None,
        retry_after: float | None = None,
        no_quota: bool = False,
        was_sent: bool = False,
        counted: JudgeOutput | None = None,
    ) -> None:
        super().__init__(reason)
        self.permanent = permanent
        self.status, self.retry_after, self.no_quota = status, retry_after, no_quota
        self.was_sent, self.counted = was_sent, counted


class Cancelled(Exception):
    """The work was cancelled while it waited."""


class Backend(Protocol):
    def ask(self, wanted: JudgeInput, *, is_cancelled: IsCancelled = ...) -> JudgeOutput:
        """Raises JudgeError, Cancelled."""
        ...

    def abandon(self) -> None:
        """From another thread: close the connections of what is under way and cancelled."""
        ...
