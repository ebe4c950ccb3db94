"""Which parameters a model takes, and the request's body by them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from judges.backends.contract import JudgeInput

#: How the limit of a reply's tokens is called: as it was at first, as reasoning models want it, or not sent at all.
LimitName = Literal["max_tokens", "max_completion_tokens", "none"]
#: What no extra body may name: it has a field of its own, or the reply could not be read.
RESERVED = frozenset(
    {"model", "messages", "stream", "n", "max_tokens", "max_completion_tokens", "temperature", "reasoning_effort"}
)


@dataclass(frozen=True)
class Parameters:
    """What a model is sent beside the messages.

    `thinking_tokens` are added to the limit of each reply, where a model's thinking counts against it.
    """

    limit_name: LimitName = "max_tokens"
    sends_temperature: bool = True
    reasoning_effort: str = ""
    thinking_tokens: int = 0
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def most_tokens(self, wanted: JudgeInput) -> int:
        """The limit of one reply, its thinking included."""
        return wanted.max_tokens + self.thinking_tokens

    def sent(self, wanted: JudgeInput) -> dict[str, Any]:
        """The parameters by the names under which they are sent."""
        named: dict[str, Any] = {}
        if self.limit_name != "none":
            named[self.limit_name] = self.most_tokens(wanted)
        if self.sends_temperature:
            named["temperature"] = wanted.temperature
        if self.reasoning_effort:
            named["reasoning_effort"] = self.reasoning_effort
        return named | {name: value for name, value in self.extra_body.items() if name not in RESERVED}


def chat_body(
    model: str,
    wanted: JudgeInput,
    messages: list[dict[str, Any]],
    parameters: Parameters,
    *,
    with_schema: bool,
) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": messages}
    if with_schema:
        schema = {"name": wanted.schema_name, "strict": True, "schema": wanted.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body | parameters.sent(wanted)
