"""What the two shapes of a manifest have in common: whose item a row is of, and what is said of all rows together."""

from collections.abc import Collection, Hashable, Iterable
from typing import Any

from corpus.imports import reasons
from corpus.imports.files.progress import followed
from corpus.imports.files.rows import Row
from corpus.imports.manifest.choices import CLASHING_ITEMS, Choices
from corpus.imports.manifest.columns import FACT_COLUMNS, cell_of
from corpus.imports.manifest.items import Asked, Clash, Items, items_of, what_becomes_of
from corpus.imports.plan import Plan, PlannedItem, PlannedTurn, counted
from corpus.tidy.reasons import CELL_EMPTY, CELL_TOO_LONG
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.names import is_legible, is_visible
from infrastructure.wording.reasons import Reason

#: Cells with names that people see and choose by, and what they have to be. An item may be called by its prompt.
NAMES = {"item": is_legible, "system": is_visible, "system_a": is_visible, "system_b": is_visible}
#: how many characters the tables hold of each cell
LONGEST = {
    "index": 200,
    "item": 200,
    "system": 200,
    "system_a": 200,
    "system_b": 200,
    "take": 500,
    "category": 100,
    "annotator": 100,
    "prompt_audio": 500,
    "response_audio": 500,
    "audio_a": 500,
    "audio_b": 500,
}
#: What is read as it stands, and is a text.
TEXTS = ("item", "index", "system", "system_a", "system_b", "prompt_text", "response_text")


class Reader:
    """Plans the rows of one shape, as was chosen. Of whole rows and columns it says what is wrong once."""

    columns: dict[str, tuple[str, ...]]
    #: whether the words of a row whose item has others are kept with the row
    keeps_words: bool

    def __init__(self, plan: Plan, rows: list[tuple[int, Row]], choices: Choices, *, without_audio: bool) -> None:
        self.plan, self.choices, self.without_audio = plan, choices, without_audio
        self.rows = rows
        self.cells = [{ours: _first(row, names) for ours, names in self.columns.items()} for _, row in rows]
        self.items = Items()
        self.wordless: dict[tuple[str, int], int] = {}

    def read(self, columns: Collection[str], *, is_part: bool = False, progress: ShowProgress | None = None) -> None:
        """Add to the plan what the rows bring, and what is wrong with them; `columns` are those of the file.

        Other rows of a part's file may have the same prompts, so that these are not named for it.
        """
        turns = [self.turn_of(number, row) for number, row in self.rows]
        asked = [
            Asked(n, number, self.item_of(n, row), turns[n] or 1, self.cells[n]["prompt_text"], self.group_of(n))
            for n, (number, row) in enumerate(self.rows)
        ]
        self.items = items_of(asked, self.choices)
        rows: Iterable[tuple[int, Row]] = self.rows
        if progress:
            rows = followed(rows, progress, reasons.CHECKING_ROWS(), at_most=len(self.rows))
        for n, (number, row) in enumerate(rows):
            key = self.items.keys.get(n)
            if key is not None and self._are_texts(number, row):
                self.read_row(n, number, row, key, turns[n])
        self._name_clashes()
        self.plan.wordless += self.wordless.values()
        if not is_part:
            self._name_repeated()
            self.plan.warn_of_wordless()
        self.look_at_whole(columns)

    def _are_texts(self, number: int, row: Row) -> bool:
        """Whether no list and no object stands where a text is read; the row is refused otherwise."""
        read = {name for ours in TEXTS for name in self.columns.get(ours, ())} | {self.choices.item_column}
        found = [name for name in sorted(read) if isinstance(row.get(name), list | dict)]
        for name in found:
            self.plan.refuse(number, name, reasons.CELL_NO_TEXT(column=name))
        return not found

    def turn_of(self, number: int, row: Row) -> int | None:
        raise NotImplementedError

    def group_of(self, n: int) -> Hashable:
        raise NotImplementedError

    def read_row(self, n: int, number: int, row: Row, key: str, turn: int | None) -> None:
        raise NotImplementedError

    def look_at_whole(self, columns: Collection[str]) -> None:
        raise NotImplementedError

    def item_of(self, n: int, row: Row) -> str:
        return cell_of(row, self.choices.item_column) if self.choices.item_column else self.cells[n]["item"]

    def plan_prompt(self, number: int, key: str, turn: int, audio: str) -> None:
        planned, text = self.plan.items[key], self.items.text(key, turn)
        if turn not in planned.turns:
            planned.turns[turn] = PlannedTurn(text)
            if not text:
                self.wordless[key, turn] = number
        if audio:
            planned.turns[turn].audio.setdefault(audio, number)

    def require_column(self, name: str, names: Collection[str]) -> None:
        """Refuse a manifest with audio in which no row names a file, once and not row by row."""
        if self.without_audio or len(self.rows) < 2 or any(cells[name] for cells in self.cells):
            return
        self.plan.problems = [it for it in self.plan.problems if it.field != name]
        message = reasons.NO_ROW_NAMES_FILE(columns=" or ".join(names))
        self.plan.refuse(None, name, message)

    def _name_clashes(self) -> None:
        plan, left_out = self.plan, self.items.left_out
        plan.clashes = self.items.clashes
        for clash in plan.clashes:
            row = clash.prompts[1].rows[0]
            if clash.choice:
                plan.warn(row, "prompt_text", what_becomes_of(clash, words_are_kept=self.keeps_words))
            else:
                plan.refuse(row, "prompt_text", _how_they_clash(plan, clash), choice=CLASHING_ITEMS)
        if left_out:
            rows, where = counted(len(left_out), "row"), plan.places(left_out)
            plan.warn(None, "item", reasons.LEFT_OUT_AS_CHOSEN(rows=rows, where=where))

    def _name_repeated(self) -> None:
        plan = self.plan
        plan.repeated = self.items.repeated
        if plan.repeated and not self.choices.same_prompts:
            first = plan.repeated[0]
            named = " and ".join(f"{key} ({plan.places(rows, most=2)})" for key, rows in first.items.items())
            prompts = counted(len(plan.repeated), "prompt")
            message = reasons.UNDER_SEVERAL_ITEMS(prompts=prompts, text=_short(first.text), items=named)
            plan.warn(None, "item", message)


def plan_item(plan: Plan, number: int, item_key: str, category: str, row: Row) -> None:
    facts = _facts(row)
    item = plan.items.setdefault(item_key, PlannedItem(category, facts=facts))
    if item.category != category:
        plan.refuse(number, "category", reasons.CATEGORY_DIFFERS(item=item_key, category=repr(item.category)))
    for name in sorted(item.facts.keys() | facts.keys()):
        if item.facts.get(name) != facts.get(name):
            plan.refuse(number, name, reasons.FACT_DIFFERS(item=item_key, fact=name))


def _facts(row: Row) -> dict[str, Any]:
    """What protocols ask or show per item (MTalk-Bench's dimension and capability, a rubric's criteria)."""
    facts: dict[str, Any] = {name: cell for name in FACT_COLUMNS if (cell := cell_of(row, name))}
    criteria = [text.strip() for text in cell_of(row, "criteria").split("|")]
    return facts | ({"criteria": [text for text in criteria if text]} if any(criteria) else {})


def _how_they_clash(plan: Plan, clash: Clash) -> Reason:
    said = "; ".join(f"“{_short(prompt.text)}” ({plan.places(prompt.rows)})" for prompt in clash.prompts[:5])
    more = f" and {len(clash.prompts) - 5} more" if len(clash.prompts) > 5 else ""
    why = reasons.PROMPTS_DIFFER_IN_SIGNS if clash.is_of_signs else reasons.PROMPTS_DIFFER
    return why(item=clash.item, n=len(clash.prompts), prompts=f"{said}{more}")


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


def named_all(plan: Plan, number: int, **names: str) -> bool:
    for field, name in names.items():
        if not name:
            plan.refuse(number, field, CELL_EMPTY(column=field))
    return all(names.values())


def fits(plan: Plan, number: int, cells: dict[str, str]) -> bool:
    too_long = [field for field, most in LONGEST.items() if len(cells.get(field, "")) > most]
    for field in too_long:
        size = len(cells[field])
        plan.refuse(number, field, CELL_TOO_LONG(column=field, n=size, most=LONGEST[field]))
    unseen = [field for field, can_be_read in NAMES.items() if cells.get(field) and not can_be_read(cells[field])]
    for field in unseen:
        plan.refuse(number, field, reasons.NAME_NOT_SEEN(name=ascii(cells[field])[1:-1]))
    return not (too_long or unseen)


def require_audio(plan: Plan, number: int, field: str, audio: str, *, without_audio: bool) -> None:
    if not audio and not without_audio:
        plan.refuse(number, field, reasons.CELL_WITHOUT_FILE(column=field))


def _first(row: Row, names: tuple[str, ...]) -> str:
    return next((cell for name in names if (cell := cell_of(row, name))), "")
