"""How often one may look at a report: its intervals are for one look, and while answers arrive one looks again."""

from collections.abc import Iterable

from analytics.models import Report
from analytics.reports.output.figures import Figure
from infrastructure.wording.phrases import Phrase
from stats.results import Estimate

#: As files have it.
ONE_LOOK = "one look"
WATCHED = Phrase("Made while answers arrive: its intervals hold for one look.")


def is_watched(report: Report, figures: Iterable[Figure]) -> bool:
    """Whether it has intervals, and the campaign took answers when it was computed."""
    return made_while_answers_arrived(report) and has_intervals(figures)


def made_while_answers_arrived(report: Report) -> bool:
    campaign = report.campaign
    if campaign.opened_at is None or report.computed_at < campaign.opened_at:
        return False
    ended = campaign.closed_at or campaign.closes_at
    return ended is None or report.computed_at < ended


def has_intervals(figures: Iterable[Figure]) -> bool:
    """Whether any figure has an interval; all of those are for one look."""
    rows = (row for figure in figures if figure.table for row in figure.table.rows)
    return any(isinstance(cell, Estimate) and cell.interval is not None for row in rows for cell in row)
