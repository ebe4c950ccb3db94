"""Cells of tables of metrics."""

from django import template

from infrastructure.templatetags.wording import figure
from measurements.metrics.contract import Direction
from stats.results import Estimate

register = template.Library()


@register.filter
def measured(value: float) -> str:
    """About four figures, in the writing of the page's language.

    >>> measured(0.6667), measured(45.678), measured(1234.6), measured(-0.0001), measured(-45.678)
    ('0.667', '45.68', '1235', '0.000', '−45.68')
    """
    decimals = 3 if abs(value) < 10 else 2 if abs(value) < 100 else 0
    return figure(value, decimals)


@register.filter
def n_excluded(estimate: Estimate | None) -> int:
    return sum(part.n for part in estimate.excluded) if estimate else 0


@register.filter
def arrow(direction: Direction) -> str:
    """
    >>> arrow("higher"), arrow("lower"), arrow(1.0)
    ('↑', '↓', '→ 1')
    """
    if isinstance(direction, float):
        return f"→ {direction:g}"
    return "↑" if direction == "higher" else "↓"
