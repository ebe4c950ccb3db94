"""Why something is refused, failed, undefined or left out: a code and parameters, worded when it is shown.

A code is declared once, with its English text, in the table of its app (`judges/reasons.py`,
`stats/reasons.py`, …). Rows, files and the API hold the code; catalogues translate the text. This module
knows no Django.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from infrastructure.wording.phrases import Phrase, placeholders

Json = dict[str, Any]


class Reason(Phrase):
    """One reason: a phrase in English that knows its code. Made by calling a ReasonCode."""

    code: str

    def as_json(self) -> Json:
        """What rows and files hold; a reason among the parameters is an object of the same shape.

        >>> TEXT(text="no such model").as_json()
        {'code': 'text', 'params': {'text': 'no such model'}}
        >>> TEXT(text=float("nan")).as_json()
        {'code': 'text', 'params': {'text': 'nan'}}
        """
        params = {name: it.as_json() if isinstance(it, Reason) else _bare(it) for name, it in self.parts.items()}
        return {"code": self.code, "params": params}

    @staticmethod
    def from_json(held: Mapping[str, Any]) -> "Reason":
        """A code that is declared no more is worded by itself: nothing that was held becomes unreadable.

        >>> Reason.from_json({"code": "text", "params": {"text": "no such model"}})
        'no such model'
        """
        params = {
            name: Reason.from_json(it) if isinstance(it, Mapping) else it for name, it in held["params"].items()
        }
        declared = CODES.get(held["code"])
        if declared is None or set(params) != declared.params:
            return _made(held["code"], "%(code)s", "", params | {"code": held["code"]})
        return declared(**params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.code, self.template, self.several, self.parts)


class ReasonCode:
    """A code and its text, whose gaps (`%(n)s`) are its parameters. Calling it gives a Reason.

    >>> FEW = ReasonCode("example_few", "fewer than %(n)s labels")
    >>> FEW(n=3), FEW(n=3).code
    ('fewer than 3 labels', 'example_few')

    With a second text the first is for `n` = 1.

    >>> LEFT_OUT = ReasonCode("example_left_out", "%(n)s label is left out", "%(n)s labels are left out")
    >>> LEFT_OUT(n=1), LEFT_OUT(n=2)
    ('1 label is left out', '2 labels are left out')
    """

    def __init__(self, code: str, text: str, several: str = "") -> None:
        self.code = code
        self.text = text
        self.several = several
        self.params = placeholders(several or text)
        if CODES.setdefault(code, self).text != text:
            raise ValueError(f"The code {code} is declared twice.")

    def __call__(self, **params: object) -> Reason:
        """Raises TypeError where the parameters are not those of the text."""
        if set(params) != self.params:
            raise TypeError(f"{self.code} takes {sorted(self.params)}, not {sorted(params)}.")
        return _made(self.code, self.text, self.several, params)


class Reasoned(Exception):
    """An exception with a reason, for the user."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def reason_of(fault: Exception) -> Reason:
    """Why something was refused; the words of a fault that has no code, except where only programmers know them."""
    if isinstance(fault, Reasoned):
        return fault.reason
    if isinstance(fault, RecursionError):
        return NESTED_WITHOUT_END()
    if isinstance(fault, UnicodeEncodeError):
        return HALF_A_CHARACTER()
    if "set_int_max_str_digits" in str(fault):  # Python has no class of its own for it
        return TOO_MANY_DIGITS()
    return TEXT(text=str(fault))


#: Every code that was declared.
CODES: dict[str, ReasonCode] = {}

#: Words from outside: what a file, a server or a library says.
TEXT = ReasonCode("text", "%(text)s")
NESTED_WITHOUT_END = ReasonCode("nested_without_end", "it is nested too deep to be read")
HALF_A_CHARACTER = ReasonCode("half_a_character", "a text holds half a character (half a surrogate pair)")
TOO_MANY_DIGITS = ReasonCode("too_many_digits", "a number has too many digits to be read")


def as_json(reason: Reason | None) -> Json | None:
    """What a file holds of a reason, or of none."""
    return None if reason is None else reason.as_json()


def without_details(value: Any) -> Any:
    """Data as a row has them: each reason in them as its code and parameters."""
    return _each(value, Reason.as_json)


def with_details(value: Any, worded: Callable[[Reason], str] = str) -> Any:
    """Data as a file has them: each reason in them as its code and parameters, with the sentence, in English."""
    return _each(value, lambda reason: reason.as_json() | {"detail": worded(reason)})


def read_reasons(value: Any) -> Any:
    """Data out of a row, with the reasons in them as reasons again.

    >>> read_reasons([2, TEXT(text="a tie").as_json()])
    [2, 'a tie']
    """
    if isinstance(value, Mapping):
        if value.keys() == {"code", "params"}:
            return Reason.from_json(value)
        return {name: read_reasons(part) for name, part in value.items()}
    return [read_reasons(part) for part in value] if isinstance(value, list) else value


def _each(value: Any, form: Callable[[Reason], Json]) -> Any:
    if isinstance(value, Reason):
        return form(value)
    if isinstance(value, Mapping):
        return {name: _each(part, form) for name, part in value.items()}
    return [_each(part, form) for part in value] if isinstance(value, list | tuple) else value


def _made(code: str, template: str, several: str, params: Mapping[str, object]) -> Reason:
    reason = Reason(template, several, **params)
    reason.code = code
    return reason


def _bare(part: object) -> object:
    """As JSON has it, which has no NaN and no infinity."""
    keepable = isinstance(part, bool | int | str) or (isinstance(part, float) and math.isfinite(part))
    return part if keepable else str(part)
