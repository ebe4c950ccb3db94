"""The three tables with one row per answer: what is in them, and that they say the same."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from analytics.exports.source import WITHHELD
from analytics.exports.tables.flat import COLUMNS, JSON_COLUMNS
from analytics.models import Export
from annotation.answers.submit import record_answers
from annotation.models import Assignment
from annotation.review.exclusions import Decider, exclude_answers
from campaigns.models import Campaign, Membership, Role
from infrastructure.files.csv_files import plain
from tests.analytics.exporting.exported import written
from tests.analytics.exporting.test_round_trip import answered_campaign
from tests.analytics.saying import judge_says
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def judged(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["a", "unparsed"], "ba": ["b", "both_good"]})


def test_people_and_judges_stand_in_the_same_columns(tmp_path: Path) -> None:
    campaign = answered_campaign("hcot", "ba")
    judged(campaign)

    rows = rows_of(written(campaign, "csv", tmp_path, judges=True))

    assert tuple(rows[0]) == COLUMNS
    people, judges = [row for row in rows if not row["judge"]], [row for row in rows if row["judge"]]
    assert len(people) == 16
    assert {bool(row["annotator"]) for row in people} == {True}
    assert [(row["order"], row["aspect"], row["value"], row["status"], row["judge_version"]) for row in judges] == [
        ("ab", "overall", "a", "ok", "random 1"),
        ("ab", "overall", "", "unparsed", "random 1"),
        ("ba", "overall", "b", "ok", "random 1"),
        ("ba", "overall", "both_good", "ok", "random 1"),
    ]
    assert {row["annotator"] for row in judges} == {""}


def test_the_three_tables_say_the_same(tmp_path: Path) -> None:
    campaign = answered_campaign("dubbing", "ba")

    table = [{name: plain(cell) for name, cell in row.items()} for row in rows_of(written(campaign, "csv", tmp_path))]
    lines = [json.loads(line) for line in written(campaign, "jsonl", tmp_path).read_text("utf-8").splitlines()]
    parquet = pd.read_parquet(written(campaign, "parquet", tmp_path))

    assert len(table) == len(lines) == len(parquet) > 0
    for cells, line in zip(table, lines, strict=True):
        as_text = {k: json.dumps(v, ensure_ascii=False) if k in JSON_COLUMNS and v else v for k, v in line.items()}
        assert cells == {name: "" if value is None else str(value) for name, value in as_text.items()}
    assert list(parquet["value"]) == [row["value"] for row in table]
    assert str(parquet["recorded_at"].dtype) == "datetime64[us, UTC]"
    assert list(parquet["recorded_at"].map(lambda time: time.isoformat())) == [row["recorded_at"] for row in table]
    assert parquet["played_s"].dropna().iloc[0] == pytest.approx(1.333)


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
def test_nobody_is_named_and_no_text_goes_out_unless_wanted(tmp_path: Path, name: str) -> None:
    campaign = make_campaign(protocol="arena", units=1)
    person = make_member(campaign, username="Rumpelstiltskin", email="gold@spinning.example")
    clicked = {"overall": "1", "reason": "I live in Wonderland"} | {"note.flag": "Call me at home"}
    record_answers(make_assignment(campaign, person).pk, annotator=person, clicked=clicked, idempotency_key="k")

    without = (written(campaign, name, tmp_path)).read_bytes()
    frame = pd.read_parquet if name == "parquet" else None
    with_text = (written(campaign, name, tmp_path, text=True)).read_bytes()

    for secret in (b"Rumpelstiltskin", b"spinning.example"):
        assert secret not in without + with_text
    assert b"Wonderland" not in without
    assert b"at home" not in without
    if frame is None:
        assert b"Wonderland" in with_text
        assert WITHHELD.encode() in without
        assert f"A{person.pk}".encode() in without


@pytest.mark.databases
def test_fresh_pseudonyms_are_not_those_of_the_campaign(tmp_path: Path) -> None:
    campaign = answered_campaign("hcot", "ab")
    own = set(Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("pseudonym", flat=True))

    found = {row["annotator"] for row in rows_of(written(campaign, "csv", tmp_path, pseudonyms="fresh"))}

    assert found == {"R1", "R2"}
    assert not found & own


@pytest.mark.databases
def test_what_was_left_out_comes_only_where_it_is_wanted(tmp_path: Path) -> None:
    campaign = make_campaign()
    person = make_member(campaign)
    for unit in campaign.campaign_units.all():
        row = make_assignment(campaign, person, campaign_unit=unit)
        record_answers(row.pk, annotator=person, clicked=DIRECT_ANSWERS, idempotency_key="k")
    first = Assignment.objects.get(campaign_unit__position=0)
    exclude_answers([first], reason="speed", decider=Decider(person=campaign.created_by))

    used = rows_of(written(campaign, "csv", tmp_path))
    everything = rows_of(written(campaign, "csv", tmp_path, more=("excluded",)))

    assert {row["unit"] for row in used} == {"1"}
    assert {(row["unit"], row["excluded"]) for row in everything} == {("0", "speed"), ("1", "")}


@pytest.mark.databases
def test_export_is_not_cut_between_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = answered_campaign("hcot", "ba")
    judged(campaign)
    whole = written(campaign, "csv", tmp_path, judges=True).read_text("utf-8")

    monkeypatch.setattr("analytics.data.labels.CHUNK", 1)

    assert written(campaign, "csv", tmp_path, judges=True).read_text("utf-8") == whole
    assert Export.objects.count() == 0
