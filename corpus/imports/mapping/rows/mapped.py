"""A foreign table, row by row, as Earshot's own rows: those of a manifest, or of a table of answers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import FACT_COLUMNS, PAIR_COLUMNS, cell_of
from corpus.imports.manifest.verdicts import VERDICT_COLUMNS
from corpus.imports.mapping.known import Known, Named
from corpus.imports.mapping.mapping import (
    ANSWERS,
    OVERALL,
    PAIRS,
    RESPONSES,
    TableMapping,
)
from corpus.imports.mapping.rows.reading import TURNED, RowReader, key_of_cells
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.mapping.rows.units import Found
from corpus.tidy.cells import as_json
from corpus.tidy.keys import unit_key
from infrastructure.files.csv_files import harmless

#: Names that would be read in a mapped manifest of pairs as something else than what is kept with the pair.
READ_THERE = {name for names in PAIR_COLUMNS.values() for name in names} | VERDICT_COLUMNS | {
    *FACT_COLUMNS, "criteria", "label", "excluded",
}  # fmt: skip
#: What is read as it stands, and is a text.
TEXTS = ("item", "pair", "system", "system_a", "system_b", "prompt_text", "response_text")
LABEL_OF_PAIR = {"a": "1", "b": "2"}


def mapped(
    table: Iterable[tuple[int, Row]], mapping: TableMapping, tally: Tally, *, known: Known | None = None
) -> Iterator[tuple[int, Row]]:
    """(number of the foreign row, row of ours) for whatever the rows of the table say.

    One row of the file may be several of ours (a column for each system or rater), or none. What is left out, and
    values that were not decided, are counted in `tally`. `known` is the dataset that answers are about.
    """
    mapper = Mapper(mapping, tally, known)
    return by_row(
        table,
        mapping,
        tally,
        {RESPONSES: mapper.responses, PAIRS: mapper.pairs, ANSWERS: mapper.answers}[mapping.shape],
    )


def by_row(
    table: Iterable[tuple[int, Row]],
    mapping: TableMapping,
    tally: Tally,
    make: Callable[[int, Row], Iterator[Row]],
) -> Iterator[tuple[int, Row]]:
    """What `make` gives for each row that the mapping reads, with the row's number."""
    texts = [name for name, use in mapping.columns.items() if use.becomes in TEXTS]
    for number, row in table:
        tally.rows += 1
        if left_out := next((name for name, read in mapping.only.items() if cell_of(row, name) not in read), ""):
            tally.rows_left_out[left_out][cell_of(row, left_out)] += 1
            continue
        if no_text := [(number, name) for name in texts if isinstance(row.get(name), list | dict)]:
            tally.no_text += no_text
            continue
        for made in make(number, row):
            tally.made += 1
            yield number, made


def named_in(table: Iterable[tuple[int, Row]], mapping: TableMapping) -> Named:
    """What these rows name of a dataset."""
    found, items, pairs = Named(), mapping.of("item"), mapping.of("pair")
    sounds = [name for becomes in ("response_audio", "audio_a", "audio_b") for name in mapping.of(becomes)]
    for _number, row in table:
        found.items.add(key_of_cells(row, items))
        found.pairs |= {cell_of(row, name) for name in pairs}
        found.paths |= {cell_of(row, name) for name in sounds}
    for names in (found.items, found.pairs, found.paths):
        names.discard("")
    return found


class Mapper(RowReader):
    """Makes rows of ours of each row."""

    def __init__(self, mapping: TableMapping, tally: Tally, known: Known | None) -> None:
        super().__init__(mapping, tally, known)
        self.seen: set[tuple[tuple[str, str], ...]] = set()
        self.pairs_made: dict[tuple[tuple[str, str], ...], Row] = {}

    def responses(self, number: int, row: Row) -> Iterator[Row]:
        """Several rows say the same of a response where they have different answers to it; it is made once."""
        for made in self._responses(number, row):
            if self.mapping.brings_answers:
                if (told := tuple(sorted(made.items()))) in self.seen:
                    continue
                self.seen.add(told)
            yield made

    def _responses(self, number: int, row: Row) -> Iterator[Row]:
        base = {name: cell for name, cell in self.base(row).items() if name not in ("annotator", "recorded_at")}
        named = {name: use for name, use in self.mapping.columns.items()
                 if use.becomes in ("response_text", "response_audio") and use.name}  # fmt: skip
        if not named:
            if (system := self.system(number, row, "system")) is not None:
                yield base | {"system": system}
            return
        of_systems: dict[str, Row] = defaultdict(dict)
        for name, use in named.items():
            of_systems[use.name][use.becomes] = cell_of(row, name)
        for system, cells in of_systems.items():
            if any(cells.values()):
                yield base | {"system": system} | cells
            else:
                self.tally.empty[system] += 1

    def pairs(self, number: int, row: Row) -> Iterator[Row]:
        base = self.base(row)
        base["index"] = base.pop("pair", "")
        for side in "ab":
            if (system := self.system(number, row, f"system_{side}")) is None:
                return
            base[f"system_{side}"] = system
        item = base.get("item", "")
        base["index"] = base["index"] or unit_key(item or str(number), base["system_a"], base["system_b"])[:200]
        names = self.names(row)
        labels: dict[str, Row] = defaultdict(dict)
        for name, use in self.answer_columns:
            value = self.value(number, name, use, cell_of(row, name), names)
            if value:
                labels[use.rater or base.get("annotator", "")][f"label_{use.name or OVERALL}"] = (
                    LABEL_OF_PAIR.get(value, value)
                )  # fmt: skip
        for use, value in self.compared(number, row):
            labels[use.rater or base.get("annotator", "")][f"label_{use.name or OVERALL}"] = LABEL_OF_PAIR.get(
                value, value
            )
        kept = {
            name: value
            for name, value in row.items()
            if name not in self.mapping.columns and name not in READ_THERE and not name.startswith("label_")
        }
        for rater, values in labels.items() or [("", {})]:
            yield from self._made_once(kept, base | {"annotator": rater or base.get("annotator", "")} | values)

    def _made_once(self, kept: Row, made: Row) -> Iterator[Row]:
        """The pair, unless an earlier row said the same of it; that one keeps only what stands in both."""
        told = tuple(sorted(made.items()))
        first = self.pairs_made.get(told)
        if first is None:
            self.pairs_made[told] = first = kept | made
            yield first
            return
        self.tally.repeated += 1
        for name in [name for name in first if name not in made and first[name] != kept.get(name)]:
            del first[name]

    def answers(self, number: int, row: Row) -> Iterator[Row]:
        base = self.base(row)
        for system in self.systems_spoken_of():
            if self.tally.with_responses and not self._says_something(row, system):
                continue
            sides = [(system, self.sound_of(row, system))] if system else self.sides(number, row)
            unit = self.unit(number, base, sides) if sides is not None else None
            if unit is not None:
                yield from self._answers(number, row, base, unit, system)

    def _says_something(self, row: Row, system: str) -> bool:
        """Whether any answer is given about the system; what is empty is counted otherwise."""
        of_system = [(name, use) for name, use in self.answer_columns if use.system == system]
        if any(cell_of(row, name) for name, _ in of_system):
            return True
        self.tally.empty.update(name for name, _ in of_system)
        return False

    def _answers(self, number: int, row: Row, base: dict[str, str], unit: Found, system: str) -> Iterator[Row]:
        about = {
            "unit": harmless(unit.key), "kind": "single" if len(unit.systems) == 1 else "pair",
            "item": harmless(unit.item), "systems": as_json(unit.systems) or "",
            "responses": (as_json(unit.takes) or "") if len(unit.takes) == len(unit.systems) else "",
        }  # fmt: skip
        names = self.names(row)
        for name, use in self.answer_columns:
            if use.system != system:
                continue
            value = self.value(number, name, use, cell_of(row, name), names)
            if value and unit.turned and use.becomes == "answer":
                value = self.turned(number, name, value)
            if value:
                yield about | {
                    "annotator": harmless(use.rater or base.get("annotator", "")),
                    "aspect": (use.name or base.get("aspect") or OVERALL)
                    if use.becomes == "answer" else use.name or "comment",
                    "slot": "a" if len(unit.systems) == 1 and use.becomes == "answer" else "",
                    "value": harmless(value), "recorded_at": base.get("recorded_at", ""),
                }  # fmt: skip
        for use, value in () if system else self.compared(number, row):
            yield about | {
                "annotator": harmless(use.rater or base.get("annotator", "")),
                "aspect": use.name or base.get("aspect") or OVERALL, "slot": "",
                "value": TURNED.get(value, value) if unit.turned else value,
                "recorded_at": base.get("recorded_at", ""),
            }  # fmt: skip


def unused_columns(columns: Iterable[str], mapping: TableMapping) -> list[tuple[str, bool]]:
    """(column, whether exports have it again) for each column that becomes nothing."""
    kept = mapping.shape == PAIRS
    return [
        (name, kept and name not in READ_THERE and not name.startswith("label_"))
        for name in columns
        if name not in mapping.columns and name not in mapping.only
    ]
