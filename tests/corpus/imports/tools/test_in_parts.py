"""Files that are read, checked and written some items at a time: the rows are those of a file taken as a whole."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from corpus.figures.keeping import keep_figures
from corpus.imports.files.rows import stream_rows
from corpus.imports.tools.formats.pairwise import lmarena
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.imports.uploads.checking import write_checked
from corpus.imports.uploads.jobs import check_import, write_import
from corpus.imports.writing import Destination, PlanRefused
from corpus.models import Dataset, DatasetFigures, Import, Item, ItemFigures, ItemWarning, ResponseTurn, Turn, Version
from infrastructure.background.jobs import JobTaken
from tests.corpus.imports.tools.conftest import NAME, answers_of, bring_in, look, quiet
from tests.corpus.imports.tools.test_lmarena import CLASSIC, talk, written
from tests.factories import UserFactory

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


def test_figures_after_the_last_part_are_those_of_the_whole_dataset(battles):
    dataset = bring_in(battles)
    kept = figures()

    keep_figures(dataset)

    assert figures() == kept
    assert [row[:3] for row in kept[1]] == [(SAME["question_id"], name, "same_text") for name in
                                            (SAME["model_a"], SAME["model_b"])]  # fmt: skip


def test_writing_that_was_killed_completes_what_it_began_as_one_version(battles, media_root):
    user = UserFactory(is_researcher=True)
    file = SimpleUploadedFile("battles.jsonl", battles.read_bytes())
    row = begin_import(user=user, dataset_name=NAME, manifest=file, archive=None)
    check_import(str(row.pk), quiet)
    confirm_import(Import.objects.get(pk=row.pk), user=user)

    def killed_after_two(done, total, note):
        if note.code == "writing_every_row" and done == 2:
            raise JobTaken

    with pytest.raises(JobTaken):
        write_import(str(row.pk), killed_after_two)
    row.refresh_from_db()
    assert (row.dataset.items.count(), row.status) == (2, Import.Status.IMPORTING)
    write_import(str(row.pk), quiet)

    row.refresh_from_db()
    assert (row.status, ResponseTurn.objects.count()) == (Import.Status.IMPORTED, 10)
    assert [(it.number, it.added, it.file) for it in Version.objects.all()] == [(1, ADDED, "battles.jsonl")]


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
