"""Wording that is data, in the language of the page."""

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import reason_of

register = template.Library()


@register.filter
def worded(text: str | None) -> str:
    """A protocol's wording, a reason or a job's note in the language of the page.

    What no catalogue knows stays as it is: the protocols that people write themselves, say.
    """
    if isinstance(text, Phrase):
        parts = {name: worded(part) if isinstance(part, str) else part for name, part in text.parts.items()}
        if text.several:
            return ngettext(text.template, text.several, int(str(text.parts["n"]))) % parts
        return gettext(text.template) % parts
    return gettext(text) if text else ""


def refusal_text(fault: Exception) -> str:
    """Why something was refused, in the language of the page."""
    return worded(reason_of(fault))


MINUS = "−"


@register.filter
def figure(value: float | None, decimals: int = 2) -> str:
    """A rounded number in the writing of the page's language, with the sign that typography has for minus; never −0.

    >>> figure(-0.256), figure(0.5, 1), figure(-0.001), figure(-3.0, 0), figure(None)
    ('−0.26', '0.5', '0.00', '−3', '–')
    """
    if value is None:
        return "–"
    rounded = round(float(value), decimals)
    return f"{MINUS if rounded < 0 else ''}{number_format(abs(rounded), decimals, force_grouping=False)}"


@register.filter
def signed(value: str) -> str:
    """A whole number of a scale on both sides of zero, with its sign.

    >>> signed("3"), signed("0"), signed("-2")
    ('+3', '0', '−2')
    """
    number = int(value)
    return f"{number:+d}".replace("-", MINUS) if number else "0"
