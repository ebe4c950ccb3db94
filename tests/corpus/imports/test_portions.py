"""Imports that are written some rows at a time: what comes of them is what one transaction would have made."""

import json
import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections

from accounts.models import User
from corpus.access import datasets_for_campaigns
from corpus.figures.keeping import keep_figures
from corpus.imports import portions
from corpus.imports.plan import Plan, PlannedItem, PlannedLabel, PlannedUnit
from corpus.imports.portions import Portion, portions_of, size_of, write_portions
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.uploads.jobs import check_import, write_import
from corpus.imports.writing import Destination, PlanRefused, locked_dataset
from corpus.models import Clip, Dataset, DatasetFigures, Import, Item, ItemFigures, Label, Response, Version
from infrastructure import locked_database
from infrastructure.background.jobs import InputRefused, JobTaken
from infrastructure.models import Deletion
from tests.cases import each
from tests.corpus.imports.test_killed import KillAtWrite
from tests.factories import UserFactory
from tests.importing import LABELS, PAIR, PAIRS, RESPONSES, Killed, Listening, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
#: Two raters of three pairs of two items.
RATED = [
    PAIR | {"index": n, "instruction_id": item, "instruction_text": f"Why {item}?", "category": "Facts",
            "model_b": system, "annotator": rater, "label": label}
    for n, (item, system) in enumerate([("q1", "beta"), ("q1", "gamma"), ("q2", "beta")])
    for rater, label in (("ann", "1"), ("bob", "tie"))
]  # fmt: skip
ANSWERS = "unit,kind,item,systems,annotator,aspect,slot,value\n" + "".join(
    f'u{n},pair,{item},"{{""a"": ""alpha"", ""b"": ""{system}""}}",{rater},overall,,{value}\n'
    for n, (item, system) in enumerate([("q1", "beta"), ("q1", "gamma"), ("q2", "beta")])
    for rater, value in (("ann", "a"), ("bob", "tie"))
)


@pytest.fixture
def in_portions(monkeypatch):
    """A function: so many rows are written in one transaction from now on."""
    monkeypatch.setattr(locked_database, "LOOKS_S", 0.0)
    return lambda at_once: monkeypatch.setattr(portions, "AT_ONCE", at_once)


@pytest.fixture
def read(tmp_path, researcher):
    """A function: check a file without audio, and write it into the dataset of this name."""

    def bring_in(text, *, dataset="Set", name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        checked = check_upload(path, None, dataset_name=dataset, label_set_name=LABELS, progress=Listening())
        assert [str(it.message) for it in checked.errors] == []
        return write_checked(checked, None, Destination(dataset, LABELS, researcher), progress=Listening())

    return bring_in


def versions_of(dataset):
    return [(it.number, it.added) for it in dataset.versions.order_by("number")]


def order_of(dataset):
    """Items, responses, pairs and labels in the order in which they were written."""
    said = Label.objects.filter(annotation__label_set__dataset=dataset).order_by("pk")
    responses = Response.objects.filter(item__dataset=dataset).order_by("pk")
    return (
        list(dataset.items.order_by("pk").values_list("key", flat=True)),
        list(responses.values_list("item__key", "system__name", "key")),
        list(dataset.units.order_by("pk").values_list("key", flat=True)),
        list(said.values_list("annotation__unit__key", "annotation__label_set__rater", "aspect")),
    )


def figures_of(dataset):
    names = ("item__key", "system__name", "seconds", "lufs", "n_warnings", "words")
    warned = dataset.warnings.values_list("item__key", "system__name", "kind", "same_as")
    systems = dict(dataset.systems.values_list("pk", "name"))
    by_name = {
        systems.get(int(pk)): it for pk, it in DatasetFigures.objects.get(dataset=dataset).document["systems"].items()
    }
    return (
        sorted(ItemFigures.objects.filter(dataset=dataset).values_list(*names), key=str),
        sorted(warned, key=str),
        by_name,
    )


# -- what comes of it --------------------------------------------------------------------------------------------


@each("rows", [RESPONSES, PAIRS, RATED], undo=True)
@each("at_once", [1, 3], undo=True)
def test_portions_bring_what_one_transaction_brings(imported, contents, in_portions, rows, at_once):
    whole = imported(rows, dataset="Whole")
    in_portions(at_once)

    dataset = imported(rows)

    assert contents(dataset) == contents(whole)
    assert order_of(dataset) == order_of(whole)
    assert versions_of(dataset) == versions_of(whole)
    assert figures_of(dataset) == figures_of(whole)
    assert dataset.is_complete


def test_portions_change_nothing_the_second_time(imported, everything, in_portions):
    in_portions(2)
    imported(RATED)
    before = everything()

    imported(RATED)

    assert everything() == before


def test_figures_after_portions_are_those_of_the_whole_dataset(imported, in_portions):
    in_portions(2)
    dataset = imported(RATED)
    before = figures_of(dataset)

    keep_figures(dataset)

    assert figures_of(dataset) == before


@each("text", [ANSWERS], undo=True)
def test_answers_in_portions_are_those_of_one_transaction(read, contents, in_portions, text):
    whole = read(text, dataset="Whole")
    in_portions(2)

    dataset = read(text)

    assert contents(dataset) == contents(whole)
    assert order_of(dataset) == order_of(whole)
    assert versions_of(dataset) == versions_of(whole)
    assert dataset.is_complete


def test_answers_to_a_dataset_that_is_there_come_in_portions(read, imported, contents, in_portions):
    for name in ("Whole", "Set"):
        imported(RATED, dataset=name, labels="Other")
    whole = read(ANSWERS.replace("u0", "0").replace("u1", "1").replace("u2", "2"), dataset="Whole")
    in_portions(2)

    dataset = read(ANSWERS.replace("u0", "0").replace("u1", "1").replace("u2", "2"))

    assert contents(dataset) == contents(whole)
    assert versions_of(dataset) == versions_of(whole)


# -- a plan and its portions -------------------------------------------------------------------------------------


def test_portions_are_the_plan_together_and_none_is_much_larger():
    keys = [(f"q{n}", system, "1") for n in range(3) for system in ("a", "b")]
    units = {f"q{n}": PlannedUnit(f"q{n}", (f"q{n}", "a", "1"), (f"q{n}", "b", "1"), {}) for n in range(3)}
    labels = {
        (key, rater, "overall"): PlannedLabel(key, rater, "overall", "a") for key in units for rater in ("x", "y")
    }
    items = {key: PlannedItem("") for key in units}
    plan = Plan(items=items, responses={key: {} for key in keys}, units=units, labels=labels)

    assert list(portions_of(plan)) == [(size_of(plan), plan)]


def test_portions_are_in_the_order_of_the_file_and_none_is_larger_than_it_may_be(in_portions):
    in_portions(10)
    keys = [("q", f"s{n}", "1") for n in range(20)]
    units = {str(n): PlannedUnit("q", keys[0], key, {}) for n, key in enumerate(keys[1:])}
    labels = {("0", rater, "overall"): PlannedLabel("0", rater, "overall", "a") for rater in ("x", "y")}
    plan = Plan(items={"q": PlannedItem("")}, responses={key: {} for key in keys}, units=units, labels=labels)

    found = list(portions_of(plan))

    assert [n for n, _plan in found] == [10, 10, 10, 10, 2]
    assert [key for _n, it in found for key in it.responses] == keys
    assert list(dict.fromkeys(key for _n, it in found for key in it.units)) == list(units)
    assert [key for _n, it in found for key in it.labels] == list(labels)
    assert {key for _n, it in found for key in it.items} == {"q"}


def test_pairs_and_labels_keep_the_order_of_the_file(imported, in_portions):
    """Elo in the order of the file, and exports, go by it: also where the rows of an item do not stand together."""
    rows = [*RATED[::2], *RATED[1::2]]
    rows = [rows[n] for n in (2, 0, 1, 5, 3, 4)]
    in_portions(4)

    dataset = imported(rows)

    assert list(dataset.units.order_by("pk").values_list("key", flat=True)) == ["2", "0", "1"]
    told = Label.objects.order_by("pk").values_list("annotation__unit__key", "annotation__label_set__rater")
    assert list(told) == [(str(row["index"]), row["annotator"]) for row in rows]


# -- kills, failures, others -------------------------------------------------------------------------------------


def test_import_in_portions_killed_at_any_row_is_incomplete_and_complete_when_run_again(
    imported, contents, in_portions, researcher
):
    unkilled = contents(imported(PAIRS, dataset="Unkilled"))
    in_portions(4)
    counted = KillAtWrite(None)
    with connection.execute_wrapper(counted):
        imported(PAIRS, dataset="Counted")
    assert len(counted.seen) > 13

    for n in range(1, len(counted.seen) + 1):
        with connection.execute_wrapper(KillAtWrite(n)), pytest.raises(Killed):
            imported(PAIRS, dataset=f"Killed {n}")
        assert f"Killed {n}" not in datasets_for_campaigns(researcher).values_list("name", flat=True)

        dataset = imported(PAIRS, dataset=f"Killed {n}")

        assert (contents(dataset), dataset.is_complete, dataset.versions.count() <= 2) == (unkilled, True, True)
        assert figures_of(dataset) == figures_of(Dataset.objects.get(name="Unkilled"))


def test_answers_of_a_new_dataset_killed_at_any_row_are_complete_when_run_again(read, contents, in_portions):
    unkilled = contents(read(ANSWERS, dataset="Unkilled"))
    in_portions(4)
    counted = KillAtWrite(None)
    with connection.execute_wrapper(counted):
        read(ANSWERS, dataset="Counted")

    for n in range(1, len(counted.seen) + 1, 3):
        with connection.execute_wrapper(KillAtWrite(n)), pytest.raises(Killed):
            read(ANSWERS, dataset=f"Killed {n}")
        dataset = read(ANSWERS, dataset=f"Killed {n}")
        assert (contents(dataset), dataset.is_complete) == (unkilled, True)


@pytest.fixture
def confirmed(researcher, archive, media_root, tmp_path):
    """A function: an import of these rows that was checked and confirmed."""

    def upload(rows):
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        row = begin_import(
            user=researcher, dataset_name="Set", label_set_name=LABELS,
            manifest=SimpleUploadedFile("pairs.jsonl", text.encode()),
            archive=SimpleUploadedFile("audio.zip", archive),
        )  # fmt: skip
        check_import(str(row.pk), Listening())
        return confirm_import(Import.objects.get(pk=row.pk), user=researcher)

    return upload


def taken_after(n):
    """The worker loses its job once so many portions are written."""
    said = []

    def progress(done, total, note):
        said.append(note.code == "writing_every_row")
        if sum(said) == n:
            raise JobTaken

    return progress


def test_job_that_was_taken_over_is_completed_as_one_version(confirmed, contents, imported, in_portions):
    unkilled = imported(RATED, dataset="Unkilled")
    row = confirmed(RATED)
    in_portions(4)
    with pytest.raises(JobTaken):
        write_import(str(row.pk), taken_after(2))
    row.refresh_from_db()
    assert (row.status, row.dataset.is_complete) == (Import.Status.IMPORTING, False)

    write_import(str(row.pk), Listening())

    row.refresh_from_db()
    assert (row.status, row.dataset.is_complete) == (Import.Status.IMPORTED, True)
    assert contents(row.dataset) == contents(unkilled)
    assert versions_of(row.dataset) == versions_of(unkilled)


def test_import_that_fails_half_way_leaves_nothing_of_a_new_dataset(confirmed, everything, in_portions):
    row = confirmed(RATED)
    in_portions(4)

    def fail(execute, sql, params, many, context):
        if '"corpus_label"' in sql and sql.startswith("INSERT"):
            raise RuntimeError("the database is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail), pytest.raises(RuntimeError, match="the database is full"):
        write_import(str(row.pk), Listening())
    assert not Dataset.objects.exists()
    work_off()

    row.refresh_from_db()
    assert (row.status, row.dataset) == (Import.Status.FAILED, None)
    rows, files = everything()
    assert {name for name, found in rows.items() if found} == {"Import"}
    assert (files, Deletion.objects.count()) == ({}, 0)


def test_file_that_is_brought_again_after_a_failure_is_complete(confirmed, contents, imported, in_portions):
    unkilled = contents(imported(RATED, dataset="Unkilled"))
    row = confirmed(RATED)
    in_portions(4)

    def fail(execute, sql, params, many, context):
        if '"corpus_label"' in sql and sql.startswith("INSERT"):
            raise RuntimeError("the database is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail), pytest.raises(RuntimeError):
        write_import(str(row.pk), Listening())

    dataset = imported(RATED)  # before what failed is removed
    work_off()

    assert contents(dataset) == unkilled
    assert Clip.objects.count() == 3


def test_what_was_written_before_a_refused_portion_stays_in_a_dataset_that_was_there(confirmed, in_portions):
    row = confirmed(RATED)
    dataset = Dataset.objects.create(name="Set", slug="set", created_by=row.created_by)
    in_portions(4)
    seen = []

    def change(done, total, note):
        seen.append(note.code)
        if seen.count("writing_every_row") == 1:
            Item.objects.get_or_create(dataset=dataset, key="q2", category="Another")

    with pytest.raises(InputRefused):
        write_import(str(row.pk), change)

    row.refresh_from_db()
    assert (row.status, row.report["errors"]) == (Import.Status.FAILED, 1)
    assert set(dataset.items.values_list("key", flat=True)) == {"q1", "q2"}
    assert [it.added["items"] for it in Version.objects.all()] == [1]


def test_refused_portion_is_refused_for_the_whole(checked, folder, researcher, in_portions):
    found = checked(RATED, audio=None)
    dataset = Dataset.objects.create(name="Set", slug="set", created_by=researcher)
    Item.objects.create(dataset=dataset, key="q2", category="Another")
    in_portions(4)

    with pytest.raises(PlanRefused, match="already there with category 'Another'"):
        write_checked(found, None, Destination("Set", LABELS, researcher), progress=Listening())

    assert [it.field for it in found.errors] == ["category"]


def test_figures_are_kept_again_where_another_import_added_meanwhile(researcher):
    destination, kept = Destination("Set", LABELS, researcher), []

    def lock():
        return locked_dataset(destination, in_parts=True)

    def keep(dataset):
        kept.append(dataset.is_complete)
        if len(kept) == 1:
            Version.objects.create(dataset=dataset, number=7, made_by=researcher, added={"items": 1})

    dataset = write_portions(
        [Portion(1, lambda _dataset: {})], destination, lock=lock, keep_figures=keep, size=1, n_rows=1,
        progress=Listening(),
    )  # fmt: skip

    assert (kept, dataset.is_complete) == ([False, False], True)


@pytest.mark.django_db(transaction=True)
def test_others_write_between_two_portions(imported, in_portions):
    """Another connection writes whenever a portion is done; none of it waits, and none is lost."""
    in_portions(4)
    written = []

    def write():
        with connections["default"].cursor():
            User.objects.filter(username="ruth").update(last_name=f"{len(written)}")
            written.append(1)
        connections["default"].close()

    def progress(done, total, note):
        if note.code == "writing_every_row":
            other = threading.Thread(target=write)
            other.start()
            other.join(timeout=10)

    dataset = imported(RATED, progress=progress)

    assert len(written) >= 4
    assert (Label.objects.count(), dataset.is_complete) == (6, True)


def test_another_import_that_goes_on_completes_the_dataset(imported, in_portions, researcher):
    in_portions(2)
    dataset = Dataset.objects.create(name="Set", slug="set", created_by=researcher, is_complete=False)
    other = Import.objects.create(
        dataset=dataset, dataset_name="Set", created_by=UserFactory(), status=Import.Status.IMPORTING
    )

    imported(RATED)
    dataset.refresh_from_db()
    assert not dataset.is_complete

    Import.objects.filter(pk=other.pk).update(status=Import.Status.IMPORTED)
    imported(RATED)
    dataset.refresh_from_db()
    assert dataset.is_complete
