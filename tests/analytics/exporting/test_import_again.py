"""What went out comes in again, into an installation that has the items alone: the same labels, and the same file."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import User
from analytics.data.labels import campaign_labels, imported_labels, responses_of
from analytics.data.votes.table import Selection, tally
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import imported_pairs
from corpus.imports.files.rows import read_rows
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset, LabelSet
from judges.imported.columns import find_columns
from judges.imported.plan import plan_verdicts
from judges.imported.writing import units_by_key, write_verdicts
from judges.models import VerdictAnswer
from tests.analytics.exporting.exported import quiet, written
from tests.analytics.exporting.test_round_trip import answered_campaign
from tests.analytics.saying import judge_says, people_say
from tests.cases import each
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db

FreshCopy = Callable[..., Dataset]


def taken_in(file: Path, dataset: Dataset, user: User, name: str = "Again") -> list[str]:
    """Check the file and write it; return what was warned of."""
    checked = check_upload(file, None, dataset_name=dataset.name, label_set_name=name, progress=quiet)
    assert checked.errors == []
    write_checked(checked, None, Destination(dataset.name, name, user), progress=quiet)
    return [problem.message for problem in checked.plan.problems]


@each("form", ["csv", "jsonl", "parquet"], undo=True)
@each("protocol, order", [("hcot", "ba"), ("hcot_guided", "ba"), ("arena", "ab"), ("dubbing", "ba")], undo=True)
def test_answers_come_in_as_they_went_out(
    fresh_copy: FreshCopy,
    tmp_path: Path,
    form: str,
    protocol: str,
    order: str,
) -> None:
    campaign = answered_campaign(protocol, order)
    file = written(campaign, form, tmp_path, text=True, more=("excluded", "checks"))
    fresh = fresh_copy(campaign.dataset)

    assert taken_in(file, fresh, campaign.created_by) == []

    for ours, theirs in zip(campaign_labels(campaign), imported_labels(*fresh.label_sets.all()), strict=True):
        assert replace(ours, unit=theirs.unit) == theirs
        assert ours.unit.key == theirs.unit.key
        assert responses_of(ours.unit).keys() == responses_of(theirs.unit).keys()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_what_was_withheld_keeps_no_number_from_coming_in(
    fresh_copy: FreshCopy,
    tmp_path: Path,
    form: str,
) -> None:
    campaign = answered_campaign("arena", "ba")
    fresh = fresh_copy(campaign.dataset)

    assert taken_in(written(campaign, form, tmp_path), fresh, campaign.created_by) == []

    values = [[it.value for it in row.answers if it.aspect == "overall"] for row in campaign_labels(campaign)]
    found = imported_labels(*fresh.label_sets.all())
    assert [[it.value for it in row.answers if it.aspect == "overall"] for row in found] == values


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_verdicts_in_the_same_table_come_into_a_campaign(
    fresh_copy: FreshCopy,
    tmp_path: Path,
    form: str,
) -> None:
    campaign = answered_campaign("hcot", "ba")
    judge_says(campaign, {"ab": ["a", "unparsed"], "ba": ["b", "both_good"]}, title="Judge 1")
    judge_says(campaign, {"ba": ["b", "a"]}, title="Judge 2")
    file = written(campaign, form, tmp_path, judges=True)
    fresh = fresh_copy(campaign.dataset)

    [warning] = taken_in(file, fresh, campaign.created_by)
    there = create_campaign(
        fresh, title="There", protocol=campaign.protocol, units=imported_pairs(fresh), user=campaign.created_by
    )
    done = take_verdicts(there, file)

    assert warning.startswith("6 rows are verdicts of judges")
    assert done == 6
    assert verdicts_of(there) == verdicts_of(campaign)


def take_verdicts(campaign: Campaign, file: Path) -> int:
    rows = read_rows(file)
    columns = find_columns(rows, named={}, settings=(), judge="", order="")
    plan = plan_verdicts(rows, columns, protocol=campaign.protocol, units=units_by_key(campaign))
    assert plan.errors == []
    return write_verdicts(campaign, plan, user=campaign.created_by).new


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_tables_larger_than_a_manifest_are_read_row_by_row(
    fresh_copy: FreshCopy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    campaign = answered_campaign("hcot", "ba")
    judge_says(campaign, {"ab": ["a", "unparsed"]})
    file, fresh, user = (
        written(campaign, form, tmp_path, judges=True),
        fresh_copy(campaign.dataset),
        campaign.created_by,
    )
    monkeypatch.setattr("corpus.imports.files.rows.MAX_MANIFEST_BYTES", 100)

    taken_in(file, fresh, user)
    there = create_campaign(fresh, title="There", protocol=campaign.protocol, units=imported_pairs(fresh), user=user)
    call_command("import_verdicts", file, campaign=there.slug, user=user.username)

    assert len(list(imported_labels(*fresh.label_sets.all()))) == 4
    assert verdicts_of(there) == verdicts_of(campaign)


def verdicts_of(campaign: Campaign) -> list[tuple[str, ...]]:
    rows = VerdictAnswer.objects.filter(verdict__run__campaign=campaign).order_by("verdict__run_id", "verdict_id")
    return list(rows.values_list("verdict__unit__key", "verdict__order", "verdict__status", "aspect", "value"))


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_battles_come_in_to_the_same_counts(fresh_copy: FreshCopy, tmp_path: Path, order: str) -> None:
    campaign = answered_campaign("hcot", order)
    file = written(campaign, "battles", tmp_path)
    fresh = fresh_copy(campaign.dataset)

    [warning] = taken_in(file, fresh, campaign.created_by)

    assert "do not carry confidence" in warning
    whole = LabelSet.objects.filter(dataset=fresh)[0]
    ours = tally(campaign, Selection("overall")).counts
    theirs = tally(whole, Selection("overall", by="all")).counts
    assert ours.systems == theirs.systems
    assert ours.table.tolist() == theirs.table.tolist()


def test_battles_of_others_have_ties_of_two_kinds(fresh_copy: FreshCopy, tmp_path: Path) -> None:
    campaign = make_campaign(units=4)
    people_say(campaign, ["a", "b", "both_good", "both_bad"])
    rows = [json.loads(line) for line in written(campaign, "battles", tmp_path).read_text("utf-8").splitlines()]
    file = tmp_path / "theirs.jsonl"
    lines = ({name: value for name, value in row.items() if name not in ("value", "order")} for row in rows)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    fresh = fresh_copy(campaign.dataset)
    taken_in(file, fresh, campaign.created_by)

    assert [row.answers[0].value for row in imported_labels(*fresh.label_sets.all())] == ["a", "b", "tie", "both_bad"]


def test_preferences_come_in_without_ties_and_that_is_said(tmp_path: Path) -> None:
    campaign = make_campaign(units=3)
    people_say(campaign, ["a", "both_bad", "b"])
    file, user = written(campaign, "preferences", tmp_path), campaign.created_by

    warnings = taken_in(file, campaign.dataset, user)

    assert [it[:37] for it in warnings] == ["Preference pairs do not carry ties: w"]
    found = imported_labels(*campaign.dataset.label_sets.all())
    said = [(it.unit.key, it.answers[0].value, it.given.order) for it in found]
    assert said == [("0", "a", "ab"), ("2", "b", "ab")]


def test_preferences_of_others_are_refused_by_what_they_do_not_say(tmp_path: Path) -> None:
    file = tmp_path / "theirs.jsonl"
    file.write_text('{"prompt": "Why?", "chosen": "So.", "rejected": "No."}\n')

    checked = check_upload(file, None, dataset_name="New", label_set_name="x", progress=quiet)

    assert {"unit", "item", "systems"} <= {problem.field for problem in checked.errors}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_half_a_file_is_refused(tmp_path: Path, form: str) -> None:
    campaign = answered_campaign("hcot", "ba")
    file = written(campaign, form, tmp_path)
    file.write_bytes(file.read_bytes()[:-3])

    try:
        checked = check_upload(file, None, dataset_name=campaign.dataset.name, label_set_name="x", progress=quiet)
    except ValueError:
        return
    assert checked.errors
