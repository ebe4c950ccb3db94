"""An uploaded table of pairs: `item, system_a, system_b` and, if wanted, which takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from corpus.datasets.units import Systems, responses_of
from corpus.models import Dataset, Response
from infrastructure.files.csv_files import plain
from infrastructure.files.uploaded_tables import InvalidTable, rows_of

COLUMNS = ("item", "system_a", "system_b")
MOST_ROWS = 100_000
Pair = tuple[Response, Response]
#: A dataset's responses by item, system and take, in the order of the dataset.
Known = Mapping[str, Mapping[str, Mapping[str, Response]]]


@dataclass(frozen=True)
class PairRow:
    """One line of the table; an empty take is the system's first."""

    line: int
    item: str
    systems: tuple[str, str]
    takes: tuple[str, str] = ("", "")


def read_pairs(text: str) -> list[PairRow]:
    """The lines of a CSV. Raises InvalidTable where it is none, or a column is missing."""
    rows = [_row(line, row) for line, row in rows_of(text, needed=COLUMNS)]
    if not rows or len(rows) > MOST_ROWS:
        raise InvalidTable([_("A table has from 1 to %(most)s pairs.") % {"most": MOST_ROWS}])
    return rows


def find_pairs(dataset: Dataset, rows: list[PairRow], *, systems: Systems = ()) -> list[Pair]:
    """The responses that the lines name, in their order. Raises InvalidTable with everything that is wrong."""
    known, faults = _known(dataset, systems), []
    lines: dict[frozenset[int], int] = {}
    pairs = []
    for row in rows:
        try:
            pairs.append(_new_pair(row, known, lines))
        except ValueError as reason:
            faults.append(_("Line %(n)s: %(reason)s") % {"n": row.line, "reason": reason})
    if faults:
        raise InvalidTable(faults)
    return pairs


def _row(line: int, row: Mapping[str, str | None]) -> PairRow:
    def cell(name: str) -> str:
        return plain((row.get(name) or "").strip())

    return PairRow(line, cell("item"), (cell("system_a"), cell("system_b")), (cell("take_a"), cell("take_b")))


def _known(dataset: Dataset, systems: Systems) -> Known:
    known: dict[str, dict[str, dict[str, Response]]] = {}
    for response in responses_of(dataset, systems=systems):
        by_system = known.setdefault(response.item.key, {})
        by_system.setdefault(response.system.name, {})[response.key] = response
    return known


def _new_pair(row: PairRow, known: Known, lines: dict[frozenset[int], int]) -> Pair:
    """The pair of this line; `lines` has those before it. Raises ValueError where one of them is the same."""
    a, b = _pair(row, known)
    first = lines.setdefault(frozenset((a.pk, b.pk)), row.line)
    if first != row.line:
        raise ValueError(_("line %(first)s has the same pair.") % {"first": first})
    return a, b


def _pair(row: PairRow, known: Known) -> Pair:
    """Both responses, systems in name order, so that it is the same unit whichever way round the table has it.

    Raises ValueError with the reason.
    """
    if row.item not in known:
        raise ValueError(_("the chosen systems answered no item %(item)s.") % {"item": repr(row.item)})
    a, b = sorted(_responses(row, known[row.item]), key=lambda found: (found.system.name, found.pk))
    if a.pk == b.pk:
        raise ValueError(_("both sides are one and the same response."))
    return a, b


def _responses(row: PairRow, by_system: Mapping[str, Mapping[str, Response]]) -> Iterator[Response]:
    for name, take in zip(row.systems, row.takes, strict=True):
        if name not in by_system:
            parameters = {"system": repr(name), "item": repr(row.item)}
            raise ValueError(_("no chosen system %(system)s answered %(item)s.") % parameters)
        takes = by_system[name]
        if take and take not in takes:
            raise ValueError(_("%(system)s has no take %(take)s here.") % {"system": repr(name), "take": repr(take)})
        yield takes[take] if take else next(iter(takes.values()))
