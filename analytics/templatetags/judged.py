"""Figures of a comparison in the words of the page."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from analytics.judged.comparison import INCONSISTENT, NOT_JUDGED
from judges.models import Run, Verdict

register = template.Library()

WHY: dict[str, str | Promise] = {
    **dict(Verdict.Status.choices),
    NOT_JUDGED: _("never judged"),
    INCONSISTENT: _("changed with the order"),
}
BANDS: dict[str, str | Promise] = {
    "poor": _("poor"),
    "slight": _("slight"),
    "fair": _("fair"),
    "moderate": _("moderate"),
    "substantial": _("substantial"),
    "almost_perfect": _("almost perfect"),
}


@register.filter
def why_missing(name: str) -> str:
    return str(WHY.get(name, name))


@register.filter
def is_a_status(name: str) -> bool:
    """Whether verdicts have this status, and are listed by it with why it came to that."""
    return name in Verdict.Status.values


@register.filter
def band(name: str) -> str:
    """The word of Landis and Koch."""
    return str(BANDS.get(name, name))


@register.filter
def run_state(name: str) -> str:
    return str(dict(Run.Status.choices).get(name, name))


@register.filter
def percent(share: float) -> str:
    """A share as a whole percentage."""
    return f"{round(100 * share)} %"


@register.filter
def minutes(seconds: float) -> str:
    """A span of time, to the minute; seconds where it is less."""
    if seconds < 60:
        return ngettext("%(n)s second", "%(n)s seconds", round(seconds)) % {"n": round(seconds)}
    return ngettext("%(n)s minute", "%(n)s minutes", round(seconds / 60)) % {"n": round(seconds / 60)}
