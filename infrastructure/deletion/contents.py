"""What would go with a subject, in numbers."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Model, Q, Sum

from infrastructure.deletion.subjects import Counted, Rows, Subject, counted_in, files_in, in_order

#: So many names stand beside a number.
MOST_NAMED = 10


@dataclass(frozen=True)
class Contents:
    """Phrases with numbers: `gone` goes, `lost` stops working for others; files that nothing else uses."""

    gone: list[str]
    lost: list[str]
    files: int
    bytes: int


def contents_of(subject: Subject, row: Any) -> Contents:
    same = list(subject.rows_of(row).values_list("pk", flat=True))
    told = [(counted, n) for counted in counted_in(subject.model) if (n := _number(counted, same))]
    said = [(counted.is_loss, f"{counted.words % {'n': n}}{_names(counted, same)}") for counted, n in told]
    n_files, size = files_and_bytes(subject, row)
    return Contents([it for loss, it in said if not loss], [it for loss, it in said if loss], n_files, size)


def files_and_bytes(subject: Subject, row: Any) -> tuple[int, int]:
    """How many files go, and how large they are."""
    leaving: dict[tuple[type[Model], str], list[Rows]] = {}
    for files, rows in files_in(subject.model, subject.rows_of(row)):
        for some, column in files.leaving(rows):
            leaving.setdefault((some.model, column), []).append(some)
    n, size = 0, 0
    for (_model, column), parts in leaving.items():
        found = _in_any(parts).aggregate(n=Count("pk"), size=Sum(column))
        n, size = n + found["n"], size + (found["size"] or 0)
    return n, size


def _in_any(parts: list[Rows]) -> Rows:
    """Each row once. All are of one model."""
    if len(parts) == 1:
        return parts[0]
    which = (Q(pk__in=some.order_by().values("pk")) for some in parts)
    found: Rows = parts[0].model._base_manager.filter(reduce(or_, which))
    return found


def rows_in(subject: Subject, row: Any) -> int:
    """How many rows go, the subject's own included."""
    same = list(subject.rows_of(row).values_list("pk", flat=True))
    parts = in_order(subject.model)
    found = (part.model._base_manager.filter(**{f"{part.path}__in": same}).count() for part in parts)
    return len(same) + sum(found)


def _names(counted: Counted, subjects: list[Any]) -> str:
    """The first of their names, after a colon; nothing where they have none."""
    if not counted.named:
        return ""
    rows = _counted_rows(counted, subjects).order_by(counted.named, "pk")
    names = list(rows.values_list(counted.named, flat=True)[: MOST_NAMED + 1])
    return f": {', '.join(names[:MOST_NAMED])}{' …' if len(names) > MOST_NAMED else ''}"


def _counted_rows(counted: Counted, subjects: list[Any]) -> Rows:
    rows: Rows = counted.model._base_manager.filter(counted.only, **{f"{counted.path}__in": subjects})
    return rows


def _number(counted: Counted, subjects: list[Any]) -> int:
    rows = _counted_rows(counted, subjects)
    if counted.distinct == "pk":  # a path leads from a row to one subject: no row comes twice
        return rows.count()
    return int(rows.aggregate(n=Count(counted.distinct, distinct=True))["n"])
