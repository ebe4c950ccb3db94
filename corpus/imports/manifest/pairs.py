"""A manifest with one row per pair, in the names of the TRACE release or of AudioJudge."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from dataclasses import replace
from typing import Any

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from corpus.imports.manifest.choices import ITEM_COLUMN, LABEL_COLUMN, Choices
from corpus.imports.manifest.columns import (
    NAMED_LABELS,
    PAIR_COLUMNS,
    STORED_LABELS,
    cell_of,
    item_candidates,
    label_candidates,
    named_like_labels,
)
from corpus.imports.manifest.reader import Reader, fits, named_all, plan_item, require_audio
from corpus.imports.manifest.verdicts import VERDICT_COLUMNS, why_verdicts
from corpus.imports.plan import Plan, PlannedLabel, PlannedTurn, PlannedUnit, ResponseKey, counted

ASPECT_NAMES = {"human": "overall"}
LONGEST_ASPECT = 60
#: Keys that many tables have where they have none.
NO_KEYS = frozenset({"-1", "nan", "none", "null", "n/a", "na", "-", "unknown"})


class PairReader(Reader):
    columns, keeps_words = PAIR_COLUMNS, True

    def __init__(self, plan: Plan, rows: list[tuple[int, Row]], choices: Choices, *, without_audio: bool) -> None:
        super().__init__(plan, rows, choices, without_audio=without_audio)
        self.given: dict[str, PlannedUnit] = {}  # pairs as their first rows gave them
        self.first_row: dict[str, int] = {}
        self.of_raters: dict[str, int] = {}  # columns in which the rows of a pair differ, with the first such row
        self.of_one_response: list[int] = []  # rows that nobody can compare anything by
        self.why_verdicts = why_verdicts([row for _, row in rows])

    def turn_of(self, number: int, row: Row) -> int | None:
        del number, row
        return 1

    def group_of(self, n: int) -> Hashable:
        return n

    def key_of(self, n: int) -> str:
        return self.cells[n]["index"] or str(n + 1)

    def item_of(self, n: int, row: Row) -> str:
        return super().item_of(n, row) or self.key_of(n)

    def read_row(self, n: int, number: int, row: Row, key: str, turn: int | None) -> None:
        plan, cells, pair = self.plan, self.cells[n], self.key_of(n)
        named = named_all(plan, number, system_a=cells["system_a"], system_b=cells["system_b"])
        if not fits(plan, number, cells | {"item": key}) or not named:
            return
        a, b = (_pair_side(pair, key, cells, side) for side in ("a", "b"))
        unit = PlannedUnit(key, a, b, self._source(row))
        repeated = self.given.get(pair)
        if unit.a == unit.b:
            self.of_one_response.append(number)
        elif repeated and not self._may_repeat(repeated, unit, cells["annotator"]):
            plan.refuse(number, "index", reasons.PAIR_TWICE(pair=pair))
        else:
            if repeated:
                self._keep_common(number, pair, unit)
            else:
                self.given[pair], self.first_row[pair] = unit, number
                plan.units[pair] = replace(unit, source=unit.source | self._words_of_its_own(n, row, key))
            plan_item(plan, number, key, cells["category"], row)
            self.plan_prompt(number, key, turn or 1, cells["prompt_audio"])
            self._plan_responses(number, cells, unit)
            self._plan_labels(number, pair, cells["annotator"], row)

    def _may_repeat(self, before: PlannedUnit, unit: PlannedUnit, annotator: str) -> bool:
        """Several rows are of one pair where several people, or verdicts, are about it."""
        if self.why_verdicts:
            return (before.item, before.a, before.b) == (unit.item, unit.a, unit.b)
        return (before.item, before.a, before.b) == (unit.item, unit.a, unit.b) and bool(annotator)

    def _keep_common(self, number: int, pair: str, unit: PlannedUnit) -> None:
        """What one rater's row has beside the pair, and another's has otherwise, is not kept with the pair."""
        there = self.plan.units[pair].source
        differing = {name for name in there.keys() | unit.source.keys()
                     if self.given[pair].source.get(name) != unit.source.get(name)}  # fmt: skip
        if self.why_verdicts or not differing:
            return
        for name in differing:
            self.of_raters.setdefault(name, number)
        source = {name: value for name, value in there.items() if name not in differing}
        self.plan.units[pair] = replace(self.plan.units[pair], source=source)

    def _source(self, row: Row) -> dict[str, Any]:
        """What is kept with a pair; of a table of verdicts, nothing of the single verdict."""
        source = _source(row)
        if self.why_verdicts:
            return {name: value for name, value in source.items() if name not in VERDICT_COLUMNS}
        return source

    def look_at_whole(self, columns: Collection[str]) -> None:
        if self.of_raters:
            named = ", ".join(sorted(self.of_raters))
            self.plan.warn(min(self.of_raters.values()), "annotator", reasons.DIFFER_BETWEEN_RATERS(columns=named))
        if same := self.of_one_response:
            self.plan.warn(same[0], "audio_b", reasons.SIDES_ARE_SAME(n=len(same), where=self.plan.places(same)))
        for name in ("audio_a", "audio_b"):
            self.require_column(name, PAIR_COLUMNS[name])
        if self.why_verdicts:
            self._refuse_verdicts()
        else:
            self._refuse_lost_labels()
        self._refuse_one_item(columns)
        if alone := [self.first_row[key] for key, unit in self.plan.units.items() if unit.a[1] == unit.b[1]]:
            pairs, where = counted(len(alone), "pair"), self.plan.places(alone)
            message = reasons.SYSTEM_WITH_ITSELF(pairs=pairs, where=where)
            self.plan.warn(alone[0], "system_b", message)

    def _plan_responses(self, number: int, cells: dict[str, str], unit: PlannedUnit) -> None:
        for side, response in (("a", unit.a), ("b", unit.b)):
            audio = cells[f"audio_{side}"]
            require_audio(self.plan, number, f"audio_{side}", audio, without_audio=self.without_audio)
            self.plan.responses.setdefault(response, {1: PlannedTurn("", {audio: number} if audio else {})})

    def _words_of_its_own(self, n: int, row: Row, key: str) -> dict[str, Any]:
        """The id and the prompt that this row gave, where its item has others: they are exported again."""
        own = {"item": self.cells[n]["item"] != key, "prompt_text": self.cells[n]["prompt_text"] != self._text(key)}
        names = [name for ours, differs in own.items() if differs for name in PAIR_COLUMNS[ours]]
        return {name: row[name] for name in names if cell_of(row, name)}

    def _text(self, key: str) -> str:
        return self.items.text(key, 1)

    def _plan_labels(self, number: int, unit: str, rater: str, row: Row) -> None:
        plan, chosen = self.plan, self.choices.label_column
        if cell_of(row, "excluded"):
            plan.warn(number, "excluded", reasons.LABELS_LEFT_OUT())
            return
        known = NAMED_LABELS if chosen else STORED_LABELS
        for aspect, value in () if self.choices.without_labels or self.why_verdicts else _labels(row, chosen):
            stored = known.get(value)
            if not value:
                continue
            if not 0 < len(aspect) <= LONGEST_ASPECT:
                message = reasons.ASPECT_TOO_LONG(aspect=repr(aspect), n=len(aspect), most=LONGEST_ASPECT)
                plan.refuse(number, "label", message)
            elif stored is None:
                message = reasons.LABEL_UNKNOWN(label=repr(value), known=", ".join(known))
                plan.refuse(number, f"label {aspect}", message)
            elif (unit, rater, aspect) in plan.labels:
                plan.refuse(number, f"label {aspect}", reasons.LABEL_TWICE(pair=unit))
            else:
                plan.labels[unit, rater, aspect] = PlannedLabel(unit, rater, aspect, stored)

    def _refuse_verdicts(self) -> None:
        """Nothing of a table of verdicts is read as labels; where it has any, that is to be chosen."""
        plan, rows = self.plan, [row for _, row in self.rows]
        plan.unused = [replace(it, kept=it.kept and it.name not in VERDICT_COLUMNS) for it in plan.unused]
        given = any(value for row in rows for _, value in _labels(row, self.choices.label_column))
        if not self.choices.without_labels and (given or named_like_labels(rows, plan.unused)):
            message = reasons.TABLE_OF_VERDICTS(why=self.why_verdicts)
            plan.refuse(None, self.choices.label_column or "verdict", message, choice=LABEL_COLUMN)

    def _refuse_lost_labels(self) -> None:
        """An import without one label, of a file that has a column of them under another name."""
        plan, rows = self.plan, [row for _, row in self.rows]
        if plan.labels or self.choices.label_column or self.choices.without_labels:
            return
        plan.label_columns = label_candidates(rows, plan.unused)
        for column in named_like_labels(rows, plan.unused):
            values = ", ".join(repr(value) for value in column.values[:5])
            message = reasons.LABELS_NOT_READ(column=column.name, values=values)
            plan.refuse(None, column.name, message, choice=LABEL_COLUMN)

    def _refuse_one_item(self, columns: Collection[str]) -> None:
        """Items that stand for many pairs, and of which nothing says that these pairs were asked the same."""
        if self.choices.item_column:
            return
        n_pairs = Counter(unit.item for unit in self.plan.units.values())
        for key, n in n_pairs.items():
            turns = self.plan.items[key].turns.values()
            unknown = not any(turn.text or turn.audio for turn in turns)
            if n > 1 and (key.lower() in NO_KEYS or (unknown and n == n_pairs.total())):
                self._refuse_item(key, n, columns)

    def _refuse_item(self, key: str, n: int, columns: Collection[str]) -> None:
        plan = self.plan
        plan.item_columns = item_candidates([row for _, row in self.rows], columns)
        some = ", ".join(f"{one.name} ({one.n})" for one in plan.item_columns[:5]) or "–"
        message = reasons.ONE_ITEM_FOR_ALL(n=n, item=repr(key), columns=some)
        plan.refuse(None, "item", message, choice=ITEM_COLUMN)


def _pair_side(key: str, item: str, cells: dict[str, str], side: str) -> ResponseKey:
    """Takes are told apart by their path; without one, every pair has takes of its own."""
    return (item, cells[f"system_{side}"], cells[f"audio_{side}"] or f"pair {key} {side}")


def _labels(row: Row, chosen: str = "") -> Iterator[tuple[str, str]]:
    """(aspect, value) for every label that the row brings, also where it brings one twice."""
    if chosen:
        yield "overall", cell_of(row, chosen)
        return
    given = row.get("label")
    labels = given if isinstance(given, dict) else {"overall": given}
    for aspect in labels:
        yield aspect, cell_of(labels, aspect)
    for name in row:
        if name.startswith("label_"):
            aspect = name.removeprefix("label_")
            yield ASPECT_NAMES.get(aspect, aspect), cell_of(row, name)


def _source(row: Row) -> dict[str, Any]:
    """The cells that no column of ours holds, and the prompt's path, which may differ between pairs of an item."""
    kept = {name for ours, names in PAIR_COLUMNS.items() if ours != "prompt_audio" for name in names}
    kept |= {"label", "excluded"}
    return {name: value for name, value in row.items() if name not in kept and not name.startswith("label_")}
