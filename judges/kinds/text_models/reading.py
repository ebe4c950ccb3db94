"""How a judge that reads is set up, asks a model, and reads the reply as answers to a protocol."""

from collections.abc import Mapping
from typing import Any

from judges import reasons
from judges.backends.contract import JudgeInput, JudgeOutput
from judges.kinds.contract import Case, Opinion, Setting, Settings, Tools
from judges.kinds.text_models.material import Message
from protocols import InvalidAnswers, Protocol, questions, read_answers
from protocols.consistency import REASONING
from protocols.judging import as_judged, judge_schema

READ = ("ok", "repaired")
MAX_TOKENS = Setting("max_tokens", "Most tokens in one reply", 1500, least=50, most=16_000)
TEMPERATURE = Setting("temperature", "Temperature", 0.0, least=0.0, most=2.0)
#: What every judge that asks a model has.
OF_MODEL = (MAX_TOKENS, TEMPERATURE)


def setting(settings: Settings, wanted: Setting) -> Any:
    return settings.get(wanted.name, wanted.default)


def ask(
    protocol: Protocol,
    messages: tuple[Message, ...],
    settings: Settings,
    tools: Tools,
    *,
    n_responses: int,
    extra: Mapping[str, Any] | None = None,
) -> JudgeOutput:
    """The reply in the form that the protocol wants, with the properties of `extra` beside its answers.

    Raises JudgeError, Cancelled.
    """
    schema = judge_schema(protocol, n_responses)
    if extra:
        properties = {name: one for key in schema["required"] for name, one in _with_extra(key, schema, extra)}
        schema |= {"properties": properties, "required": list(properties)}
    return tools.ask(
        JudgeInput(
            messages=messages,
            schema=schema,
            schema_name="verdict",
            max_tokens=int(setting(settings, MAX_TOKENS)),
            temperature=float(setting(settings, TEMPERATURE)),
        )
    )


def read_opinion(protocol: Protocol, said: JudgeOutput, *, n_responses: int) -> Opinion:
    """The reply as answers to the protocol as it is judged; one that it does not take is unparsed.

    Three things are mended, and called so: a number where its digits are a choice, blanks around a choice, and an
    answer to a question that does not arise, which is left out.
    """
    reasoning = _text(said.data.get(REASONING))
    if said.status == "refused":
        return Opinion("refused", reasoning=reasoning, message=reasons.MODEL_REFUSED())
    if said.status == "unparsed":
        problem = said.problem or reasons.REPLY_UNREADABLE()
        return Opinion("unparsed", reasoning=reasoning, message=problem)
    judged = as_judged(protocol)
    answers, mended = _given(judged, said.data, n_responses)
    try:
        read_answers(judged, answers, n_responses=n_responses)
    except InvalidAnswers as fault:
        return Opinion("unparsed", reasoning=reasoning, message=fault.reason)
    return Opinion("repaired" if mended else said.status, answers, reasoning)


def case_opinion(case: Case, messages: tuple[Message, ...], settings: Settings, tools: Tools) -> Opinion:
    """Every question of the case's protocol in one request. Raises JudgeError, Cancelled."""
    n_responses = len(case.responses)
    said = ask(case.protocol, messages, settings, tools, n_responses=n_responses)
    return read_opinion(case.protocol, said, n_responses=n_responses)


def _with_extra(key: str, schema: Mapping[str, Any], extra: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """An extra property `x.reason` directly before `x`, so that it is written before."""
    before = [(name, one) for name, one in extra.items() if name.rpartition(".")[0] == key]
    return [*before, (key, schema["properties"][key])]


def _given(protocol: Protocol, data: Mapping[str, Any], n_responses: int) -> tuple[dict[str, str], bool]:
    """The answers to questions that arise, and whether anything was mended."""
    given: dict[str, str] = {}
    mended = False
    for question in questions(protocol, n_responses):
        said = data.get(question.name)
        text = _text(said).strip()
        if not text:
            continue
        mended |= text != said or not question.is_put(given)
        if question.is_put(given):
            given[question.name] = text
    return given, mended


def _text(said: object) -> str:
    """What was written, or a whole number's digits; anything else is no answer."""
    if isinstance(said, int) and not isinstance(said, bool):
        return str(said)
    return said if isinstance(said, str) else ""
