"""Many rows of plain values at once; `bulk_create` takes several times as long, most of it for making objects."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from django.db import connections, models, router

BATCH = 500


def insert_rows(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]], *, skip_existing: bool = False
) -> None:
    """Insert rows that have a value for each of the fields named: numbers, texts, truths, None, ids of other rows.

    All fields but the id are named, because defaults are not filled in. With `skip_existing`, rows that a constraint
    of uniqueness refuses are left out. Raises IntegrityError and DataError, as `bulk_create` does.
    """
    connection = connections[router.db_for_write(model)]
    quoted = connection.ops.quote_name
    fields = [model._meta.get_field(name) for name in names]
    columns = ", ".join(quoted(field.column) for field in fields if isinstance(field, models.Field))
    places = ", ".join(["%s"] * len(names))
    query = f"INSERT INTO {quoted(model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608 - names of our own
    if skip_existing:
        query += " ON CONFLICT DO NOTHING"
    with connection.cursor() as cursor:
        left = iter(rows)
        while some := list(islice(left, BATCH)):
            cursor.executemany(query, some)
