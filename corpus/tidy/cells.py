"""Cells: values as text that a spreadsheet leaves alone, and that text as values again."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from corpus.tidy import reasons
from infrastructure.files.csv_files import plain, with_comma
from infrastructure.wording.reasons import Reason, Reasoned, reason_of

T = TypeVar("T")


def as_json(value: object) -> str | None:
    """Compact JSON; an empty cell for nothing."""
    return json.dumps(value, ensure_ascii=False) if value else None


class Unfit(Reasoned, ValueError):
    """What a cell holds is not what its column is for. The message goes on from “cannot be read as JSON: ”."""


class Cells:
    """One row's cells as values. What cannot be read is gathered in `errors` by column; its value is then empty.

    A column that is not there counts as empty.
    """

    def __init__(self, row: Mapping[str, str]) -> None:
        self._row = row
        self.errors: dict[str, Reason] = {}

    def refuse(self, column: str, message: Reason) -> None:
        self.errors.setdefault(column, message)

    def text(self, column: str, *, longest: int, needed: bool = False) -> str:
        text = plain(self._row.get(column, ""))
        if needed and not text:
            self.refuse(column, reasons.CELL_EMPTY(column=column))
        if len(text) > longest:
            self.refuse(column, reasons.CELL_TOO_LONG(column=column, n=len(text), most=longest))
            return ""
        return text

    def one_of(self, column: str, choices: Iterable[str]) -> str:
        known = tuple(choices)
        text = self.text(column, longest=100)
        if text not in known:
            self.refuse(column, reasons.NONE_OF(text=repr(text), known=", ".join(known)))
        return text

    def whole(self, column: str, least: int, most: int) -> int | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        if re.fullmatch(r"[0-9]{1,9}", text) and least <= int(text) <= most:
            return int(text)
        self.refuse(column, reasons.NO_WHOLE_NUMBER(text=repr(text), least=least, most=most))
        return None

    def number(self, column: str, least: float, most: float) -> float | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        try:
            return finite(float(text), least=least, most=most)
        except ValueError:
            bounds = {"text": repr(text), "least": f"{least:g}", "most": f"{most:g}"}
            point = with_comma(text).strip()
            self.refuse(
                column, reasons.NO_NUMBER_POINT(**bounds, point=point) if point else reasons.NO_NUMBER(**bounds)
            )
            return None

    def truth(self, column: str) -> bool | None:
        """Spreadsheets write it in capitals."""
        text = self.text(column, longest=100)
        if text.lower() not in ("", "true", "false"):
            self.refuse(column, reasons.NO_TRUTH(text=repr(text)))
        return {"true": True, "false": False}.get(text.lower())

    def time(self, column: str) -> datetime | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        try:
            return _with_offset(datetime.fromisoformat(text)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.refuse(column, reasons.NO_TIME(text=repr(text)))
            return None

    def json(self, column: str, read: Callable[[Any], T]) -> T | None:
        """What `read` makes of the parsed cell; it raises Unfit where that is not what it should be."""
        text = self.text(column, longest=100_000)
        if not text:
            return None
        try:
            return read(json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number))
        except (ValueError, RecursionError) as error:
            self.refuse(column, reasons.CELL_NO_JSON(column=column, why=reason_of(error)))
            return None


def finite(value: object, *, least: float, most: float) -> float:
    """The value as a number. Raises Unfit where it is none, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit(reasons.TO_BE_NUMBER(value=repr(str(value)[:40])))
    if not least <= value <= most:  # so is nan
        raise Unfit(reasons.NOT_BETWEEN(value=str(value)[:40], least=f"{least:g}", most=f"{most:g}"))
    return float(value)


def kept(value: object, *, longest: int) -> str:
    """The value as text that a database keeps. Raises Unfit where it is none, empty or too long."""
    if not isinstance(value, str) or not value:
        raise Unfit(reasons.TO_BE_TEXT(value=repr(str(value)[:40])))
    if len(value) > longest:
        raise Unfit(reasons.TEXT_HAS_TOO_MANY(value=repr(value[:20]), n=len(value), most=longest))
    if "\0" in value:
        raise Unfit(reasons.TEXT_HOLDS_NUL())
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Unfit(reasons.TEXT_HOLDS_HALF()) from error
    return value


def _with_offset(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise Unfit(reasons.NO_OFFSET())
    return time


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unfit(reasons.NAME_STANDS_TWICE())
    return found


def _no_number(name: str) -> float:
    raise Unfit(reasons.IS_NOT_A_NUMBER(name=name))
