"""In which order votes were given, by a column that came with their pairs."""

import math
from typing import Any

import numpy as np

from analytics.data.votes.table import Subject
from corpus.models import Unit
from stats.arrays import Ints

#: So many pairs are looked at for columns.
LOOKED_AT = 20


def columns_of_pairs(subject: Subject) -> tuple[str, ...]:
    """The columns that came with the imported pairs of a dataset and that no part of a pair was made of, by name."""
    rows = Unit.objects.filter(dataset=subject.dataset_id, kind=Unit.Kind.PAIR, imported=True).order_by("pk")
    found = [source for source in rows.values_list("source", flat=True)[:LOOKED_AT] if source]
    return tuple(sorted({name for source in found for name, value in source.items() if _sorts(value)}))


def order_by_column(units: Ints, column: str) -> Ints:
    """The places of votes on these units in the order of the column: numbers as numbers, all else as text.

    Votes on pairs without a value come last; equal ones keep their order.
    """
    rows = Unit.objects.filter(pk__in=set(units.tolist())).values_list("pk", "source")
    values = {pk: _value((source or {}).get(column)) for pk, source in rows}
    keys = [values.get(unit, _value(None)) for unit in units.tolist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _sorts(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _value(value: Any) -> tuple[int, float, str]:
    if not _sorts(value):
        return 2, 0.0, ""
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, str(value)
    return (0, number, "") if math.isfinite(number) else (2, 0.0, "")
