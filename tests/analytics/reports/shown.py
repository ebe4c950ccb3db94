"""Figures of a kind by their keys, and cells of their tables by row and column, in few words."""

from typing import Any

from analytics.data.label_arrays import EVERYTHING, Reading
from analytics.reports.contract import ReportKind
from analytics.reports.output.figures import Figure, Link
from analytics.reports.source import Settings, Source
from campaigns.models import Campaign


def figures_of(
    kind: ReportKind, campaign: Campaign, reading: Reading = EVERYTHING, **options: str
) -> dict[str, Figure]:
    return {figure.key: figure for figure in kind.figures(Source(campaign, Settings(reading, options)))}


def rows_of(figure: Figure) -> list[dict[str, Any]]:
    """By column; of links their text."""
    assert figure.table is not None, figure.instead
    keys = [column.key for column in figure.table.columns]
    return [
        {key: cell.text if isinstance(cell, Link) else cell for key, cell in zip(keys, row, strict=True)}
        for row in figure.table.rows
    ]


def row_of(figure: Figure, heading: str = "", **wanted: str) -> dict[str, Any]:
    """The one row with this heading, and with these cells by column."""
    found = [row for row in rows_of(figure) if all(row[name] == value for name, value in wanted.items())]
    found = [row for row in found if heading in ("", next(iter(row.values())))]
    assert len(found) == 1, [*found, rows_of(figure)]
    return found[0]


def links_of(figure: Figure, column: str) -> list[Link]:
    """The links in a column."""
    assert figure.table is not None, figure.instead
    place = [it.key for it in figure.table.columns].index(column)
    return [cell for row in figure.table.rows if isinstance(cell := row[place], Link)]
