"""Columns for tests: what is not said is as with somebody about whom nothing is to be said."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analytics.quality.inputs import Given

DTYPES = {"unit": int, "purpose": "U10", "turned": bool, "passed": int, "counts": bool, "at": float, "origin": int}
VALUES = ("a", "b", "both_good", "both_bad")


def given(rater: Sequence[int], **columns: Any) -> Given:
    """Typed ties by these annotators, each unit of its own, unless `columns` say otherwise; values by their name."""
    n = len(rater)
    values = [VALUES.index(value) for value in columns.pop("value", ["both_good"] * n)]
    defaults: dict[str, Any] = {
        "unit": range(n),
        "purpose": ["study"] * n,
        "turned": [False] * n,
        "took": [20.0] * n,
        "audio": [10.0] * n,
        "heard": [1.0] * n,
        "passed": [-1] * n,
        "counts": [True] * n,
        "at": [0.0] * n,
        "origin": [-1] * n,
    }
    texts = tuple(columns.pop("texts", [""] * n))
    arrays = {
        name: np.array(list(columns.pop(name, default)), DTYPES.get(name)) for name, default in defaults.items()
    }
    assert not columns, f"there are no columns {sorted(columns)}"
    return Given(
        n_raters=max(rater, default=-1) + 1,
        values=VALUES,
        mirror=np.array([1, 0, 2, 3]),
        sided=np.array([True, True, False, False]),
        rater=np.array(list(rater), dtype=int),
        value=np.array(values, dtype=int),
        texts=texts,
        **arrays,
    )
