from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.exports.formats.format import Format
from analytics.exports.source import Source
from analytics.exports.tables.flat import COLUMNS, answer_rows
from infrastructure.files import csv_files
from infrastructure.files.csv_files import csv_line


def write(source: Source, path: Path) -> int:
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(csv_line(COLUMNS))
        for row in answer_rows(source):
            file.write(csv_line(row.values()))
            n += 1
    return n


CSV = Format(
    name="csv",
    title=gettext_noop("Answers as CSV"),
    about=gettext_noop("One row per answer, for spreadsheets and scripts; can be imported again."),
    ending="answers.csv",
    content_type=csv_files.CSV,
    write=write,
)
