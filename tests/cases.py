"""Many cases in one test, which reports every one that fails."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from django.db import transaction


@contextmanager
def undone() -> Iterator[None]:
    """What is written within is taken back, so that each of many requests meets the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def each(names: str, cases: Iterable[Any], *, undo: bool = False) -> Callable[[Callable[..., None]], Any]:
    """As `pytest.mark.parametrize`, within one test: its fixtures are made once, and all cases share them.

    A case that fails is reported by its values, as a subtest, and the next one is tried. With `undo`, the rows that
    a case writes are taken back after it.
    """
    fields = names.replace(" ", "").split(",")
    rows = [values_of(case, len(fields)) for case in cases]

    def of(test: Callable[..., None]) -> Any:
        parameters = inspect.signature(test).parameters.values()
        others = [it for it in parameters if it.name not in {*fields, "subtests"}]
        own = "subtests" in inspect.signature(test).parameters

        @functools.wraps(test)
        def over_all(subtests: pytest.Subtests, **fixtures: Any) -> None:
            if own:
                fixtures["subtests"] = subtests
            assert rows, "there is no case"
            for row in rows:
                case = dict(zip(fields, row, strict=True))
                try:
                    with undone() if undo else nullcontext():
                        test(**fixtures, **case)
                except (Exception, pytest.fail.Exception):
                    with subtests.test(**case):
                        raise

        subtests = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        over_all.__signature__ = inspect.Signature([*others, subtests])  # type: ignore[attr-defined]
        return over_all

    return of


def values_of(case: Any, n: int) -> tuple[Any, ...]:
    if hasattr(case, "marks"):  # a pytest.param
        assert not case.marks, "a case with marks of its own needs pytest.mark.parametrize"
        return tuple(case.values)
    return (case,) if n == 1 else tuple(case)
