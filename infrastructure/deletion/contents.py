"""What would go with a subject, in numbers."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from infrastructure.deletion.subjects import Counted, Subject, counted_in, files_in, in_order


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
    said = [(counted.is_loss, str(counted.words % {"n": n})) for counted, n in told]
    n_files, size = files_and_bytes(subject, row)
    return Contents([it for loss, it in said if not loss], [it for loss, it in said if loss], n_files, size)


def files_and_bytes(subject: Subject, row: Any) -> tuple[int, int]:
    """How many files go, and how large they are."""
    sizes = [files.size(rows) for files, rows in files_in(subject.model, subject.rows_of(row))]
    return sum(n for n, _size in sizes), sum(size for _n, size in sizes)


def rows_in(subject: Subject, row: Any) -> int:
    """How many rows go, the subject's own included."""
    same = list(subject.rows_of(row).values_list("pk", flat=True))
    parts = in_order(subject.model)
    found = (part.model._base_manager.filter(**{f"{part.path}__in": same}).count() for part in parts)
    return len(same) + sum(found)


def _number(counted: Counted, subjects: list[Any]) -> int:
    rows = counted.model._base_manager.filter(counted.only, **{f"{counted.path}__in": subjects})
    if counted.distinct == "pk":  # a path leads from a row to one subject: no row comes twice
        return rows.count()
    return int(rows.aggregate(n=Count(counted.distinct, distinct=True))["n"])
