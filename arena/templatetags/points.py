"""Numbers of a board in the writing of the page's language."""

from django import template
from django.utils.formats import number_format

from infrastructure.templatetags.wording import figure

register = template.Library()


@register.filter
def points(value: float) -> str:
    """Whole points, which is finer than any interval.

    >>> points(1000.4), points(-12.0)
    ('1000', '−12')
    """
    return figure(value, 0)


@register.filter
def difference(value: float) -> str:
    """Whole points with their sign.

    >>> difference(-12.3), difference(0.2), difference(7.0)
    ('−12', '0', '+7')
    """
    whole = round(value)
    return f"{'+' if whole > 0 else '−' if whole < 0 else ''}{abs(whole)}"


@register.filter
def effect(value: float) -> str:
    """Points per unit with their sign, to a tenth: a second or a LU more may be worth little.

    >>> effect(-0.26), effect(12.0), effect(0.01)
    ('−0.3', '+12.0', '0.0')
    """
    tenths = round(value, 1)
    return f"{'+' if tenths > 0 else '−' if tenths < 0 else ''}{number_format(abs(tenths), 1)}"


@register.filter
def percent(share: float) -> str:
    """A share as a whole percentage.

    >>> percent(0.647)
    '65 %'
    """
    return f"{round(100 * share)} %"
