"""The screen's frame (places 1, 2, …) and the stored frame (slots a, b, …), and how one becomes the other.

An order names the slots as they are heard: in `ba`, b is heard as 1.
"""

from typing import Literal, TypeVar

#: How a value depends on the order on the screen: `response` values are places (`1`, `2`, …), `signed` ones change
#: their sign when the order is turned, `none` means the same in every order.
Frame = Literal["response", "signed", "none"]
T = TypeVar("T")


def stored_value(shown: str, order: str, frame: Frame) -> str:
    """What a value on the screen means in the stored frame; ties and ratings mean the same in both.

    >>> stored_value("1", "ba", "response"), stored_value("2", "ba", "signed")
    ('b', '-2')
    """
    if frame == "response" and shown.isdecimal():
        return slot_at(int(shown), order)
    if frame == "signed" and order[0] != "a":
        return str(-int(shown))
    return shown


def shown_value(stored: str, order: str, frame: Frame) -> str:
    """The inverse of `stored_value`.

    >>> shown_value("b", "ba", "response")
    '1'
    """
    if frame == "response" and len(stored) == 1 and stored in order:
        return str(order.index(stored) + 1)
    if frame == "signed" and order[0] != "a":
        return str(-int(stored))
    return stored


def slot_at(place: int, order: str) -> str:
    """The slot that is heard at this place, counted from 1."""
    return order[place - 1]


def in_store(first: T, second: T, order: str) -> tuple[T, T]:
    """What belongs to the first and second response on the screen, as (a, b)."""
    return (first, second) if order == "ab" else (second, first)
