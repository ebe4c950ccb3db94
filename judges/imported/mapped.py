"""A foreign table of verdicts, read by a mapping of its columns: a row for each verdict that it holds.

The mapping is that of the imports of datasets, so that units are found as they are there: by their keys, or by items
and systems, in either order.
"""

from collections.abc import Iterable, Iterator, Mapping

from django.db.models import Q

from campaigns.models import Campaign, CampaignUnit
from corpus.imports.files.rows import Row
from corpus.imports.manifest.columns import cell_of
from corpus.imports.mapping.holding import known_with
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import AS_WRITTEN, BY_SYSTEM, LEFT_OUT, MISSING, OVERALL, TableMapping, Use
from corpus.imports.mapping.rows.mapped import by_row
from corpus.imports.mapping.rows.reading import RowReader
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.mapping.rows.units import Found
from judges.imported.columns import Columns
from judges.imported.conditions import is_unchanged

#: The parts of a mapped row, by names that no column of a file has: what is kept of the file are the settings.
PARTS = ("unit", "order", "aspect", "value", "raw", "judge", "condition", "reasoning", "status", "sample")
MARK = "\0"
FIRST, SECOND = "AB", "BA"
TURNED = {FIRST: SECOND, SECOND: FIRST}


def mapped_columns(mapping: TableMapping) -> Columns:
    """Where mapped rows have their parts."""
    return Columns({part: MARK + part for part in PARTS}, tuple(mapping.of("setting")))


def mapped_verdicts(
    table: Iterable[tuple[int, Row]], mapping: TableMapping, tally: Tally, *, known: Known
) -> Iterator[tuple[int, Row]]:
    """(number of the row of the file, verdict) for each verdict; `known` has the units of the campaign."""
    return by_row(table, mapping, tally, _VerdictReader(mapping, tally, known).verdicts)


def known_in_campaign(campaign: Campaign) -> Known:
    """The units of the study, as rows may name them."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    known = known_with(campaign.dataset, Q(pk__in=study.values("unit")))
    for key, item in study.exclude(unit__key__in=known.units).values_list("unit__key", "unit__item__key"):
        known.units[key] = [(item, "", "")]  # all responses of an item, which is named by its key alone
    return known


class _VerdictReader(RowReader):
    def verdicts(self, number: int, row: Row) -> Iterator[Row]:
        base = self.base(row)
        for system in self.systems_spoken_of():
            sides = [(system, self.sound_of(row, system))] if system else self.sides(number, row)
            unit = self.unit(number, base, sides) if sides is not None else None
            if unit is not None:
                yield from self._verdicts(number, row, base, unit, system)

    def _verdicts(self, number: int, row: Row, base: Mapping[str, str], unit: Found, system: str) -> Iterator[Row]:
        names = self.names(row)
        for column, use in self.answer_columns:
            if use.system == system:
                order = use.order or self._order(row)
                yield from self._verdict(row, base, unit, use, order, self._place(column, use, row, names, order))
        for use, value in () if system else self.compared(number, row):
            order = use.order or self._order(row) or FIRST
            place = value if value == "tie" else _place_of(value, order)
            yield from self._verdict(row, base, unit, use, order, (value, place, ""))

    def _verdict(
        self,
        row: Row,
        base: Mapping[str, str],
        unit: Found,
        use: Use,
        order: str,
        said: tuple[str, str, str] | None,
    ) -> Iterator[Row]:
        if said is None:
            return
        raw, value, status = said
        parts = {
            "unit": unit.key, "order": TURNED.get(order, order) if unit.turned else order,
            "aspect": use.name or base.get("aspect") or OVERALL, "value": value, "raw": raw,
            "judge": use.rater or base.get("judge", ""),
            "condition": use.condition or self._condition(row),
            "reasoning": base.get("reasoning", ""), "status": status or base.get("status", ""),
            "sample": base.get("sample", ""),
        }  # fmt: skip
        settings = {name: row.get(name) for name in self.mapping.of("setting")}
        yield settings | {MARK + part: value for part, value in parts.items()}

    def _condition(self, row: Row) -> str:
        """How the sound was changed: as the row has it, with the name of its column where that has numbers alone."""
        for name in self.mapping.of("condition"):
            cell, use = cell_of(row, name), self.mapping.columns[name]
            return f"{use.name} {cell}".strip() if not is_unchanged(cell) else ""
        return self.mapping.fixed.get("condition", "")

    def _order(self, row: Row) -> str:
        """As the row has it, else the whole table."""
        for name in self.mapping.of("order"):
            cell = cell_of(row, name)
            meant = self.mapping.columns[name].values.get(cell, "")
            return cell.upper() if meant in ("", AS_WRITTEN) else meant
        return self.mapping.fixed.get("order", "").upper()

    def _place(
        self, column: str, use: Use, row: Row, names: Mapping[str, str], order: str
    ) -> tuple[str, str, str] | None:
        """(as it stands there, by place, its status) for a cell; None where it is left out."""
        cell = cell_of(row, column)
        meant = (use.values.get(cell) or use.others) if cell else ""
        if meant == LEFT_OUT:
            self.tally.values_left_out[column][cell] += 1
            return None
        if meant == MISSING:
            return cell, "", "unparsed"
        if meant == BY_SYSTEM:
            meant = names.get(cell, "")
        if meant in ("a", "b"):
            return cell, _place_of(meant, order), ""
        return cell, cell if meant in ("", AS_WRITTEN) else meant, ""


def _place_of(side: str, order: str) -> str:
    """`1` where the side was heard first."""
    return "1" if (side == "a") == (order != SECOND) else "2"
