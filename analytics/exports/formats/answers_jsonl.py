from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.exports.formats.format import Format
from analytics.exports.source import Source
from analytics.exports.tables.flat import answer_rows, as_plain
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines


def write(source: Source, path: Path) -> int:
    return write_lines(path, map(as_plain, answer_rows(source)))


JSONL = Format(
    name="jsonl",
    title=gettext_noop("Answers as JSON Lines"),
    about=gettext_noop("The same rows, with lists and objects as such; can be imported again."),
    ending="answers.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
)
