"""A foreign table, row by row, as Earshot's own rows: those of a manifest, or of a table of answers."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import FACT_COLUMNS, PAIR_COLUMNS, cell_of
from corpus.imports.manifest.verdicts import VERDICT_COLUMNS
from corpus.imports.mapping.known import Known, Named
from corpus.imports.mapping.mapping import (
    ANSWERS,
    AS_WRITTEN,
    BY_SYSTEM,
    LEFT_OUT,
    OVERALL,
    PAIRS,
    RESPONSES,
    SCORES,
    VERDICTS,
    TableMapping,
    Use,
)
from corpus.imports.mapping.tally import Tally
from corpus.imports.mapping.units import Found, SameOnBothSides, find_unit, new_unit_of
from corpus.tidy.cells import as_json
from corpus.tidy.keys import unit_key
from infrastructure.files.csv_files import harmless

#: What joins the cells of two columns to the key of an item.
JOIN = " / "
#: Names that would be read in a mapped manifest of pairs as something else than what is kept with the pair.
READ_THERE = {name for names in PAIR_COLUMNS.values() for name in names} | VERDICT_COLUMNS | {
    *FACT_COLUMNS, "criteria", "label", "excluded",
}  # fmt: skip
LABEL_OF_PAIR = {"a": "1", "b": "2"}
TURNED = {"a": "b", "b": "a"}
#: Outcomes that say the same whichever response comes first.
SYMMETRIC = frozenset({"tie", "both_good", "both_bad", "same", "different", "equal", "0"})
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
#: What programs write where there is no number; as a rating it is left out, or a mistake.
NO_NUMBER = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
MOST_EXAMPLES = 5
#: What is read in a way of its own.
NOT_OF_BASE = frozenset({"answer", "comment", "system", "system_a", "system_b", "setting", *SCORES})


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
    for number, row in table:
        tally.rows += 1
        if left_out := next((name for name, read in mapping.only.items() if cell_of(row, name) not in read), ""):
            tally.rows_left_out[left_out][cell_of(row, left_out)] += 1
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


def key_of_cells(row: Row, names: Iterable[str]) -> str:
    return JOIN.join(cell for name in names if (cell := cell_of(row, name)))


class Mapper:
    """Follows a mapping, row by row."""

    def __init__(self, mapping: TableMapping, tally: Tally, known: Known | None) -> None:
        self.mapping, self.tally, self.known = mapping, tally, known
        self.single = {becomes: mapping.of(becomes) for becomes in {use.becomes for use in mapping.columns.values()}}
        self.answer_columns = [
            (name, use) for name, use in mapping.columns.items() if use.becomes in ("answer", "comment")
        ]
        self.scores = [(one, other, mapping.columns[one]) for one, other in mapping.scores()]
        has = self.single.keys() | mapping.fixed.keys()
        self.is_single = mapping.shape in (ANSWERS, VERDICTS) and not has & {"system_a", "system_b", "audio_a"}
        self.is_single = self.is_single and bool(
            has & {"system", "response_audio"} or any(use.system for _, use in self.answer_columns)
        )
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
            if (system := self._system(number, row, "system")) is not None:
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
            if (system := self._system(number, row, f"system_{side}")) is None:
                return
            base[f"system_{side}"] = system
        item = base.get("item", "")
        base["index"] = base["index"] or unit_key(item or str(number), base["system_a"], base["system_b"])[:200]
        names = self.names(row)
        labels: dict[str, Row] = defaultdict(dict)
        for name, use in self.answer_columns:
            value = self._value(number, name, use, cell_of(row, name), names)
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

    def compared(self, number: int, row: Row) -> Iterator[tuple[Use, str]]:
        """Of two scores the higher one wins, and equal ones are a tie; nothing where one is missing."""
        for *columns, use in self.scores:
            found = []
            for column in columns:
                cell = cell_of(row, column)
                if not cell:
                    self.tally.empty[column] += 1
                elif NUMBER.fullmatch(cell):
                    found.append(float(cell.replace(",", ".")))
                else:
                    self.tally.undecide(number, column, cell)
            if len(found) == len(columns):
                one, other = found
                yield use, "tie" if one == other else "a" if one > other else "b"

    def answers(self, number: int, row: Row) -> Iterator[Row]:
        base = self.base(row)
        for system in self.systems_spoken_of():
            if self.tally.with_responses and not self._says_something(row, system):
                continue
            sides = [(system, self.sound_of(row, system))] if system else self.sides(number, row)
            unit = self.unit(number, base, sides) if sides is not None else None
            if unit is not None:
                yield from self._answers(number, row, base, unit, system)

    def systems_spoken_of(self) -> list[str]:
        """Those that columns of answers name; the empty name where a row says which ones it is about."""
        named = dict.fromkeys(use.system for _, use in self.answer_columns)
        return list(named | dict.fromkeys([""] if self.scores else []))

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
            value = self._value(number, name, use, cell_of(row, name), names)
            if value and unit.turned and use.becomes == "answer":
                value = self._turned(number, name, value)
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

    def base(self, row: Row) -> dict[str, str]:
        fixed = {name: value for name, value in self.mapping.fixed.items() if name not in NOT_OF_BASE}
        return fixed | {
            becomes: key_of_cells(row, names)
            for becomes, names in self.single.items()
            if becomes not in NOT_OF_BASE
            and not (becomes in ("response_text", "response_audio") and self.mapping.columns[names[0]].name)
        }

    def _system(self, number: int, row: Row, becomes: str) -> str | None:
        """The name of the system; None where the row is left out, or the name is not decided."""
        names = self.single.get(becomes)
        if not names:
            if fixed := self.mapping.fixed.get(becomes, ""):
                return fixed
            audio = (
                self.single.get(f"audio_{becomes[-1]}") if becomes != "system" else self.single.get("response_audio")
            )
            return self.mapping.columns[audio[0]].name if audio else ""
        column, use, cell = names[0], self.mapping.columns[names[0]], cell_of(row, names[0])
        meant = use.values.get(cell) or use.others
        if meant == LEFT_OUT:
            self.tally.rows_left_out[column][cell] += 1
            return None
        if meant and meant != AS_WRITTEN:
            return meant
        if not meant and cell and self.known and cell not in self.known.systems:
            self.tally.undecide(number, column, cell)
            return None
        return cell

    def names(self, row: Row) -> dict[str, str]:
        """The side of each system that the row names, by what stands there and by what that becomes."""
        found: dict[str, str] = {}
        for side in "ba":
            if columns := self.single.get(f"system_{side}"):
                cell = cell_of(row, columns[0])
                meant = self.mapping.columns[columns[0]].values.get(cell, "")
                found |= {cell: side} | ({meant: side} if meant not in ("", AS_WRITTEN, LEFT_OUT) else {})
            elif fixed := self.mapping.fixed.get(f"system_{side}", ""):
                found[fixed] = side
            elif columns := self.single.get(f"audio_{side}"):
                found[self.mapping.columns[columns[0]].name] = side
        return found

    def _value(self, number: int, column: str, use: Use, cell: str, names: dict[str, str]) -> str:
        """What an answer becomes; empty where it is missing, left out or not decided."""
        if not cell:
            self.tally.empty[column] += 1
            return ""
        meant = use.values.get(cell) or use.others
        if meant == LEFT_OUT:
            self.tally.values_left_out[column][cell] += 1
            return ""
        if meant == BY_SYSTEM:
            meant = names.get(cell, "")
        if use.becomes == "answer" and meant in ("", AS_WRITTEN) and self._is_rating(cell) and "," in cell:
            self.tally.commas[column] += 1
            return cell.replace(",", ".")
        if self.is_single and NO_NUMBER.fullmatch(cell) and meant in ("", AS_WRITTEN) and use.becomes == "answer":
            self.tally.undecide(number, column, cell)
            return ""
        if meant == AS_WRITTEN or (not meant and (use.becomes == "comment" or self._is_rating(cell))):
            return cell
        if not meant:
            self.tally.undecide(number, column, cell)
        return meant

    def _is_rating(self, cell: str) -> bool:
        return self.is_single and NUMBER.fullmatch(cell) is not None

    def _turned(self, number: int, column: str, value: str) -> str:
        if value in TURNED or value in SYMMETRIC:
            return TURNED.get(value, value)
        self.tally.not_turned.append((number, column, value))
        return ""

    def sides(self, number: int, row: Row) -> list[tuple[str, str]] | None:
        """(system, path of its sound) for the one or two responses that the row names, as far as it does."""
        if self.is_single:
            system = self._system(number, row, "system")
            return None if system is None else [(system, self.cell(row, "response_audio"))]
        systems = [self._system(number, row, f"system_{side}") for side in "ab"]
        if None in systems:
            return None
        return [(system or "", self.cell(row, f"audio_{side}")) for system, side in zip(systems, "ab", strict=True)]

    def sound_of(self, row: Row, system: str) -> str:
        named = [name for name in self.single.get("response_audio", ()) if self.mapping.columns[name].name == system]
        return cell_of(row, named[0]) if named else ""

    def cell(self, row: Row, becomes: str) -> str:
        names = self.single.get(becomes)
        return cell_of(row, names[0]) if names else ""

    def unit(self, number: int, base: Mapping[str, str], sides: list[tuple[str, str]]) -> Found | None:
        """The unit that the row is about; in a dataset that is there, the one that it has."""
        try:
            found = find_unit(self.known, base, sides) if self.known is not None else new_unit_of(base, sides)
        except SameOnBothSides as same:
            self._same(number, same)
            return None
        if found is None:
            told = [base.get("item", "") or base.get("pair", ""), *(path or system for system, path in sides)]
            self._unmatched(number, ", ".join(part for part in told if part) or "–")
        return found

    def _same(self, number: int, same: SameOnBothSides) -> None:
        self.tally.same += 1
        if len(self.tally.some_same) < MOST_EXAMPLES:
            self.tally.some_same.append((number, f"{same.item}, {same.system}"))

    def _unmatched(self, number: int, told: str) -> None:
        self.tally.unmatched += 1
        if len(self.tally.some_unmatched) < MOST_EXAMPLES:
            self.tally.some_unmatched.append((number, told))


def unused_columns(columns: Iterable[str], mapping: TableMapping) -> list[tuple[str, bool]]:
    """(column, whether exports have it again) for each column that becomes nothing."""
    kept = mapping.shape == PAIRS
    return [
        (name, kept and name not in READ_THERE and not name.startswith("label_"))
        for name in columns
        if name not in mapping.columns and name not in mapping.only
    ]


def flat(value: Any) -> str:
    """A cell of JSON as text."""
    if value is None:
        return ""
    return (as_json(value) or "") if isinstance(value, dict | list) else str(value).strip()
