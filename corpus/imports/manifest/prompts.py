"""A manifest with one row per item and turn, of what was asked alone: it completes items without a prompt."""

from collections.abc import Collection, Hashable

from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import PROMPT_COLUMNS
from corpus.imports.manifest.reader import Reader, fits, named_all, plan_item
from corpus.imports.manifest.responses import turn_number


class PromptReader(Reader):
    keeps_words = False
    columns = {name: (name,) for name in PROMPT_COLUMNS}

    def turn_of(self, number: int, row: Row) -> int | None:
        return turn_number(self.plan, number, row)

    def group_of(self, n: int) -> Hashable:
        return n

    def read_row(self, n: int, number: int, row: Row, key: str, turn: int | None) -> None:
        cells = self.cells[n]
        named = named_all(self.plan, number, item=key)
        if fits(self.plan, number, cells | {"item": key}) and named and turn is not None:
            plan_item(self.plan, number, key, cells["category"], row)
            self.plan_prompt(number, key, turn, cells["prompt_audio"])

    def look_at_whole(self, columns: Collection[str]) -> None:
        """Prompts need no audio."""
