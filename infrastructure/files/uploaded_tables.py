"""Small tables that people upload as CSV: gold answers, criteria, pairs."""

import csv
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from infrastructure.files.csv_files import dict_reader

T = TypeVar("T")


class InvalidTable(ValueError):
    """A table that cannot be used. `faults` has a sentence for each row at fault."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def rows_of(text: str, *, needed: Collection[str]) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The rows with the line each ends on. Raises InvalidTable where it is no CSV, or lacks a needed column."""
    rows = dict_reader(text)
    try:
        if missing := [name for name in needed if name not in (rows.fieldnames or ())]:
            told = {"columns": ", ".join(needed), "missing": missing[0]}
            raise InvalidTable([_("The table needs the columns %(columns)s; %(missing)s is missing.") % told])
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        fault = _("Line %(n)s is not valid CSV: %(error)s.") % {"n": rows.reader.line_num, "error": error}
        raise InvalidTable([fault]) from error


def at_row(number: int, reason: object) -> str:
    return _("Row %(n)s: %(reason)s") % {"n": number, "reason": reason}


def uploaded(file: UploadedFile, read: Callable[[str], T], *, most_bytes: int) -> T:
    """What `read` makes of the file's text. Raises ValidationError with what is wrong, at most twenty faults."""
    if (file.size or 0) > most_bytes:
        raise ValidationError(_("This table is larger than %(n)s MB.") % {"n": most_bytes // 1_000_000})
    try:
        return read(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValidationError(_("This is not UTF-8 text. Save it as UTF-8.")) from error
    except InvalidTable as invalid:
        raise ValidationError(invalid.faults[:20]) from invalid
