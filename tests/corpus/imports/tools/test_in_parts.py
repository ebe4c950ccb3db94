"""Files that are read, checked and written some items at a time: the rows are those of a file taken as a whole."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from corpus.access import datasets_for_campaigns
from corpus.figures.keeping import keep_figures
from corpus.imports.files.rows import stream_rows
from corpus.imports.tools.formats.pairwise import lmarena
from corpus.imports.uploads import jobs
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.uploads.ending import end_import
from corpus.imports.uploads.jobs import check_import, write_import
from corpus.imports.writing import Destination, PlanRefused
from corpus.models import Dataset, DatasetFigures, Import, Item, ItemFigures, ItemWarning, ResponseTurn, Turn, Version
from infrastructure.background.jobs import InputRefused, JobTaken
from infrastructure.models import Job
from tests.corpus.imports.tools.conftest import NAME, answers_of, bring_in, look, quiet
from tests.corpus.imports.tools.test_lmarena import CLASSIC, talk, written
from tests.factories import UserFactory
from tests.importing import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
SAME = CLASSIC[0] | {
    "question_id": "same",
    "conversation_a": talk("Hm?", "Yes."),
    "conversation_b": talk("Hm?", "Yes."),
}
BATTLES = [*CLASSIC, SAME]
ADDED = {"items": 4, "systems": 3, "responses": 8, "pairs": 4, "labels": 4}


@pytest.fixture
def battles(tmp_path, monkeypatch):
    """The file, which is taken in one battle at a time."""
    monkeypatch.setattr(lmarena, "AT_ONCE", 1)
    return written(BATTLES, tmp_path, "jsonl")


@pytest.fixture
def page_of():
    def signed_in(user):
        client = Client()
        client.force_login(user)
        return client

    return signed_in


def figures():
    """What is kept of the dataset, without ids of its own."""
    return (
        sorted(ItemFigures.objects.values_list("item", "system", "seconds", "lufs", "n_warnings", "words"), key=str),
        sorted(ItemWarning.objects.values_list("item__key", "system__name", "kind", "same_as")),
        DatasetFigures.objects.get().document,
    )


def test_parts_bring_what_the_whole_brings(battles, monkeypatch):
    in_parts = look(battles).report()
    monkeypatch.setattr(lmarena, "AT_ONCE", 100)
    at_once = look(battles).report()

    assert in_parts == at_once
    monkeypatch.setattr(lmarena, "AT_ONCE", 1)
    answers = answers_of(bring_in(battles))
    Dataset.objects.all().delete()
    monkeypatch.setattr(lmarena, "AT_ONCE", 100)
    assert answers_of(bring_in(battles)) == answers


def test_names_that_look_alike_are_warned_of_across_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(lmarena, "AT_ONCE", 1)
    first = CLASSIC[0] | {"model_a": "alpha"}
    second = CLASSIC[0] | {"question_id": "other", "model_a": "\u0430lpha"}

    checked = look(written([first, second], tmp_path, "jsonl"))

    found = [it for it in checked.problems if it.message.code == "systems_look_alike"]
    assert [it.severity for it in found] == ["warning"]
    assert checked.report()["warnings"] == len(checked.problems)


def test_figures_after_the_last_part_are_those_of_the_whole_dataset(battles):
    dataset = bring_in(battles)
    kept = figures()

    keep_figures(dataset)

    assert figures() == kept
    assert [row[:3] for row in kept[1]] == [(SAME["question_id"], name, "same_text") for name in
                                            (SAME["model_a"], SAME["model_b"])]  # fmt: skip


@pytest.fixture
def confirmed(battles, media_root):
    """An import of the file that was checked, and was confirmed to be written."""
    user = UserFactory(is_researcher=True)
    file = SimpleUploadedFile("battles.jsonl", battles.read_bytes())
    row = begin_import(user=user, dataset_name=NAME, manifest=file, archive=None)
    check_import(str(row.pk), quiet)
    return confirm_import(Import.objects.get(pk=row.pk), user=user)


def killed_after_two(done, total, note):
    """The worker goes away once two battles are written; before that it says how far it is."""
    if note.code == "writing_every_row":
        Job.objects.filter(kind="import-write").update(done=done, total=total)
        if done == 2:
            raise JobTaken


def write_two(row):
    with pytest.raises(JobTaken):
        write_import(str(row.pk), killed_after_two)
    row.refresh_from_db()


def test_writing_that_was_killed_completes_what_it_began_as_one_version(confirmed):
    row = confirmed
    write_two(row)
    assert (row.dataset.items.count(), row.status) == (2, Import.Status.IMPORTING)
    write_import(str(row.pk), quiet)

    row.refresh_from_db()
    assert (row.status, ResponseTurn.objects.count()) == (Import.Status.IMPORTED, 10)
    assert [(it.number, it.added, it.file) for it in Version.objects.all()] == [(1, ADDED, "battles.jsonl")]


def test_new_dataset_is_shown_as_being_imported_and_not_offered_to_campaigns_before_its_last_part(confirmed, page_of):
    row, page = confirmed, page_of(confirmed.created_by)
    write_two(row)

    assert "being imported, 2 of 4 rows" in text_of(page.get(reverse("datasets")))
    told = text_of(page.get(row.dataset.get_absolute_url()))
    assert "This dataset is being imported from battles.jsonl." in told
    assert "2 of 4 rows are in. What it brings: items: 4, responses: 8, pairs: 4, labels: 4." in told
    assert "New campaign" not in told
    assert list(datasets_for_campaigns(row.created_by)) == []

    write_import(str(row.pk), quiet)

    assert list(datasets_for_campaigns(row.created_by)) == [row.dataset]
    assert "being imported" not in text_of(page.get(reverse("datasets")))
    assert "New campaign" in text_of(page.get(row.dataset.get_absolute_url()))


def test_dataset_whose_import_failed_is_incomplete_until_the_file_comes_again(confirmed, battles, page_of):
    row, page = confirmed, page_of(confirmed.created_by)
    write_two(row)
    end_import(row, Import.Status.FAILED)

    assert "incomplete" in text_of(page.get(reverse("datasets")))
    assert "its import ended before the last row" in text_of(page.get(row.dataset.get_absolute_url()))

    write_checked(look(battles), None, Destination(NAME, row.label_set_name, row.created_by), progress=quiet)

    row.dataset.refresh_from_db()
    assert (row.dataset.is_complete, row.dataset.items.count()) == (True, 4)


def test_page_of_a_dataset_says_what_an_import_is_adding(confirmed, page_of):
    dataset = Dataset.objects.create(name=NAME, slug="set", created_by=confirmed.created_by)
    write_two(confirmed)

    told = text_of(page_of(confirmed.created_by).get(dataset.get_absolute_url()))

    assert "An import is adding battles.jsonl to this dataset. 2 of 4 rows are in." in told
    assert list(datasets_for_campaigns(confirmed.created_by)) == [dataset]


def test_file_is_not_checked_as_a_whole_before_it_is_written_unless_something_was_added_since(confirmed, monkeypatch):
    checked = []
    monkeypatch.setattr(jobs, "check_upload", lambda *args, **more: checked.append(1) or check_upload(*args, **more))
    write_two(confirmed)
    assert checked == []

    dataset = Dataset.objects.get()
    Version.objects.create(dataset=dataset, number=2, made_by=confirmed.created_by, added={"items": 1})
    write_import(str(confirmed.pk), quiet)

    assert checked == [1]
    assert Import.objects.get().status == Import.Status.IMPORTED


def test_refused_part_stands_in_the_report_beside_what_the_check_found(confirmed):
    dataset = Dataset.objects.create(name=NAME, slug="set", created_by=confirmed.created_by)
    Item.objects.create(dataset=dataset, key=BATTLES[2]["question_id"], category="Another")

    with pytest.raises(InputRefused):
        write_import(str(confirmed.pk), quiet)

    report = Import.objects.get().report
    assert (report["rows"], report["errors"]) == (4, 1)
    assert [it["field"] for it in report["problems"] if it["severity"] == "error"] == ["category"]


def test_what_was_written_before_a_refused_part_stays_and_has_a_version(battles):
    checked = look(battles)
    user = UserFactory(is_researcher=True)
    dataset = Dataset.objects.create(name=NAME, slug="set", created_by=user)
    Item.objects.create(dataset=dataset, key=BATTLES[2]["question_id"], category="Another")

    with pytest.raises(PlanRefused, match="already there with category 'Another'"):
        write_checked(checked, None, Destination(NAME, "L", user), progress=quiet)

    assert sorted(Item.objects.values_list("key", flat=True)) == sorted(it["question_id"] for it in BATTLES[:3])
    assert Version.objects.get().added["items"] == 2


def test_errors_of_every_part_are_counted_and_listed_by_row(battles):
    bring_in(battles)
    Turn.objects.filter(position=1).update(text="Something else")

    report = look(battles).report()

    assert (report["errors"], report["items_there"], report["is_new"]) == (4, 4, False)
    assert [it["severity"] for it in report["problems"]] == ["error"] * 4


def test_a_later_part_takes_as_many_queries_as_the_first(battles, tmp_path):
    user = User.objects.filter(username="ruth").first() or UserFactory(username="ruth", is_researcher=True)
    taken = []
    for n in range(3):
        path = written([CLASSIC[0] | {"question_id": f"q{n}"}], tmp_path, "jsonl")
        checked = look(path)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            write_checked(checked, None, Destination(NAME, "L", user), progress=quiet)
        taken.append(len(queries))

    assert taken[1] == taken[2]


def test_lists_of_texts_are_read_over_several_groups_of_rows(tmp_path):
    path = tmp_path / "groups.parquet"
    table = pa.Table.from_pylist([{"id": str(n), "said": talk("Why?", f"{n}")} for n in range(5)])
    pq.write_table(table, path, row_group_size=2)

    assert [row["said"][1]["content"] for _, row in stream_rows(path)] == ["0", "1", "2", "3", "4"]
    assert [list(row) for _, row in stream_rows(path, without=("said",))] == [["id"]] * 5
