"""After a test that commits only the tables that hold rows are emptied: all of them take PostgreSQL a second."""

from collections.abc import Callable
from typing import Any

from django.db import connection

#: Django fills these again after each emptying, with the rows that were there.
SAME_IN_EACH_TEST = {"auth_permission", "django_content_type"}


def of_tables_with_rows(sql_flush: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The database's `sql_flush`, which would truncate every table.

    Foreign keys are checked when the transaction ends, so tables are emptied in any order.
    """

    def statements(style: Any, tables: list[str], *, reset_sequences: bool = False, **options: Any) -> list[str]:
        if reset_sequences:
            return sql_flush(style, tables, reset_sequences=True, **options)
        quote = connection.ops.quote_name
        return [f"DELETE FROM {quote(table)};" for table in with_rows({*tables} - SAME_IN_EACH_TEST)]  # noqa: S608 - our own

    return statements


def with_rows(tables: set[str]) -> list[str]:
    quote = connection.ops.quote_name
    asked = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in sorted(tables)]  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        return [table for (table,) in cursor.fetchall()]
