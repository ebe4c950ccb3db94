from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.exports.formats.format import Format
from analytics.exports.source import Source
from analytics.exports.tables.columns import schema_of
from analytics.exports.tables.flat import FIELDS, answer_rows, as_columns
from analytics.exports.tables.parquet import write_parquet


def write(source: Source, path: Path) -> int:
    return write_parquet(path, schema_of(FIELDS), map(as_columns, answer_rows(source)))


PARQUET = Format(
    name="parquet",
    title=gettext_noop("Answers as Parquet"),
    about=gettext_noop("The same rows with types, for pandas and large studies; can be imported again."),
    ending="answers.parquet",
    content_type="application/vnd.apache.parquet",
    write=write,
)
