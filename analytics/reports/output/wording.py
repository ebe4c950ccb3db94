"""Cells and texts of figures as people read them, in the language that is active."""

import re
import textwrap
from collections.abc import Mapping

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from analytics.reports.output.figures import Cell, Form, Link
from infrastructure.templatetags.wording import worded
from infrastructure.wording.phrases import Phrase
from stats.results import Estimate

#: Decimals by form; shares are percentages by then.
_DECIMALS: Mapping[Form, int] = {"count": 0, "share": 1, "coefficient": 2, "rating": 0, "p": 3, "number": 2}
_LEAST_P = 0.001
_LONGEST = 24
#: A symbol of one letter stays with the brackets that say of what it is: α (ordinal).
_SYMBOL = re.compile(r"(?<!\S)(\w) \(")
#: Numbers that differ by less are written alike.
_SAME = 1e-9


def text(said: str) -> str:
    """A phrase of ours in the language of the page, and data as they are."""
    return worded(said) if isinstance(said, Phrase) else said


def number(value: float, form: Form) -> str:
    """
    >>> number(0.9418, "share"), number(-0.5, "coefficient"), number(1234, "count"), number(0.0001, "p")
    ('94.2 %', '−0.50', '1,234', '< 0.001')
    """
    if form == "p" and value < _LEAST_P:
        return f"< {number_format(_LEAST_P, 3)}"
    decimals = _DECIMALS.get(form, 2)
    if form in ("number", "text") and float(value).is_integer():
        decimals = 0
    rounded = round(100 * value if form == "share" else value, decimals)
    shown = number_format(abs(rounded), decimals, force_grouping=True)
    return f"{'−' if rounded < 0 else ''}{shown}{' %' if form == 'share' else ''}"


def tick(value: float, form: Form) -> str:
    """A number at an axis, with as few decimals as it needs.

    >>> tick(0.025, "coefficient"), tick(0.4, "share"), tick(-1, "rating"), tick(-0.09999999999999998, "share")
    ('0.025', '40 %', '−1', '−10 %')
    """
    shown = 100 * value if form == "share" else value
    decimals = next((places for places in range(4) if abs(round(shown, places) - shown) < _SAME), 4)
    shown = round(shown, decimals)
    sign = "−" if shown < 0 else ""
    return f"{sign}{number_format(abs(shown), decimals, force_grouping=True)}{' %' if form == 'share' else ''}"


def interval(found: Estimate, form: Form) -> str:
    """The ends of the interval, empty where there is none."""
    if found.interval is None:
        return ""
    low, high = (number(end, form) for end in (found.interval.low, found.interval.high))
    return f"{low.removesuffix(' %')} … {high}"


def plain(cell: Cell, form: Form) -> str:
    """A cell as one line of text."""
    if cell is None:
        return "–"
    if isinstance(cell, Estimate):
        if cell.estimate is None:
            return _("undefined")
        ends = interval(cell, form)
        return number(cell.estimate, form) + (f" [{ends}]" if ends else "")
    if isinstance(cell, Link):
        return text(cell.text)
    return text(cell) if isinstance(cell, str) else number(cell, form)


def reason(found: Estimate) -> str:
    """Why it is undefined or has no interval."""
    return worded(found.reason)


def wrapped(said: str, width: int = 28) -> str:
    """A text in lines that fit beside a picture; a word is broken only where no line could hold it.

    >>> wrapped("Cohen’s κ (ordinal)", 15).split("\\n")
    ['Cohen’s', 'κ\\xa0(ordinal)']
    """
    shown = _SYMBOL.sub("\\1\N{NO-BREAK SPACE}(", text(said))
    longest = max(map(len, re.split("[ \\n]", shown)))
    return "\n".join(textwrap.wrap(shown, max(width, min(longest, _LONGEST)))) or shown
