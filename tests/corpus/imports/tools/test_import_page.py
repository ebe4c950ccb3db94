"""A tool's file on the page of imports: what it was recognised as, what is lost, and the page of its columns."""

import io
import json
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.imports.mapping.page.preview import stored_table
from corpus.imports.mapping.rows.pseudonyms import rater_pseudonym
from corpus.models import Import, Label
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.importing import text_of

pytestmark = pytest.mark.django_db
PAIR = {"prompt": "Say it", "model_a": "alpha", "model_b": "beta", "audio_a": "a.wav", "audio_b": "b.wav"}


def task(n, choice):
    result = {"type": "choices", "from_name": "which", "to_name": "a", "value": {"choices": [choice]}}
    made = {
        "id": n,
        "completed_by": 1,
        "result": [result],
        "was_cancelled": False,
        "created_at": "2026-01-30T02:40:43Z",
    }
    return {"id": n, "annotations": [made], "predictions": [{}], "data": PAIR | {"prompt": f"Say it {n} times"}}


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def upload(page, name, content, **data):
    file = SimpleUploadedFile(name, content)
    reply = page.post("/imports/new/", {"dataset_name": "Zqxv", "manifest": file, "without_audio": "on"} | data)
    row = Import.objects.get()
    work_off()
    return reply, row


def work_off():
    for job in Job.objects.filter(status=Job.Status.QUEUED):
        run_job_task(str(job.pk))


@pytest.mark.databases
def test_page_says_what_was_recognised_and_what_is_lost(page, media_root):
    tasks = json.dumps([task(1, "Left"), task(2, "Right")]).encode()

    reply, row = upload(page, "tasks.json", tasks)

    assert reply.url == f"/imports/{row.pk}/"
    shown = text_of(page.get(reply.url))
    assert "Label Studio export: 2 tasks, 1 annotators, 2 annotations." in shown
    assert "2 predictions of models are left out." in shown
    page.post(f"/imports/{row.pk}/confirm/")
    work_off()
    assert list(Label.objects.values_list("aspect", "value")) == [("which", "a"), ("which", "b")]


@pytest.mark.databases
def test_answers_that_say_nothing_by_themselves_are_mapped_on_the_page_of_columns(page, media_root):
    _, row = upload(page, "tasks.json", json.dumps([task(1, "Old voice"), task(2, "New voice")]).encode())

    row.refresh_from_db()
    assert row.status == Import.Status.UNDECIDED
    shown = text_of(page.get(f"/imports/{row.pk}/"))
    assert "'Old voice' in which is not decided" in shown
    assert "Change the mapping" in shown
    columns = page.get(f"/imports/{row.pk}/columns/")
    mapping = columns.context["mapping"].as_json()
    mapping["columns"]["which"]["values"] = {"Old voice": "a", "New voice": "b"}
    reply = page.post(f"/api/v1/imports/{row.pk}/mapping/", json.dumps(mapping), content_type="application/json")
    assert reply.status_code == 202
    work_off()
    row.refresh_from_db()
    assert (row.status, row.report["errors"], row.report["labels"]) == (Import.Status.CHECKED, 0, 2)
    assert "Label Studio export" in text_of(page.get(f"/imports/{row.pk}/"))


def test_battles_need_no_audio_and_no_columns(page, media_root):
    battle = {
        "model_a": "alpha",
        "model_b": "beta",
        "winner": "tie",
        "judge": "ann",
        "tstamp": 1682351591.1,
        "question_id": "q1",
        "conversation_a": [{"role": "user", "content": "Why?"}],
        "conversation_b": [],
    }

    reply, row = upload(page, "battles.jsonl", json.dumps(battle).encode() + b"\n", without_audio="")

    row.refresh_from_db()
    assert (reply.status_code, row.status, row.without_audio) == (302, Import.Status.CHECKED, True)
    assert "LMArena battles: 1 battle of 2 systems." in text_of(page.get(f"/imports/{row.pk}/"))


def test_tasks_whose_annotations_are_none_are_tasks_without_annotations(page, media_root):
    tasks = [task(1, "Left"), task(2, "Right") | {"annotations": None}, task(3, "Right") | {"annotations": "x"}]

    reply, _row = upload(page, "tasks.json", json.dumps(tasks).encode())

    shown = text_of(page.get(reply.url))
    assert "Label Studio export: 3 tasks, 1 annotators, 1 annotations." in shown


def test_page_of_columns_chooses_what_raters_are_called(page, media_root):
    text = "session_test_id,email,trial_id,stimuli_rating,stimuli\nt,ann@example.org,t1,4,C1\n"
    _reply, row = upload(page, "lss.csv", text.encode())
    address = f"/imports/{row.pk}/columns/"
    assert '<option value="pseudonyms" selected>' in page.get(address).text

    chosen = {"shape": "answers", "becomes-0": "item", "becomes-1": "annotator", "becomes-2": "system",
              "becomes-3": "answer", "name-3": "rating", "others-3": "="}  # fmt: skip
    columns = [column.name for column in stored_table(row.folder, row.manifest_path).profile.columns]
    assert columns == ["trial_id", "participant", "stimulus", "score"]
    for raters, called in (("source", "ann@example.org"), ("pseudonyms", rater_pseudonym("ann@example.org"))):
        assert called in page.post(address, chosen | {"raters": raters}).text
        page.post(address, chosen | {"raters": raters, "check": "1"})
        work_off()
        row.refresh_from_db()
        assert row.report["tool"]["mapping"]["raters"] == raters


def test_page_of_columns_names_those_of_parquet_that_are_left_out_and_why(page, media_root):
    buffer = io.BytesIO()
    pq.write_table(
        pa.table({
            "q": ["q1", "q2"], "who": ["m", "m"], "said": ["yes", "no"],
            "raw": pa.array([[{"x": b"1"}], [{"x": b"2"}]]), "took": pa.array([timedelta(seconds=1)] * 2),
        }),
        buffer,
    )  # fmt: skip
    _reply, row = upload(page, "table.parquet", buffer.getvalue())

    shown = page.get(f"/imports/{row.pk}/columns/")

    assert [line.profile.name for line in shown.context["lines"]] == ["q", "who", "said"]
    assert (
        "Columns that are left out "
        "The column raw holds list<element: struct<x: binary>>, which is neither text nor number. It is left out. "
        "The column took holds duration[us], which is neither text nor number. It is left out."
    ) in text_of(shown)
    again = text_of(page.get(f"/imports/{row.pk}/columns/"))  # of what is stored beside the upload
    assert "The column took holds duration[us]" in again


def test_page_of_columns_says_nothing_of_columns_that_are_left_out_where_there_are_none(page, media_root):
    _reply, row = upload(page, "table.csv", b"q,who,said\nq1,m,yes\nq2,m,no\n")

    assert "left out" not in text_of(page.get(f"/imports/{row.pk}/columns/"))
