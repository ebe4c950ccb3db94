"""Published tables through the product's own importers: pairs with labels become a campaign, verdicts become runs."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from accounts.models import User
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import imported_pairs, single_responses
from corpus.imports.files.rows import read_rows
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset
from judges.imported.columns import find_columns
from judges.imported.plan import plan_verdicts
from judges.imported.writing import Imported, units_by_key, write_verdicts
from protocols import Protocol
from tests.factories import UserFactory


def table_at(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """Rows as a CSV file, with the columns of the first."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    return path


def quiet(done: int, total: int, note: str) -> None:
    """Nobody watches."""


def import_table(path: Path, *, dataset: str, labels: str, user: User) -> Dataset:
    checked = check_upload(path, None, dataset_name=dataset, label_set_name=labels, progress=quiet)
    assert checked.errors == [], checked.errors[:3]
    return write_checked(checked, None, Destination(dataset, labels, user), progress=quiet)


def import_responses(path: Path, *, title: str) -> Dataset:
    """A dataset from a table of what systems answered."""
    return import_table(path, dataset=title, labels="", user=UserFactory(is_researcher=True))


def import_pairs(path: Path, protocol: Protocol, *, title: str, labels: str) -> Campaign:
    """A dataset from a table of pairs, its labels as a set of this name, and a campaign over all of them."""
    user: User = UserFactory(is_researcher=True)
    dataset = import_table(path, dataset=title, labels=labels, user=user)
    return create_campaign(dataset, title=title, protocol=protocol, units=imported_pairs(dataset), user=user)


def import_labels(dataset: Dataset, path: Path, protocol: Protocol) -> Campaign:
    """A table of answers about units of a dataset as the labels `imported`, and a campaign over units of its kind."""
    user = dataset.created_by
    made = single_responses(dataset) if protocol.unit == "single" else list(dataset.units.filter(kind="pair"))
    import_table(path, dataset=dataset.name, labels="imported", user=user)
    return create_campaign(dataset, title="Labelled", protocol=protocol, units=made, user=user)


def import_verdicts(
    campaign: Campaign, path: Path, *, named: Mapping[str, str] | None = None, judge: str = "", order: str = ""
) -> Imported:
    rows = read_rows(path)
    columns = find_columns(rows, named=named or {}, settings=(), judge=judge, order=order)
    plan = plan_verdicts(rows, columns, protocol=campaign.protocol, units=units_by_key(campaign))
    assert plan.errors == [], plan.errors[:3]
    return write_verdicts(campaign, plan, user=campaign.created_by)
