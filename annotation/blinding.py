"""The one place where the screen's frame (1, 2) and the stored frame (a, b) meet."""

from typing import Literal, TypeVar

Order = Literal["ab", "ba"]
T = TypeVar("T")


def stored_value(shown: str, order: Order) -> str:
    """What an answer in the screen's frame means in the a/b frame; ties mean the same in both.

    >>> stored_value("1", "ba")
    'b'
    """
    return {"1": order[0], "2": order[1]}.get(shown, shown)


def shown_value(stored: str, order: Order) -> str:
    """The inverse of `stored_value`.

    >>> shown_value("b", "ba")
    '1'
    """
    return {order[0]: "1", order[1]: "2"}.get(stored, stored)


def on_screen(a: T, b: T, order: Order) -> tuple[T, T]:
    """What belongs to a and to b, as (first, second)."""
    return (a, b) if order == "ab" else (b, a)


def in_store(first: T, second: T, order: Order) -> tuple[T, T]:
    """What belongs to the first and second response on the screen, as (a, b)."""
    return (first, second) if order == "ab" else (second, first)
