"""What stands between the columns of a CSV: commas, semicolons or tabs, as the language of a spreadsheet has it."""

import csv
import re

#: Where two of them would make as many columns, the first counts.
DELIMITERS = ",;\t"


def delimiter_of(header: str) -> str:
    """The one that parts this line into the most columns; a comma where none does.

    >>> delimiter_of('item;"system, with its version";audio')
    ';'
    """
    return max(DELIMITERS, key=lambda delimiter: len(split_header(header, delimiter)))


def delimiter_of_table(text: str) -> str:
    """The same for a whole table, whose first line is the header."""
    return delimiter_of(re.split(r"[\r\n]", text, maxsplit=1)[0])


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
