"""A manifest with one row per item, turn and system."""

from collections.abc import Collection, Hashable

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import RESPONSE_COLUMNS, cell_of
from corpus.imports.manifest.reader import Reader, fits, named_all, plan_item, require_audio
from corpus.imports.plan import Plan, PlannedTurn
from infrastructure.whole_numbers import whole_number


class ResponseReader(Reader):
    keeps_words = False
    columns = {name: (name,) for name in RESPONSE_COLUMNS}

    def turn_of(self, number: int, row: Row) -> int | None:
        return turn_number(self.plan, number, row)

    def group_of(self, n: int) -> Hashable:
        return self.cells[n]["system"], self.cells[n]["take"]

    def read_row(self, n: int, number: int, row: Row, key: str, turn: int | None) -> None:
        plan, cells = self.plan, self.cells[n]
        system, given = cells["system"], self.item_of(n, row)
        named = named_all(plan, number, item=key, system=system)
        if not fits(plan, number, cells | {"item": key}) or not named or turn is None:
            return
        plan_item(plan, number, key, cells["category"], row)
        self.plan_prompt(number, key, turn, cells["prompt_audio"])
        # Answers to two ids that were made one item stay apart.
        take = cells["take"] or ("1" if given == key or key.startswith(f"{given} #") else given)
        turns = plan.responses.setdefault((key, system, take), {})
        if turn in turns:
            plan.refuse(number, "system", reasons.TURN_TWICE(system=system, turn=turn, item=key))
            return
        audio = cells["response_audio"]
        require_audio(plan, number, "response_audio", audio, without_audio=self.without_audio)
        turns[turn] = PlannedTurn(cells["response_text"], {audio: number} if audio else {})

    def look_at_whole(self, columns: Collection[str]) -> None:
        del columns
        self.require_column("response_audio", ["response_audio"])


def turn_number(plan: Plan, number: int, row: Row) -> int | None:
    text = cell_of(row, "turn") or "1"
    if (turn := whole_number(text, least=1, most=100)) is not None:
        return turn
    plan.refuse(number, "turn", reasons.TURN_NO_NUMBER(turn=repr(text)))
    return None
