"""The columns of the table of answers are declared once; every list of them follows."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

import pytest

from analytics.exports.tables.flat import COLUMNS, FIELDS, JSON_COLUMNS, TIMES
from corpus.tidy import given as declared
from corpus.tidy.cells import Cells
from corpus.tidy.columns import OF_JUDGES, Column
from corpus.tidy.given import Given, given_cells, read_given, restored, stored, table_field
from corpus.tidy.reference import PAGE, page
from corpus.tidy.rows import TABLE, TIDY_COLUMNS

WHEN = datetime(2026, 1, 31, 12, 0, 0, 250, tzinfo=UTC)
#: A value of every field, that differs from what it is where nobody says anything.
FULL = Given(
    "A1", order="ba", confidence=2, flag="'= look", shown_at=WHEN, recorded_at=WHEN, revision=3, language="de-ch",
    marks=({"slot": "prompt", "turn": 1, "start": 0.5, "end": 1.0, "kind": "noise"},),
    listening={"clips": {"a-1": {"coverage": 0.5, "plays": 2}}, "played_s": 1.0, "switches": 0, "hidden_s": 0.0},
    purpose="gold", excluded="speed", excluded_by="rule", expected={"overall": ["a"]}, propensity=0.1 + 0.2,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Longer(Given):
    """With a column that nothing else knows."""

    device: str = field(
        default="",
        metadata=table_field(Column("device", "what was listened with", longest=20), annotation="device"),
    )
    plugged_at: datetime | None = field(
        default=None, metadata=table_field(Column("plugged_at", "since when", "time"))
    )


@pytest.fixture
def longer(monkeypatch: pytest.MonkeyPatch) -> None:
    for it in fields(Longer):
        monkeypatch.setitem(declared.FIELDS, it.name, it.metadata["table"])
    monkeypatch.setattr(declared, "Given", Longer)


@pytest.mark.usefixtures("longer")
def test_column_that_is_declared_is_read_written_and_stored() -> None:
    row = {"annotator": "A1", "device": "headphones", "plugged_at": "2026-01-31T12:00:00.000250+00:00"}

    read = read_given(Cells(row), "ab")

    assert read == Longer("A1", device="headphones", plugged_at=WHEN)
    assert given_cells(read)[-2:] == ["headphones", row["plugged_at"]]
    assert stored(read)["given"] == {"device": "headphones", "plugged_at": row["plugged_at"]}
    assert restored("A1", "", **stored(read)) == read


@pytest.mark.usefixtures("longer")
def test_cell_of_a_declared_column_is_refused_when_it_is_too_long() -> None:
    cells = Cells({"annotator": "A1", "device": "x" * 21})
    read_given(cells, "ab")

    assert cells.errors == {"device": "The cell device has 21 characters; at most 20 are kept."}


def test_every_field_is_stored_and_restored_as_it_was() -> None:
    assert all(getattr(FULL, it.name) != getattr(Given(""), it.name) for it in fields(Given))
    assert restored(*FULL.rater, **stored(FULL)) == FULL
    assert stored(Given("A1")) == {"order": "", "excluded": "", "given": {}}


def test_every_column_of_an_annotation_is_in_the_table() -> None:
    assert len(given_cells(FULL)) == len(declared.COLUMNS)
    assert [name for name in TIDY_COLUMNS if name in {it.name for it in declared.COLUMNS}] == [
        it.name for it in declared.COLUMNS
    ]


def test_reference_has_the_declared_columns() -> None:
    message = "run `python -m corpus.tidy.reference` and commit docs/reference/table-of-answers.md"

    assert PAGE.read_text(encoding="utf-8") == page(), message
    assert all(f"{column.line}\n" in page() for column in TABLE)


def test_exports_have_the_declared_columns_with_their_descriptions() -> None:
    columns = (*TABLE, *OF_JUDGES)

    assert list(COLUMNS) == [it.name for it in columns]
    assert [it.metadata[b"description"].decode() for it in FIELDS] == [it.about for it in columns]
    assert {it.name for it in columns if it.kind == "json"} == JSON_COLUMNS
    assert {it.name for it in columns if it.kind == "time"} == TIMES
