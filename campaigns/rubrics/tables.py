"""Criteria as a CSV: out with everything that is known of them, in with at least `item` and `text`."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.access import require_draft
from campaigns.models import Campaign, Criterion, CriterionState
from campaigns.rubrics.asking import STANDING
from campaigns.rubrics.progress import used_items
from campaigns.rubrics.reviewing import Origin, checked_text, decide, draft_criteria
from corpus.models import Item
from infrastructure.files.csv_files import csv_line, plain
from infrastructure.files.uploaded_tables import InvalidTable, at_row, rows_of
from infrastructure.whole_numbers import whole_number

COLUMNS = ("item", "number", "text", "state", "source", "model")
NEEDED = ("item", "text")
MAX_BYTES = 2_000_000
MAX_NUMBER = 9_999


@dataclass(frozen=True)
class Row:
    line: int
    item: str
    text: str
    number: int | None
    state: str


def criteria_lines(campaign: Campaign) -> Iterator[str]:
    """Every criterion of the campaign's items, dropped ones too, line by line."""
    yield csv_line(COLUMNS)
    rows = Criterion.objects.filter(item__in=used_items(campaign).values("pk")).select_related("item")
    for row in rows.order_by("item__key", "number"):
        yield csv_line([row.item.key, row.number, row.text, row.state, row.source, row.model])


def read_criteria(text: str) -> list[Row]:
    """Raises InvalidTable with everything that is wrong in the table's form."""
    found, faults = [], []
    for number, (_line, row) in enumerate(rows_of(text, needed=NEEDED), start=1):
        try:
            found.append(_row(number, row))
        except ValueError as fault:
            faults.append(at_row(number, fault))
    if faults or not found:
        raise InvalidTable(faults or [_("The table has no rows.")])
    return found


@transaction.atomic
def take_criteria(campaign: Campaign, rows: list[Row], *, by: User, reviewed: bool) -> int:
    """Add the rows as drafts; with `reviewed`, those that the table calls accepted or edited stand at once.

    Rows that the table calls dropped, or that an item has already with the same number and text, are passed over;
    return how many came. Raises InvalidTable with everything that is wrong, ValueError once the campaign opened;
    then nothing changes.
    """
    require_draft(campaign)
    items = {item.key: item for item in used_items(campaign)}
    held = {(row.item_id, row.number): row.text for row in Criterion.objects.filter(item__in=items.values())}
    faults, n = [], 0
    for row in rows:
        try:
            n += _taken(campaign, row, items, held, by=by, reviewed=reviewed)
        except ValueError as fault:
            faults.append(at_row(row.line, fault))
    if faults:
        raise InvalidTable(faults)
    return n


def _taken(
    campaign: Campaign,
    row: Row,
    items: dict[str, Item],
    held: dict[tuple[int, int], str],
    *,
    by: User,
    reviewed: bool,
) -> bool:
    if (item := items.get(row.item)) is None:
        raise ValueError(_("the campaign has no item %(item)s.") % {"item": repr(row.item)})
    if row.state == CriterionState.DROPPED or (row.number and held.get((item.pk, row.number)) == row.text):
        return False
    if row.number and (item.pk, row.number) in held:
        raise ValueError(_("%(item)s has another criterion %(n)s.") % {"item": row.item, "n": row.number})
    if row.number and row.number <= len(item.facts.get("criteria") or ()):
        raise ValueError(
            _("criterion %(n)s of %(item)s came with the dataset.") % {"item": row.item, "n": row.number}
        )
    origin = Origin(Criterion.Source.CSV, by)
    [made] = draft_criteria(item, [row.text], origin=origin, numbers=[row.number] if row.number else None)
    held[item.pk, made.number] = made.text
    if reviewed and row.state in STANDING:
        decide(campaign, made.pk, "accept", by=by)
    return True


def _row(line: int, row: dict[str, str | None]) -> Row:
    number = (row.get("number") or "").strip()
    state = (row.get("state") or "").strip()
    if number and whole_number(number, least=1, most=MAX_NUMBER) is None:
        raise ValueError(_("%(number)s is no number of a criterion.") % {"number": repr(number)})
    if state and state not in CriterionState.values:
        parameters = {"state": repr(state), "states": ", ".join(CriterionState.values)}
        raise ValueError(_("%(state)s is none of %(states)s.") % parameters)
    return Row(
        line,
        plain(row["item"] or "").strip(),
        checked_text(plain(row["text"] or "")),
        whole_number(number),
        state,
    )
