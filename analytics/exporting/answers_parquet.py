from pathlib import Path

from django.utils.translation import gettext_noop

from analytics.exporting.columns import schema_of
from analytics.exporting.flat import FIELDS, answer_rows, as_columns
from analytics.exporting.format import Format
from analytics.exporting.parquet import write_parquet
from analytics.exporting.source import Source


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
