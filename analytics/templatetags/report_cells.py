"""`{{ cell|report_cell:column.form }}`: a cell of a report's table as HTML."""

from dataclasses import replace

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.reports.output import wording
from analytics.reports.output.figures import Cell, Column, Figure, Form, Link
from infrastructure.templatetags.wording import worded
from stats.results import Estimate

register = template.Library()
#: Columns from which on a table is wide on paper, and very wide.
WIDE = ((14, "wide crowded"), (8, "wide"))


@register.filter
def said(text: str) -> str:
    """A text of a figure: translated where it is ours."""
    return wording.text(text)


@register.filter
def anchor(figure: Figure, part: str | None) -> str:
    """Its id on the page; where several reports stand on one, `part` says of which it is."""
    return f"{part}-{figure.key}" if part else figure.key


@register.filter
def width_on_paper(figure: Figure) -> str:
    """A class for tables that need a sheet turned on its side, or small print besides."""
    n = len(figure.table.columns) if figure.table else 0
    return next((name for least, name in WIDE if n >= least), "")


@register.filter
def with_columns(figure: Figure) -> list[list[tuple[Column, Cell]]]:
    """The rows of a figure's table, each cell with its column."""
    if figure.table is None:
        return []
    return [list(zip(figure.table.columns, row, strict=True)) for row in figure.table.rows]


@register.filter
def report_cell(cell: Cell, form: Form) -> str | SafeString:
    if isinstance(cell, Estimate):
        return _estimate(cell, form)
    if isinstance(cell, Link):
        query = f"?{urlencode(cell.query)}" if cell.query else ""
        return format_html('<a href="{}{}">{}</a>', reverse(cell.to, args=cell.args), query, wording.text(cell.text))
    if cell is None:
        return format_html('<span class="quiet">{}</span>', "–")
    return format_html("<bdi>{}</bdi>", wording.text(cell)) if isinstance(cell, str) else wording.number(cell, form)


@register.filter
def estimate(found: Estimate, form: Form) -> SafeString:
    """A number with its interval and its n, or why there is none, without what was left out of it."""
    return _estimate(replace(found, excluded=()), form)


@register.filter
def interval_of(found: Estimate, form: Form) -> str:
    """Its interval, as it stands beside a number."""
    return wording.interval(found, form)


@register.filter
def why(found: Estimate) -> str:
    """Why it is undefined, or has no interval."""
    return wording.reason(found)


def _estimate(found: Estimate, form: Form) -> SafeString:
    """The number with its interval, its n and whatever there is to say of it."""
    if found.estimate is None:
        return format_html('<span class="why">{} {}</span>', _("undefined:"), wording.reason(found))
    n = _("n = %(n)s") % {"n": wording.number(found.n, "count")}
    numbers = [part for part in (wording.interval(found, form), n) if part]
    said = [part for part in (wording.reason(found), *_left_out(found)) if part]
    lines = format_html_join("", '<span class="range">{}</span>', ((part,) for part in numbers))
    more = format_html_join("", '<span class="why">{}</span>', ((part,) for part in said))
    return format_html("<b>{}</b>{}{}", wording.number(found.estimate, form), lines, more)


def _left_out(found: Estimate) -> list[str]:
    template = _("%(n)s left out: %(why)s")
    return [template % {"n": wording.number(out.n, "count"), "why": worded(out.why)} for out in found.excluded]
