"""Queries that are asked with every answer: built and compiled once, and then only given their values.

Django builds a query anew each time. For one row by a key that takes ten times as long as the database does
(docs/decisions/0047-compiled-queries.md).
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import BigAutoField, Expression, Field, QuerySet

Row = TypeVar("Row", bound=tuple[Any, ...])


class Given(Expression):
    """In the place of a value that only the asking brings: `filter(campaign=Given("campaign"))`.

    `field` is what the value is written as, where that is no key: `Given("assignment", UUIDField())`.
    """

    def __init__(self, name: str, field: "Field[Any, Any] | None" = None) -> None:
        super().__init__(output_field=field or BigAutoField())
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        return "%s", [self]

    def get_group_by_cols(self) -> list[Any]:
        """None, as for any other value."""
        return []


class Prepared(Generic[Row]):
    """What `build` makes, a query of columns (`values_list`), for `rows` to ask as often as one likes.

    No row of a model comes of it, and no column is converted: take keys, numbers and texts. A boolean is 0 or 1 with
    SQLite, a time or a UUID is a text there.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Row]]) -> None:
        self._build = build
        self._compiled: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def rows(self, **given: object) -> list[Row]:
        """The rows for these values, by the names under which they are `Given`. Raises KeyError for a missing one."""
        sql, parts = self._of_database()
        values: list[Any] = [_written(part, given[part.name]) if isinstance(part, Given) else part for part in parts]
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            found: list[Row] = cursor.fetchall()
        return found

    def number(self, **given: object) -> int:
        """What the first column of the first row says; 0 where there is no row."""
        found = self.rows(**given)
        return int(found[0][0]) if found else 0

    def _of_database(self) -> tuple[str, tuple[Any, ...]]:
        if connection.vendor not in self._compiled:
            # Not in Django's reference. One query by a key costs 53 µs of the processor and not 548 (decision 53).
            self._compiled[connection.vendor] = self._build().query.sql_with_params()
        return self._compiled[connection.vendor]


def _written(given: Given, value: object) -> object:
    return given.output_field.get_db_prep_value(value, connection)
