"""Cells: values as text that a spreadsheet leaves alone, and that text as values again."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from campaigns.tidy.delimiters import with_comma

T = TypeVar("T")

#: A spreadsheet would run a cell that begins like this; apostrophes before it are counted along.
_RUNS = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def harmless(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would run: `=cmd()` becomes `'=cmd()`. Numbers stay.

    A text that looks as if it had an apostrophe already gets another, so that no two texts look the same.
    """
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def plain(cell: str) -> str:
    """The inverse of `harmless`."""
    return cell[1:] if cell.startswith("'") and _RUNS.match(cell) else cell


def csv_line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    # With this line end every cell that holds a carriage return is quoted, too; the line itself ends in a newline.
    writer = csv.writer(line, lineterminator="\r\n")
    writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue().removesuffix("\r\n") + "\n"


def as_json(value: object) -> str | None:
    """Compact JSON; an empty cell for nothing."""
    return json.dumps(value, ensure_ascii=False) if value else None


class Unfit(ValueError):
    """What a cell holds is not what its column is for. The message goes on from “cannot be read as JSON: ”."""


class Cells:
    """One row's cells as values. What cannot be read is gathered in `errors` by column; its value is then empty.

    A column that is not there counts as empty.
    """

    def __init__(self, row: Mapping[str, str]) -> None:
        self._row = row
        self.errors: dict[str, str] = {}

    def refuse(self, column: str, message: str) -> None:
        self.errors.setdefault(column, message)

    def text(self, column: str, *, longest: int, needed: bool = False) -> str:
        text = plain(self._row.get(column, ""))
        if needed and not text:
            self.refuse(column, f"The cell {column} is empty.")
        if len(text) > longest:
            self.refuse(column, f"The cell {column} has {len(text)} characters; at most {longest} are kept.")
            return ""
        return text

    def one_of(self, column: str, choices: Iterable[str]) -> str:
        known = tuple(choices)
        text = self.text(column, longest=100)
        if text not in known:
            self.refuse(column, f"{text!r} is none of {', '.join(known)}.")
        return text

    def whole(self, column: str, least: int, most: int) -> int | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        if re.fullmatch(r"[0-9]{1,9}", text) and least <= int(text) <= most:
            return int(text)
        self.refuse(column, f"{text!r} is no whole number from {least} to {most}.")
        return None

    def number(self, column: str, least: float, most: float) -> float | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        try:
            return finite(float(text), least=least, most=most)
        except ValueError:
            self.refuse(column, f"{text!r} is no number from {least:g} to {most:g}.{with_comma(text)}")
            return None

    def truth(self, column: str) -> bool | None:
        """Spreadsheets write it in capitals."""
        text = self.text(column, longest=100)
        if text.lower() not in ("", "true", "false"):
            self.refuse(column, f"{text!r} is neither True nor False.")
        return {"true": True, "false": False}.get(text.lower())

    def time(self, column: str) -> datetime | None:
        text = self.text(column, longest=100)
        if not text:
            return None
        try:
            return _with_offset(datetime.fromisoformat(text)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.refuse(column, f"{text!r} is no time with its offset, like 2026-01-31T12:00:00+00:00.")
            return None

    def json(self, column: str, read: Callable[[Any], T]) -> T | None:
        """What `read` makes of the parsed cell; it raises Unfit where that is not what it should be."""
        text = self.text(column, longest=100_000)
        if not text:
            return None
        try:
            return read(json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number))
        except (ValueError, RecursionError) as error:
            self.refuse(column, f"The cell {column} cannot be read as JSON: {error}.")
            return None


def finite(value: object, *, least: float, most: float) -> float:
    """The value as a number. Raises Unfit where it is none, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit(f"{str(value)[:40]!r} is to be a number")
    if not least <= value <= most:  # so is nan
        raise Unfit(f"{str(value)[:40]} does not lie between {least:g} and {most:g}")
    return float(value)


def kept(value: object, *, longest: int) -> str:
    """The value as text that a database keeps. Raises Unfit where it is none, empty or too long."""
    if not isinstance(value, str) or not value:
        raise Unfit(f"{str(value)[:40]!r} is to be a text")
    if len(value) > longest:
        raise Unfit(f"{value[:20]!r}… has {len(value)} characters; at most {longest} are kept")
    if "\0" in value:
        raise Unfit("a text holds a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Unfit("a text holds half a surrogate pair") from error
    return value


def _with_offset(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise Unfit("it has no offset")
    return time


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unfit("a name stands twice in it")
    return found


def _no_number(name: str) -> float:
    raise Unfit(f"{name} is not a number")
