"""A table of verdicts, read as it was said: by the names of its columns, or by a mapping of them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaigns.models import Campaign
from corpus.imports.files.rows import Row
from corpus.imports.mapping.checking import tell
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.rows.tally import Tally
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.imported.columns import Columns, UnusableColumns, find_columns, rows_of_judges
from judges.imported.mapped import known_in_campaign, mapped_columns, mapped_verdicts
from judges.imported.plan import VerdictsPlan, plan_verdicts
from judges.imported.writing import units_by_key
from judges.models import VerdictImport

Units = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Options:
    """What a table does not say itself: `judge`, `order` (`ab` or `ba`) where no column has them; `columns` by part.

    `settings` are the columns that tell judges apart. With `unknown_as_missing`, values that the scale does not have
    are verdicts that could not be read, rather than faults. A `mapping`, as JSON, says all of this in place of them.
    """

    judge: str = ""
    order: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    unknown_as_missing: bool = False
    mapping: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, row: VerdictImport) -> "Options":
        return cls(**{**row.options, "settings": tuple(row.options["settings"])})

    def columns_in(self, rows: list[tuple[int, Row]], units: Units) -> Columns:
        """Raises UnusableColumns."""
        return find_columns(
            rows, named=self.columns, settings=self.settings, judge=self.judge, order=self.order,
            needs_order=_are_pairs(units),
        )  # fmt: skip


def faults_of(mapping: TableMapping, columns: Collection[str], campaign: Campaign) -> list[tuple[str, Reason]]:
    """(column, what is wrong) wherever the mapping cannot be followed in a table with these columns."""
    found = mapping.faults(columns, into_campaign=True)
    if not found and not mapping.says_order and _are_pairs(units_by_key(campaign)):
        found = [("", reasons.NO_ORDER_COLUMN())]
    return found


def require_columns(head: list[tuple[int, Row]], options: Options, campaign: Campaign) -> None:
    """Raises UnusableColumns where the first rows of a table show that it cannot be read like this."""
    units = units_by_key(campaign)
    if options.mapping:
        names = dict.fromkeys(name for _, row in head for name in row)
        for _column, why in faults_of(TableMapping.from_json(options.mapping), list(names), campaign):
            raise UnusableColumns(why)
    elif rows := rows_of_judges(head):
        options.columns_in(rows, units)


def plan_table(rows: Iterable[tuple[int, Row]], options: Options, campaign: Campaign) -> VerdictsPlan:
    """What the table says of the campaign's units. Raises UnusableColumns."""
    units = units_by_key(campaign)
    if not options.mapping:
        of_judges = rows_of_judges(rows)
        columns = options.columns_in(of_judges, units)
        return plan_verdicts(
            of_judges, columns, protocol=campaign.protocol, units=units,
            unknown_as_missing=options.unknown_as_missing,
        )  # fmt: skip
    mapping, tally = TableMapping.from_json(options.mapping), Tally()
    mapped = list(mapped_verdicts(rows, mapping, tally, known=known_in_campaign(campaign)))
    plan = plan_verdicts(
        mapped, mapped_columns(mapping), protocol=campaign.protocol, units=units,
        unknown_as_missing=options.unknown_as_missing,
    )  # fmt: skip
    plan.rows = tally.rows
    tell(plan, tally, mapping)
    return plan


def _are_pairs(units: Units) -> bool:
    """Whether some unit has several responses, which are heard in an order."""
    return any(len(slots) > 1 for slots in units.values())
