"""Which parameter a server would not take, by its own words, and what to change."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.backends.contract import JudgeError, JudgeOutput
from judges.backends.parameters import Parameters

#: Codes by which servers say that it is a parameter.
CODES = {"unsupported_parameter", "unsupported_value", "unknown_parameter", "invalid_parameter"}
#: How servers that validate by pydantic, such as vLLM, report unknown names.
EXTRA = re.compile(r"extra inputs are not permitted|extra_forbidden", re.IGNORECASE)
#: How they word it: OpenAI, OpenAI of before, Gemini, others.
WORDINGS = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        r"unsupported (?:parameter|value): ['\"]?(?P<name>\w+)",
        r"un(?:known|recognized) (?:parameter|name|field|request argument(?: supplied)?):? ['\"]?(?P<name>\w+)",
        r"['\"`](?P<name>\w+)['\"`] (?:is not supported|does not support|cannot be used)",
        r"does not support (?:the )?(?:parameters?:? )?['\"`]?(?P<name>\w+)",
    )
)
LIMITS = ("max_tokens", "max_completion_tokens")


class ParameterRefused(JudgeError):
    """The server does not take a parameter of this model; the reason says what to change."""

    def __init__(self, parameter: str, *, status: int, said: str, counted: JudgeOutput | None = None) -> None:
        super().__init__(_what_to_change(parameter, status, said), permanent=True, status=status, counted=counted)
        self.parameter = parameter


def refused_parameter(error: Mapping[str, Any], message: str, sent: Collection[str]) -> str:
    """The parameter, among those that were sent, that the server's error names; empty where it names none.

    >>> refused_parameter({}, "Unsupported value: 'temperature' does not support 0.0", ["temperature"])
    'temperature'
    """
    if error.get("code") in CODES and (named := str(error.get("param") or "").split(".")[0]) in sent:
        return named
    if EXTRA.search(message):
        return next((name for name in sent if re.search(rf"\b{re.escape(name)}\b", message)), "")
    found = (match["name"] for wording in WORDINGS for match in wording.finditer(message))
    return next((name for name in found if name in sent), "")


def without_parameter(parameters: Parameters, refused: str) -> Parameters | None:
    """The nearest parameters that do without what was refused; None where there are none.

    >>> without_parameter(Parameters(), "max_tokens").limit_name
    'max_completion_tokens'
    """
    if refused == "max_tokens":
        return replace(parameters, limit_name="max_completion_tokens")
    if refused == "max_completion_tokens":
        return replace(parameters, limit_name="max_tokens")
    if refused == "temperature":
        return replace(parameters, sends_temperature=False)
    if refused == "reasoning_effort":
        return replace(parameters, reasoning_effort="")
    return None


def _what_to_change(parameter: str, status: int, said: str) -> Reason:
    answer = {"status": status, "said": said}
    if parameter in LIMITS:
        other = next(name for name in LIMITS if name != parameter)
        return reasons.LIMIT_REFUSED(parameter=parameter, other=other, **answer)
    if parameter == "temperature":
        return reasons.TEMPERATURE_REFUSED(**answer)
    if parameter == "reasoning_effort":
        return reasons.EFFORT_REFUSED(**answer)
    return reasons.PARAMETER_REFUSED(parameter=parameter, **answer)
