"""The number of the schema rises with every change of a column, and the reference says what changed with each.

The columns are those of files that are really written. Where this fails because a column was added, removed or has
another type: raise SCHEMA_VERSION in analytics/exports/tables/columns.py, and add a row to the table of
docs/reference/exports.md with the number and the digest that the failure shows.
"""

import csv
import hashlib
import io
import json
import re
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from analytics.exports.tables.columns import SCHEMA_VERSION
from arena.board.files import COLUMNS as STANDING_COLUMNS
from arena.voting.votes import COLUMNS as VOTE_COLUMNS
from campaigns.models import Campaign
from infrastructure.audit_log.views import COLUMNS as AUDIT_COLUMNS
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.factories import make_campaign
from tests.paths import PROJECT

PAGE = (PROJECT / "docs" / "reference" / "exports.md").read_text(encoding="utf-8")
VERSIONS = re.findall(r"^\| (\d+) \| `([0-9a-f]{12})` \|", PAGE, re.MULTILINE)

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(protocol="blind_overall", units=3, answers_per_unit=2)
    people_say(campaign, ["a", "b", "a"], ["a", "b", "b"])
    judge_says(campaign, {"ab": ["a", "b", "unparsed"]})
    return campaign


def parquet_columns(content: bytes) -> list[str]:
    return [f"{it.name} {it.type}" for it in pq.read_schema(io.BytesIO(content))]


def line_columns(content: bytes) -> list[str]:
    """With the types that the values of any line have."""
    rows = [json.loads(line) for line in content.splitlines()]
    return [f"{name} {sorted({type(row[name]).__name__ for row in rows})}" for name in rows[0]]


def columns_of(path: Path) -> dict[str, list[str]]:
    content = path.read_bytes()
    match path.suffix:
        case ".parquet":
            return {path.name: parquet_columns(content)}
        case ".csv":
            return {path.name: next(csv.reader(io.StringIO(content.decode())))}
        case ".hugging-face":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                names = [it for it in archive.namelist() if it.endswith(".parquet")]
                return {name: parquet_columns(archive.read(name)) for name in names}
        case _:
            return {path.name: line_columns(content)}


def test_columns_change_with_the_number_of_the_schema(campaign: Campaign, tmp_path: Path) -> None:
    shapes = {"votes": list(VOTE_COLUMNS), "standing": list(STANDING_COLUMNS), "audit log": list(AUDIT_COLUMNS)}
    for name in ("csv", "jsonl", "parquet", "battles", "preferences", "trace", "hugging-face"):
        shapes |= columns_of(written(campaign, name, tmp_path, judges=True))

    digest = hashlib.sha256(json.dumps(shapes, sort_keys=True).encode()).hexdigest()[:12]

    assert (SCHEMA_VERSION, digest) == VERSIONS[-1]


def test_numbers_of_the_schema_are_documented_without_a_gap() -> None:
    assert [int(number) for number, _ in VERSIONS] == list(range(1, int(SCHEMA_VERSION) + 1))
