"""A foreign table, row by row, as Earshot's own rows: those of a manifest, or of a table of answers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
    TableMapping,
    Use,
)
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


@dataclass
class Tally:
    """What became of a table: how many rows there were, and what of them is left out. `undecided` has first rows."""

    rows: int = 0
    made: int = 0
    #: whether the answers came with responses, of which another tally says what is left out
    with_responses: bool = False
    undecided: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    not_turned: list[tuple[int, str, str]] = field(default_factory=list)
    rows_left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    values_left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    empty: Counter[str] = field(default_factory=Counter)
    #: numbers with a decimal comma, by column
    commas: Counter[str] = field(default_factory=Counter)
    unmatched: int = 0
    some_unmatched: list[tuple[int, str]] = field(default_factory=list)

    def undecide(self, number: int, column: str, value: str) -> None:
        self.undecided.setdefault((column, value), [number, 0])[1] += 1


def mapped(
    table: Iterable[tuple[int, Row]], mapping: TableMapping, tally: Tally, *, known: Known | None = None
) -> Iterator[tuple[int, Row]]:
    """(number of the foreign row, row of ours) for whatever the rows of the table say.

    One row of the file may be several of ours (a column for each system or rater), or none. What is left out, and
    values that were not decided, are counted in `tally`. `known` is the dataset that answers are about.
    """
    mapper = _Mapper(mapping, tally, known)
    make = {RESPONSES: mapper.responses, PAIRS: mapper.pairs, ANSWERS: mapper.answers}[mapping.shape]
    for number, row in table:
        tally.rows += 1
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


@dataclass(frozen=True)
class _Found:
    """The unit of a row of answers; `turned` where it has the two systems the other way round."""

    key: str
    item: str
    systems: dict[str, str]
    takes: dict[str, str]
    turned: bool = False


class _Mapper:
    def __init__(self, mapping: TableMapping, tally: Tally, known: Known | None) -> None:
        self.mapping, self.tally, self.known = mapping, tally, known
        self.single = {becomes: mapping.of(becomes) for becomes in {use.becomes for use in mapping.columns.values()}}
        self.answer_columns = [
            (name, use) for name, use in mapping.columns.items() if use.becomes in ("answer", "comment")
        ]
        self.is_single = mapping.shape == ANSWERS and not (self.single.keys() & {"system_a", "system_b", "audio_a"})
        self.is_single = self.is_single and bool(
            self.single.keys() & {"system", "response_audio"} or any(use.system for _, use in self.answer_columns)
        )
        self.seen: set[tuple[tuple[str, str], ...]] = set()

    def responses(self, number: int, row: Row) -> Iterator[Row]:
        """Several rows say the same of a response where they have different answers to it; it is made once."""
        for made in self._responses(number, row):
            if self.mapping.brings_answers:
                if (told := tuple(sorted(made.items()))) in self.seen:
                    continue
                self.seen.add(told)
            yield made

    def _responses(self, number: int, row: Row) -> Iterator[Row]:
        base = {name: cell for name, cell in self._base(row).items() if name not in ("annotator", "recorded_at")}
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
        base = self._base(row)
        base["index"] = base.pop("pair", "")
        for side in "ab":
            if (system := self._system(number, row, f"system_{side}")) is None:
                return
            base[f"system_{side}"] = system
        item = base.get("item", "")
        base["index"] = base["index"] or unit_key(item or str(number), base["system_a"], base["system_b"])[:200]
        names = self._names(row)
        labels: dict[str, Row] = defaultdict(dict)
        for name, use in self.answer_columns:
            value = self._value(number, name, use, cell_of(row, name), names)
            if value:
                labels[use.rater or base.get("annotator", "")][f"label_{use.name or OVERALL}"] = (
                    LABEL_OF_PAIR.get(value, value)
                )  # fmt: skip
        kept = {
            name: value
            for name, value in row.items()
            if name not in self.mapping.columns and name not in READ_THERE and not name.startswith("label_")
        }
        for rater, values in labels.items() or [("", {})]:
            yield kept | base | {"annotator": rater or base.get("annotator", "")} | values

    def answers(self, number: int, row: Row) -> Iterator[Row]:
        base = self._base(row)
        for system in dict.fromkeys(use.system for _, use in self.answer_columns):
            if self.tally.with_responses and not self._says_something(row, system):
                continue
            sides = [(system, self._sound_of(row, system))] if system else self._sides(number, row)
            unit = self._unit(number, base, sides) if sides is not None else None
            if unit is not None:
                yield from self._answers(number, row, base, unit, system)

    def _says_something(self, row: Row, system: str) -> bool:
        """Whether any answer is given about the system; what is empty is counted otherwise."""
        of_system = [(name, use) for name, use in self.answer_columns if use.system == system]
        if any(cell_of(row, name) for name, _ in of_system):
            return True
        self.tally.empty.update(name for name, _ in of_system)
        return False

    def _answers(self, number: int, row: Row, base: dict[str, str], unit: _Found, system: str) -> Iterator[Row]:
        about = {
            "unit": harmless(unit.key), "kind": "single" if len(unit.systems) == 1 else "pair",
            "item": harmless(unit.item), "systems": as_json(unit.systems) or "",
            "responses": (as_json(unit.takes) or "") if len(unit.takes) == len(unit.systems) else "",
        }  # fmt: skip
        names = self._names(row)
        for name, use in self.answer_columns:
            if use.system != system:
                continue
            value = self._value(number, name, use, cell_of(row, name), names)
            if value and unit.turned and use.becomes == "answer":
                value = self._turned(number, name, value)
            if value:
                yield about | {
                    "annotator": harmless(use.rater or base.get("annotator", "")),
                    "aspect": use.name or (OVERALL if use.becomes == "answer" else "comment"),
                    "slot": "a" if len(unit.systems) == 1 and use.becomes == "answer" else "",
                    "value": harmless(value), "recorded_at": base.get("recorded_at", ""),
                }  # fmt: skip

    def _base(self, row: Row) -> dict[str, str]:
        return {
            becomes: key_of_cells(row, names)
            for becomes, names in self.single.items()
            if becomes not in ("answer", "comment", "system", "system_a", "system_b")
            and not (becomes in ("response_text", "response_audio") and self.mapping.columns[names[0]].name)
        }

    def _system(self, number: int, row: Row, becomes: str) -> str | None:
        """The name of the system; None where the row is left out, or the name is not decided."""
        names = self.single.get(becomes)
        if not names:
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

    def _names(self, row: Row) -> dict[str, str]:
        """The side of each system that the row names, by what stands there and by what that becomes."""
        found: dict[str, str] = {}
        for side in "ba":
            if columns := self.single.get(f"system_{side}"):
                cell = cell_of(row, columns[0])
                meant = self.mapping.columns[columns[0]].values.get(cell, "")
                found |= {cell: side} | ({meant: side} if meant not in ("", AS_WRITTEN, LEFT_OUT) else {})
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

    def _sides(self, number: int, row: Row) -> list[tuple[str, str]] | None:
        """(system, path of its sound) for the one or two responses that the row names, as far as it does."""
        if self.is_single:
            system = self._system(number, row, "system")
            return None if system is None else [(system, self._cell(row, "response_audio"))]
        systems = [self._system(number, row, f"system_{side}") for side in "ab"]
        if None in systems:
            return None
        return [(system or "", self._cell(row, f"audio_{side}")) for system, side in zip(systems, "ab", strict=True)]

    def _sound_of(self, row: Row, system: str) -> str:
        named = [name for name in self.single.get("response_audio", ()) if self.mapping.columns[name].name == system]
        return cell_of(row, named[0]) if named else ""

    def _cell(self, row: Row, becomes: str) -> str:
        names = self.single.get(becomes)
        return cell_of(row, names[0]) if names else ""

    def _unit(self, number: int, base: Mapping[str, str], sides: list[tuple[str, str]]) -> _Found | None:
        """The unit that the row is about; in a dataset that is there, the one that it has."""
        item = base.get("item", "")
        if self.known is None:
            return _new_unit(item, [(system, base.get("take", "")) for system, _ in sides], base.get("pair", ""))
        pair, names = base.get("pair", ""), [system for system, _ in sides]
        if key := self._key_there(self.known, base, sides):
            return _there(key, names, self.known)
        responses = [self.known.response(item, system, path, base.get("take", "")) for system, path in sides]
        if not all(responses) or len({one[0] for one in responses if one}) > 1:
            told = [item or pair, *(path or system for system, path in sides)]
            self._unmatched(number, ", ".join(part for part in told if part) or "–")
            return None
        found = [one for one in responses if one]
        key = self.known.unit_of(found)
        if key:
            return _there(key, [system for _, system, _ in found], self.known)
        return _new_unit(found[0][0], [(system, take) for _, system, take in found], "")

    def _key_there(self, known: Known, base: Mapping[str, str], sides: list[tuple[str, str]]) -> str:
        """The key of the unit that is named by itself, by its item alone, or by its item and systems."""
        if (pair := base.get("pair", "")) in known.units and pair:
            return pair
        if any(path for _, path in sides) or base.get("take"):
            return ""
        item, names = base.get("item", ""), [system for system, _ in sides]
        return known.unit_of_systems(item, names) if any(names) else known.only_unit_of(item)

    def _unmatched(self, number: int, told: str) -> None:
        self.tally.unmatched += 1
        if len(self.tally.some_unmatched) < MOST_EXAMPLES:
            self.tally.some_unmatched.append((number, told))


def _new_unit(item: str, responses: list[tuple[str, str]], key: str) -> _Found:
    systems = {slot: system for slot, (system, _) in zip("ab", responses, strict=False)}
    takes = {slot: take for slot, (_, take) in zip("ab", responses, strict=False) if take}
    if len(systems) == 1:
        return _Found(key or unit_key(item, systems["a"], takes.get("a") or "1"), item, systems, takes)
    return _Found(key or unit_key(item, *systems.values()), item, systems, takes)


def _there(key: str, systems: list[str], known: Known) -> _Found:
    unit = known.units[key]
    there = [system for _, system, _ in unit]
    turned = len(there) == 2 and any(systems) and systems[::-1] == there and systems != there
    names = {slot: system for slot, (_, system, _) in zip("ab", unit, strict=False)}
    takes = {slot: take for slot, (_, _, take) in zip("ab", unit, strict=False)}
    return _Found(key, unit[0][0], names, takes, turned)


def unused_columns(columns: Iterable[str], mapping: TableMapping) -> list[tuple[str, bool]]:
    """(column, whether exports have it again) for each column that becomes nothing."""
    kept = mapping.shape == PAIRS
    return [
        (name, kept and name not in READ_THERE and not name.startswith("label_"))
        for name in columns
        if name not in mapping.columns
    ]


def flat(value: Any) -> str:
    """A cell of JSON as text."""
    if value is None:
        return ""
    return (as_json(value) or "") if isinstance(value, dict | list) else str(value).strip()
