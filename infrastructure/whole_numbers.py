"""Ids and other whole numbers in what people and programs send."""

#: What a column of ids holds in every database.
LARGEST_ID = 2**63 - 1
#: Digits of it; Python refuses to read thousands of them, and databases larger numbers.
_MOST_DIGITS = 19


def whole_number(text: str, *, least: int = 0, most: int = LARGEST_ID) -> int | None:
    """The number that these digits are, from `least` to `most`; None for anything else.

    >>> whole_number("12"), whole_number("-1"), whole_number("1.0"), whole_number(""), whole_number("9" * 6000)
    (12, None, None, None, None)
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if least <= number <= most else None


def row_id(text: str) -> int:
    """The id that is written there; 0, which no row has, for anything else.

    >>> row_id("12"), row_id("x")
    (12, 0)
    """
    return whole_number(text) or 0
