"""What can go wrong, as exceptions whose text says what to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class EarshotError(Exception):
    """Everything that this package raises on purpose."""


class Unreachable(EarshotError):
    """The server could not be reached, or did not answer, however often it was asked."""


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field of what was sent; `code` is a word for programs."""

    field: str
    message: str
    code: str = ""


class Problem(EarshotError):
    """The server refused a request: a problem of RFC 9457 with its status, code, sentence and fields."""

    def __init__(self, status: int, code: str, detail: str, errors: Sequence[FieldError] = ()) -> None:
        self.status, self.code, self.detail, self.errors = status, code, detail, tuple(errors)
        lines = [f"{status} {code}: {detail}"]
        lines += [f"  {it.field or 'request'}: {it.message}" for it in errors if it.message != detail or it.field]
        super().__init__("\n".join(lines))

    @classmethod
    def of(cls, status: int, body: Any, reason: str) -> "Problem":
        """From the body of a response, also where it is none of Earshot's, such as a proxy's page."""
        if not isinstance(body, Mapping) or "detail" not in body:
            return cls(status, "no_problem_document", f"The server, or a proxy before it, replied: {reason}")
        errors = [FieldError(it["field"], it["message"], it.get("code", "")) for it in body.get("errors", [])]
        return cls(status, str(body.get("code", "")), str(body["detail"]), errors)


class WorkFailed(EarshotError):
    """Work in the background ended without success; `found` is what the server says of it."""

    def __init__(self, what: str, found: Mapping[str, Any], hint: str = "") -> None:
        self.found = found
        self.what = what
        lines = dict.fromkeys(_reasons(found))  # a job may say the same as what it is about
        super().__init__("\n".join([f"{what}: {found.get('status')}", *lines, *([hint] if hint else [])]))

    def is_for(self, code: str) -> bool:
        """Whether this reason stands anywhere in what was found."""
        return code in _codes(self.found)

    def with_hint(self, hint: str) -> "WorkFailed":
        """The same, with what to do about it."""
        return WorkFailed(self.what, self.found, hint)


def _codes(found: Any) -> set[str]:
    """The codes of reasons in what was found, wherever they stand."""
    parts = list(found.values()) if isinstance(found, Mapping) else list(found) if isinstance(found, list) else []
    own = {str(found["code"])} if isinstance(found, Mapping) and found.get("code") else set()
    return own.union(*map(_codes, parts))


def _reasons(found: Mapping[str, Any]) -> list[str]:
    """The sentences in what was found, wherever they stand."""
    lines = []
    for name in ("error", "message", "stopped_for"):
        said = found.get(name)
        if isinstance(said, Mapping) and said.get("detail"):
            lines.append(f"  {said['detail']}")
    report = found.get("report")
    job = found.get("job")
    problems = list(found.get("errors") or [])
    problems += list(report.get("problems") or []) if isinstance(report, Mapping) else []
    for it in problems[:20]:
        said = it.get("message", it)
        sentence = said.get("detail", said) if isinstance(said, Mapping) else said
        where = " ".join(str(it[name]) for name in ("row", "field") if it.get(name) not in (None, ""))
        lines.append(f"  {where}: {sentence}" if where else f"  {sentence}")
    return lines + (_reasons(job) if isinstance(job, Mapping) else [])
