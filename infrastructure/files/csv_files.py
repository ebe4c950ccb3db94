"""CSV: values as cells that a spreadsheet does not run, cells as values again, and what stands between columns."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

CSV = "text/csv; charset=utf-8"
#: Where two of them would make as many columns, the first counts.
DELIMITERS = ",;\t"
#: A spreadsheet would run a cell that begins like this; apostrophes before it are counted along.
_RUNS = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
#: How such a cell begins; most do not, and looking at one sign is fast.
_BEGINS = frozenset("'=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def harmless(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would run: `=cmd()` becomes `'=cmd()`. Numbers stay.

    A text that looks as if it had an apostrophe already gets another, so that no two texts look the same.
    """
    if text[:1] not in _BEGINS:
        return text
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def plain(cell: str) -> str:
    """The inverse of `harmless`."""
    return cell[1:] if cell.startswith("'") and _RUNS.match(cell) else cell


class _Returning:
    """A file whose writer returns each line."""

    @staticmethod
    def write(line: str) -> str:
        return line


def csv_line(cells: Iterable[object]) -> str:
    # With this line end every cell that holds a carriage return is quoted, too; the line itself ends in a newline.
    writer: Any = csv.writer(_Returning(), lineterminator="\r\n")
    line: str = writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.removesuffix("\r\n") + "\n"


def dict_reader(text: str) -> "csv.DictReader[str]":
    """The rows of a table by the names in its header; reading them raises csv.Error where it is no CSV."""
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return csv.DictReader(io.StringIO(text), delimiter=delimiter_of(header), strict=True)


def delimiter_of(header: str) -> str:
    """The one of commas, semicolons and tabs that parts this line into the most columns; a comma where none does.

    >>> delimiter_of('item;"system, with its version";audio')
    ';'
    """
    return max(DELIMITERS, key=lambda delimiter: len(split_header(header, delimiter)))


def split_header(line: str, delimiter: str) -> list[str]:
    """The names in a header; none where the line is no CSV."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def with_comma(number: str) -> str:
    """What to say of a number that cannot be read, where a decimal comma is why; else nothing.

    >>> with_comma("0,5")
    ' Write decimals with a point: 0.5.'
    """
    if not re.fullmatch(r"[+-]?[0-9]+,[0-9]+", number):
        return ""
    return f" Write decimals with a point: {number.replace(',', '.')}."
