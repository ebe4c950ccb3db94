"""Figures and whole reports as files: CSV, JSON and LaTeX. In English, whatever the language of the page."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from django.utils.translation import override

from analytics.models import Report
from analytics.reports.looks import ONE_LOOK, WATCHED, has_intervals, is_watched, made_while_answers_arrived
from analytics.reports.output.figures import Cell, Column, Figure, Link, Table
from analytics.reports.output.wording import plain, text
from campaigns.launch.stopping import declared
from infrastructure.files.csv_files import csv_line
from infrastructure.wording.reasons import with_details
from stats.results import Estimate, Excluded

#: What a column of estimates becomes in a CSV, and what each has of one.
_ESTIMATE: dict[str, Callable[[Estimate], object]] = {
    "": lambda it: it.estimate,
    "_low": lambda it: it.interval.low if it.interval else None,
    "_high": lambda it: it.interval.high if it.interval else None,
    "_n": lambda it: it.n,
    "_reason": lambda it: it.reason or "",
    "_reason_code": lambda it: it.reason.code if it.reason else "",
    "_left_out": lambda it: "; ".join(f"{out.n} {out.why}" for out in it.excluded),
    "_interval_method": lambda it: it.interval.method if it.interval else "",
}
_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "−": "$-$", "–": "--", "…": r"\ldots{}", "×": r"$\times$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$",
    "α": r"$\alpha$", "κ": r"$\kappa$", "ρ": r"$\rho$", "τ": r"$\tau$", "δ": r"$\delta$", "Δ": r"$\Delta$",
    "λ": r"$\lambda$", "|": "$|$",
    "½": r"$\frac{1}{2}$", "²": "$^2$", "’": "'", "“": "``", "”": "''", "\u00a0": "~", "→": r"$\to$",
}  # fmt: skip


def csv_of(figure: Figure) -> str:
    """One line per row; a column of estimates becomes eight."""
    with override("en"):
        return (
            "".join(_csv_lines(figure.table)) if figure.table else csv_line(["reason"]) + csv_line([figure.instead])
        )


def json_of(report: Report, figures: Sequence[Figure]) -> str:
    """The figures with what they are about and how they were computed."""
    with override("en"):
        document = {
            "report": str(report.pk),
            "kind": report.kind,
            "campaign": report.campaign.slug,
            "settings": report.settings,
            "stopping_rule": declared(report.campaign) or None,
            "data_sha256": report.data_sha256,
            "version": report.version,
            "computed_at": report.computed_at.isoformat(),
            "intervals": ONE_LOOK if has_intervals(figures) else None,
            "made_while_answers_arrive": made_while_answers_arrived(report),
            "figures": [_figure(figure) for figure in figures],
        }
    return json.dumps(document, ensure_ascii=False, indent=1)


def latex_of(figures: Sequence[Figure], report: Report | None = None) -> str:
    """A table environment for each figure, with the rules of booktabs; what is to be said of all stands first."""
    with override("en"):
        first = f"% {WATCHED}\n" if report and is_watched(report, figures) else ""
        return first + "\n".join(_latex(figure) for figure in figures)


def escaped(said: str) -> str:
    r"""
    >>> escaped("κ & 5 % of a_b")
    '$\\kappa$ \\& 5 \\% of a\\_b'
    """
    return "".join(_LATEX.get(sign, sign) for sign in said)


def _csv_lines(table: Table) -> Iterator[str]:
    estimated = [any(isinstance(row[at], Estimate) for row in table.rows) for at in range(len(table.columns))]
    heads = [_heads(column, has) for column, has in zip(table.columns, estimated, strict=True)]
    yield csv_line(name for names in heads for name in names)
    for row in table.rows:
        cells = [_cells(cell, has) for cell, has in zip(row, estimated, strict=True)]
        yield csv_line("" if it is None else it for parts in cells for it in parts)


def _heads(column: Column, estimated: bool) -> list[str]:
    return [column.key + ending for ending in _ESTIMATE] if estimated else [column.key]


def _cells(cell: Cell, estimated: bool) -> list[object]:
    if isinstance(cell, Estimate):
        return [part(cell) for part in _ESTIMATE.values()]
    value = _value(cell)
    return [value, *[None] * (len(_ESTIMATE) - 1)] if estimated else [value]


def _value(cell: Cell) -> object:
    if isinstance(cell, Estimate):
        named = {ending.removeprefix("_") or "estimate": part(cell) for ending, part in _ESTIMATE.items()}
        coded = {"reason": with_details(cell.reason), "left_out": [_left_out(out) for out in cell.excluded]}
        return {name: it for name, it in named.items() if name != "reason_code"} | coded | {"method": cell.method}
    if isinstance(cell, Link):
        return text(cell.text)
    return text(cell) if isinstance(cell, str) else cell


def _left_out(out: Excluded) -> dict[str, Any]:
    return {"n": out.n, "reason": with_details(out.why)}


def _figure(figure: Figure) -> dict[str, Any]:
    described: dict[str, Any] = {
        "key": figure.key,
        "title": text(figure.title),
        "notes": [text(it) for it in figure.notes],
    }
    if figure.table is None:
        return described | {"reason": text(figure.instead)}
    keys = [column.key for column in figure.table.columns]
    rows = [dict(zip(keys, map(_value, row), strict=True)) for row in figure.table.rows]
    return described | {"columns": [_column(it) for it in figure.table.columns], "rows": rows}


def _column(column: Column) -> dict[str, str]:
    return {"key": column.key, "title": text(column.title), "form": column.form}


def _latex(figure: Figure) -> str:
    caption = escaped(text(figure.title))
    if figure.table is None:
        return f"% {caption}: {escaped(text(figure.instead))}\n"
    columns = figure.table.columns
    shape = "".join("l" if column.form == "text" else "r" for column in columns)
    lines = [" & ".join(escaped(text(column.title)) for column in columns) + r" \\"]
    lines.append(r"\midrule")
    marks = dict(zip(_reasons(figure.table), ascii_lowercase, strict=False))
    for row in figure.table.rows:
        shown = (_marked(cell, column, marks) for cell, column in zip(row, columns, strict=True))
        lines.append(" & ".join(shown) + r" \\")
    body = "\n".join(lines)
    said = [f"$^{{{letter}}}$ {escaped(why)}" for why, letter in marks.items()]
    footnotes = "".join(f"\n\n\\footnotesize {it}" for it in (*said, *(escaped(text(note)) for note in figure.notes)))
    return (
        f"\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{{shape}}}\n\\toprule\n{body}\n\\bottomrule\n"
        f"\\end{{tabular}}{footnotes}\n\\caption{{{caption}}}\n\\label{{tab:{figure.key}}}\n\\end{{table}}\n"
    )


def _reasons(table: Table) -> list[str]:
    """Of whom alone an interval is, and why another is missing or a figure undefined, each once."""
    cells = (cell for row in table.rows for cell in row if isinstance(cell, Estimate))
    return list(dict.fromkeys(cell.reason for cell in cells if cell.reason))


def _marked(cell: Cell, column: Column, marks: Mapping[str, str]) -> str:
    """The cell, with the letter of what there is to say of it."""
    letter = marks.get(cell.reason) if isinstance(cell, Estimate) and cell.reason else None
    return escaped(plain(cell, column.form)) + (f"$^{{{letter}}}$" if letter else "")
