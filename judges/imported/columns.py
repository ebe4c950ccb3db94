"""The columns of a table of verdicts: which of them holds what, by the names that are known or as it was said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.imports.answers.shapes import as_answers
from corpus.imports.files.rows import Row
from corpus.tidy.reasons import NONE_OF
from corpus.tidy.rows import is_table_of_answers
from infrastructure.wording.reasons import Reasoned
from judges import reasons
from judges.imported.conditions import condition_of
from judges.sounds.perturbations import Perturbation

#: What each part is called in tables, the first that is there counts.
KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "unit": ("unit", "item_id", "index", "pair"),
    "order": ("order",),
    "aspect": ("aspect", "dimension"),
    "value": ("verdict", "value", "label", "answer"),
    "judge": ("judge", "model"),
    "reasoning": ("reasoning",),
    "status": ("status", "parse_status"),
    "sample": ("sample",),
    "condition": ("condition", "perturbation"),
    "system_a": ("system_a", "model_a"),
    "system_b": ("system_b", "model_b"),
    "slot": ("slot",),
}
#: The part that is meant by any of its names.
PART_OF = {name: part for part, names in KNOWN_COLUMNS.items() for name in (part, *names)}
#: Columns that tell one judge from another of the same name, where the table has them.
KNOWN_SETTINGS = ("judge_version", "run", "n_shots", "method", "prompt", "temperature")
NEEDED = ("unit", "value")


class UnusableColumns(Reasoned, ValueError):
    """The table lacks a column that is needed, or names one that it does not have."""


@dataclass(frozen=True)
class Columns:
    """Which column of the table holds which part; `settings` are those that tell one judge from another.

    `judge` and `order` hold where the table has no such column. `of_answers` says that it is an export of
    answers: its values are in the stored frame, and rows without a judge are of people.
    """

    by_part: Mapping[str, str]
    settings: tuple[str, ...] = ()
    judge: str = ""
    order: str = ""
    of_answers: bool = False

    def cell(self, row: Row, part: str) -> str:
        name = self.by_part.get(part)
        value = row.get(name) if name else None
        return "" if value is None else str(value).strip()

    def condition(self, row: Row) -> Perturbation | None:
        """How the sound was changed; None where it was not."""
        return condition_of(self.cell(row, "condition"))


def rows_of_judges(rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """The rows, battles and preferences as answers; in exports those of people, who may be many, are passed over."""
    return [(n, row) for n, row in as_answers(rows) if row.get("judge") or not is_table_of_answers(row)]


def find_columns(
    rows: list[tuple[int, Row]],
    *,
    named: Mapping[str, str],
    settings: tuple[str, ...],
    judge: str,
    order: str,
    needs_order: bool = True,
) -> Columns:
    """The columns that were named, else those that are known. Raises UnusableColumns.

    `named` gives the column of a part, which may be called by any of its known names. Where every unit has a single
    response there is no order (`needs_order`).
    """
    there = {name for _, row in rows for name in row}
    if strange := sorted(set(named) - set(PART_OF)):
        raise UnusableColumns(NONE_OF(text=repr(strange[0]), known=", ".join(KNOWN_COLUMNS)))
    named = {PART_OF[part]: name for part, name in named.items()}
    for name in named.values():
        if name not in there:
            raise UnusableColumns(reasons.TABLE_WITHOUT_COLUMN(column=repr(name), columns=", ".join(sorted(there))))
    if missing := sorted(set(settings) - there):
        raise UnusableColumns(reasons.TABLE_WITHOUT_COLUMN(column=repr(missing[0]), columns=", ".join(sorted(there))))
    known = {part: next((it for it in names if it in there), "") for part, names in KNOWN_COLUMNS.items()}
    by_part = {part: name for part, name in (known | dict(named)).items() if name}
    for part in NEEDED:
        if part not in by_part:
            raise UnusableColumns(reasons.NO_COLUMN_SAYS(part=part, known=", ".join(KNOWN_COLUMNS[part])))
    if "judge" not in by_part and not judge:
        raise UnusableColumns(reasons.NO_JUDGE_COLUMN())
    if needs_order and "order" not in by_part and not order:
        raise UnusableColumns(reasons.NO_ORDER_COLUMN())
    taken = settings or tuple(name for name in KNOWN_SETTINGS if name in there and name not in by_part.values())
    return Columns(by_part, taken, judge, order, is_table_of_answers(there))
