"""Reading a completion: text, why it ended, what it used."""

from collections.abc import Mapping
from typing import Any

from judges.backends.contract import JudgeInput, JudgeOutput
from judges.backends.replies import Reading, read_reply, storable

MOST_FINISH = 40
MOST_MODEL = 200
#: No question is longer than the largest context of any model (Llama 4 Scout), and no reply than its limit of tokens
#: and the most that a model thinks beyond it (the largest limit of a reply, thinking included, is 128,000). What a
#: server counts above that, or below 0, counts as missing.
MOST_TOKENS_IN, MOST_THINKING = 10_000_000, 131_072


class NoCompletion(ValueError):
    """What came is no chat completion."""


def read_completion(
    reply: Any, wanted: JudgeInput, *, model: str, limit: int = 0, seconds: float = 0.0, attempts: int = 1
) -> JudgeOutput:
    """A server's JSON as an output; `model` is used where it names none. Raises NoCompletion.

    `limit` is that of the reply's tokens, thinking included; without one it is what was wanted.
    """
    try:
        choice = reply["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
        finish_reason = str(choice.get("finish_reason") or "")
        named = str(reply.get("model") or model)
        usage = reply.get("usage")
    except (LookupError, TypeError, AttributeError) as error:
        raise NoCompletion from error
    counts = counted(usage, limit=limit or wanted.max_tokens)
    reading = _read(text, refusal, finish_reason, wanted)
    return JudgeOutput(
        raw=storable(refusal or text),
        status=reading.status,
        data=reading.data,
        problem=reading.problem,
        model=storable(named)[:MOST_MODEL],
        finish_reason=storable(finish_reason)[:MOST_FINISH],
        seconds=seconds,
        attempts=attempts,
        is_miscounted=_is_miscounted(usage, counts),
        **counts,
    )


def counted(usage: Any, *, limit: int = 0) -> dict[str, int | None]:
    """The tokens of an answer by kind, None where they are missing or invalid; `limit` is that of the reply.

    What is billed as output is whatever of the total is not the prompt: some servers leave thinking out of
    `completion_tokens`.

    >>> found = counted({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 5100})
    >>> found["tokens_in"], found["tokens_out"]
    (1000, 4100)
    >>> counted({"prompt_tokens": 1000, "total_tokens": 0})["tokens_out"] is None
    True
    """
    usage, most_out = usage if isinstance(usage, Mapping) else {}, limit + MOST_THINKING
    ins, outs = _details(usage, "prompt_tokens_details"), _details(usage, "completion_tokens_details")
    tokens_in = _count(usage.get("prompt_tokens"), MOST_TOKENS_IN)
    reasoning = _count(outs.get("reasoning_tokens"), most_out)
    return {
        "tokens_in": tokens_in,
        "tokens_out": _billed_out(usage, tokens_in, reasoning, most_out),
        "audio_in": _count(ins.get("audio_tokens"), MOST_TOKENS_IN),
        "cached_in": _count(ins.get("cached_tokens"), MOST_TOKENS_IN),
        "reasoning_out": reasoning,
        "audio_out": _count(outs.get("audio_tokens"), most_out),
    }


def _billed_out(usage: Mapping[str, Any], tokens_in: int | None, reasoning: int | None, most: int) -> int | None:
    completion = _count(usage.get("completion_tokens"), most)
    total = _count(usage.get("total_tokens"), MOST_TOKENS_IN + most)
    candidates = [] if completion is None else [completion]
    if total is not None and tokens_in is not None:
        candidates.append(total - tokens_in)
    if completion is not None and reasoning is not None and reasoning > completion:
        candidates.append(completion + reasoning)  # it cannot be a part of what is less
    return max((number for number in candidates if 0 <= number <= most), default=None)


def _is_miscounted(usage: Any, counts: Mapping[str, int | None]) -> bool:
    """Whether the server counts, and its numbers cannot be."""
    found = usage if isinstance(usage, Mapping) else {}
    names = {"tokens_in": ("prompt_tokens",), "tokens_out": ("completion_tokens", "total_tokens")}
    return any(
        counts[kind] is None and any(isinstance(found.get(name), int) for name in ways)
        for kind, ways in names.items()
    )


def _read(text: str, refusal: str, finish_reason: str, wanted: JudgeInput) -> Reading:
    if refusal or finish_reason.startswith("content_filter"):
        return Reading("refused")
    return read_reply(text, wanted.schema, finish_reason=finish_reason)


def _text(content: Any) -> str:
    """A message's text; of a list of parts those of text alone, without thinking."""
    if isinstance(content, list):
        parts = (
            part for part in content if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")
        )
        return "".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def _details(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = usage.get(name)
    return found if isinstance(found, Mapping) else {}


def _count(number: object, most: int) -> int | None:
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number <= most else None
