"""A stored report as pages and downloads need it."""

from dataclasses import replace
from importlib import import_module
from typing import Any

from django.core.cache import cache
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language

from analytics.models import Report
from analytics.reports.contract import ReportKind
from analytics.reports.kinds import KINDS
from analytics.reports.looks import WATCHED, is_watched
from analytics.reports.output.figures import Figure, Link, Table
from analytics.reports.output.files import csv_of, json_of, latex_of
from analytics.reports.output.wording import text
from analytics.reports.pages.settings import FILTERS, choices
from analytics.reports.storage import figures_of
from infrastructure.files.downloads import download

#: The figure that exists before there are any answers.
PROGRESS = "answers"
PICTURES = ("svg", "png", "pdf")
TEXTS = {"csv": "text/csv", "json": "application/json", "tex": "application/x-tex"}
#: A report never changes; what a browser has of it stays good.
GOOD_FOR_S = 24 * 3600


def kind_of(row: Report) -> ReportKind:
    """Of a kept report; one whose kind is no more is only known by its name."""
    return KINDS.get(row.kind) or ReportKind(row.kind, row.kind, "", "", row.version, lambda _source: ())


def forms_of(figure: Figure) -> tuple[str, ...]:
    """The files in which it can be had."""
    return (*TEXTS, *(PICTURES if figure.picture else ()))


def parts(row: Report, *, token: str = "") -> dict[str, Any]:
    """A report as its templates want it: each figure with the addresses of its files."""
    names = ("shared-file", "shared-figure") if token else ("report-file", "figure-file")
    of = token or row.pk

    def files(figure: Figure) -> dict[str, str]:
        return {form: reverse(names[1], args=[of, figure.key, form]) for form in forms_of(figure)}

    found = [without_links(it) if token else it for it in figures_of(row)]
    about = [
        (text(choice.option.title), text(dict(choice.option.values)[choice.chosen]))
        for choice in choices(row.campaign, kind_of(row), row.settings)
        if choice.chosen
    ]
    return {
        "report": row,
        "figures": [(figure, files(figure)) for figure in found],
        "files": {form: reverse(names[0], args=[of, form]) for form in ("json", "tex")},
        "about": about,
        "part": "",
        "is_narrowed": any(row.settings.get(name) for name in FILTERS),
        "is_empty": not any(figure.table for figure in found if figure.key != PROGRESS),
        "watched": WATCHED if is_watched(row, found) else "",
        "is_lacking": any(figure.table is None for figure in found),
    }


def without_links(figure: Figure) -> Figure:
    """The figure for those who may not follow its links."""
    if figure.table is None:
        return figure
    rows = tuple(tuple(it.text if isinstance(it, Link) else it for it in row) for row in figure.table.rows)
    return replace(figure, table=Table(figure.table.columns, rows))


def whole(row: Report, form: str) -> HttpResponse:
    found = figures_of(row)
    if form not in ("json", "tex"):
        raise Http404("A whole report can be had as JSON and as LaTeX.")
    written = json_of(row, found) if form == "json" else latex_of(found, row)
    return _file(written, TEXTS[form], f"{row.campaign.slug}-{row.kind}.{form}")


def of_figure(row: Report, key: str, form: str) -> HttpResponse:
    figure = next((it for it in figures_of(row) if it.key == key), None)
    if figure is None:
        raise Http404("This report has no such figure.")
    name = f"{row.campaign.slug}-{key}.{form}"
    if form in PICTURES and figure.picture is not None:
        return _picture(row, figure, form, name)
    written = {
        "csv": lambda: csv_of(figure),
        "json": lambda: json_of(row, [figure]),
        "tex": lambda: latex_of([figure], row),
    }
    if form not in written:
        raise Http404("This figure cannot be had like that.")
    return _file(written[form](), TEXTS[form], name)


def _picture(row: Report, figure: Figure, form: str, name: str) -> HttpResponse:
    """Drawn once in each language."""
    drawing = import_module("analytics.reports.output.charts")
    key = f"picture-{row.pk}-{figure.key}-{form}-{get_language()}"
    if (drawn := cache.get(key)) is None:
        drawn = drawing.drawn(figure, form)
        cache.set(key, drawn, GOOD_FOR_S)
    return _file(drawn, drawing.CONTENT_TYPES[form], name, inline=form != "pdf")


def picture_file(figure: Figure, form: str, name: str) -> HttpResponse:
    """A picture that belongs to no kept report, drawn now."""
    drawing = import_module("analytics.reports.output.charts")
    return download(drawing.drawn(figure, form), name=name, content_type=drawing.CONTENT_TYPES[form])


def _file(content: str | bytes, content_type: str, name: str, *, inline: bool = False) -> HttpResponse:
    charset = "" if isinstance(content, bytes) else "; charset=utf-8"
    response = HttpResponse(content, content_type=content_type + charset)
    response["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{name}"'
    patch_cache_control(response, private=True, max_age=GOOD_FOR_S)
    return response
