"""The shapes that others use: TRACE, LMArena's battles, preference pairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from analytics.exports.making import write_export
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from campaigns.models import Campaign
from corpus.tidy.rows import BATTLE_COLUMNS
from tests.analytics.exporting.exported import quiet, written
from tests.analytics.saying import judge_says, people_say
from tests.cases import each
from tests.factories import RARE_A, RARE_B, make_campaign

pytestmark = pytest.mark.django_db


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=4)
    people_say(campaign, ["a", "b", "both_good", "both_bad"])
    judge_says(campaign, {"ba": ["a", "b", "both_good", "unparsed"]})
    return campaign


def test_battles_name_who_was_heard_first_and_keep_the_type_of_ties(tmp_path: Path, campaign: Campaign) -> None:
    rows = lines_of(written(campaign, "battles", tmp_path, judges=True))

    assert tuple(rows[0]) == BATTLE_COLUMNS
    assert [(row["rater"], row["model_a"], row["model_b"], row["winner"], row["value"]) for row in rows] == [
        ("human", RARE_A, RARE_B, "model_a", "a"),
        ("human", RARE_A, RARE_B, "model_b", "b"),
        ("human", RARE_A, RARE_B, "tie", "both_good"),
        ("human", RARE_A, RARE_B, "tie (bothbad)", "both_bad"),
        ("judge", RARE_B, RARE_A, "model_b", "a"),
        ("judge", RARE_B, RARE_A, "model_a", "b"),
        ("judge", RARE_B, RARE_A, "tie", "both_good"),
    ]
    assert {row["judge"] for row in rows[4:]} == {"Judge"}
    unread = {"unit": "3", "order": "ba", "sample": 0, "status": "unparsed"}
    assert [row["unread"] for row in rows] == [[], [], [], [], [unread], [], []]


def test_preferences_leave_ties_out_and_count_them(tmp_path: Path, campaign: Campaign) -> None:
    source = Source(campaign, Wanted(judges=True), quiet)

    n = write_export(source, "preferences", tmp_path / "file")

    rows = lines_of(tmp_path / "file")
    assert n == len(rows) == 4
    assert [(row["chosen_system"], row["rejected_system"]) for row in rows] == [
        (RARE_A, RARE_B),
        (RARE_B, RARE_A),
    ] * 2
    assert rows[0]["prompt"] == "Prompt of 0"
    assert rows[0]["chosen_audio"] == [f"0/{RARE_A}.wav"]
    assert dict(source.left_out) == {
        "ties, of which nothing was preferred": 3, "verdicts without an answer": 1,
        "pairs of which a prompt or a response is sound alone: its text in the file is empty": 4,
    }  # fmt: skip


def test_trace_shape_is_what_the_release_has(tmp_path: Path, campaign: Campaign) -> None:
    rows = lines_of(written(campaign, "trace", tmp_path))

    assert [row["label"] for row in rows] == [
        {"overall": "1"}, {"overall": "2"}, {"overall": "both_good"}, {"overall": "both_bad"},
    ]  # fmt: skip


@each("protocol, names", [
    ("hcot", {"csv", "jsonl", "parquet", "trace", "battles", "preferences", "hugging-face"}),
    ("attributes", {"csv", "jsonl", "parquet", "trace", "battles", "preferences", "hugging-face"}),
    ("acr", {"csv", "jsonl", "parquet", "hugging-face"}),
    ("dubbing", {"csv", "jsonl", "parquet", "hugging-face"}),
], undo=True)  # fmt: skip
def test_campaign_has_the_formats_that_its_answers_fit(protocol: str, names: set[str]) -> None:
    from analytics.exports.formats.registry import formats_for  # noqa: PLC0415

    assert {it.name for it in formats_for(make_campaign(protocol=protocol))} == names
