"""Reading one row of a foreign table by a mapping: its systems, its unit and the values of its answers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import cell_of
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import (
    ANSWERS,
    AS_WRITTEN,
    BY_SYSTEM,
    LEFT_OUT,
    PSEUDONYMS,
    SCORES,
    VERDICTS,
    TableMapping,
    Use,
)
from corpus.imports.mapping.rows.pseudonyms import rater_pseudonym
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.mapping.rows.units import Found, SameOnBothSides, find_unit, new_unit_of
from corpus.tidy.cells import as_json

#: What joins the cells of two columns to the key of an item.
JOIN = " / "
TURNED = {"a": "b", "b": "a"}
#: Outcomes that say the same whichever response comes first.
SYMMETRIC = frozenset({"tie", "both_good", "both_bad", "same", "different", "equal", "0"})
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
#: What programs write where there is no number; as a rating it is left out, or a mistake.
NO_NUMBER = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
MOST_EXAMPLES = 5
#: What is read in a way of its own.
NOT_OF_BASE = frozenset({"answer", "comment", "system", "system_a", "system_b", "setting", *SCORES})


def key_of_cells(row: Row, names: Iterable[str]) -> str:
    return JOIN.join(cell for name in names if (cell := cell_of(row, name)))


def flat(value: Any) -> str:
    """A cell of JSON as text."""
    if value is None:
        return ""
    return (as_json(value) or "") if isinstance(value, dict | list) else str(value).strip()


class RowReader:
    """Reads rows by a mapping. What is left out, and values that were not decided, are counted in `tally`."""

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

    def systems_spoken_of(self) -> list[str]:
        """Those that columns of answers name; the empty name where a row says which ones it is about."""
        named = dict.fromkeys(use.system for _, use in self.answer_columns)
        return list(named | dict.fromkeys([""] if self.scores else []))

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
                    if "," in cell:
                        self.tally.commas[column] += 1
                else:
                    self.tally.undecide(number, column, cell)
            if len(found) == len(columns):
                one, other = found
                yield use, "tie" if one == other else "a" if one > other else "b"

    def base(self, row: Row) -> dict[str, str]:
        fixed = {name: value for name, value in self.mapping.fixed.items() if name not in NOT_OF_BASE}
        base = fixed | {
            becomes: key_of_cells(row, names)
            for becomes, names in self.single.items()
            if becomes not in NOT_OF_BASE
            and not (becomes in ("response_text", "response_audio") and self.mapping.columns[names[0]].name)
        }
        if self.mapping.raters == PSEUDONYMS and base.get("annotator"):
            base["annotator"] = rater_pseudonym(base["annotator"])
        return base

    def system(self, number: int, row: Row, becomes: str) -> str | None:
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

    def value(self, number: int, column: str, use: Use, cell: str, names: dict[str, str]) -> str:
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

    def turned(self, number: int, column: str, value: str) -> str:
        if value in TURNED or value in SYMMETRIC:
            return TURNED.get(value, value)
        self.tally.not_turned.append((number, column, value))
        return ""

    def sides(self, number: int, row: Row) -> list[tuple[str, str]] | None:
        """(system, path of its sound) for the one or two responses that the row names, as far as it does."""
        if self.is_single:
            system = self.system(number, row, "system")
            return None if system is None else [(system, self.cell(row, "response_audio"))]
        systems = [self.system(number, row, f"system_{side}") for side in "ab"]
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
