import contextlib
import html
import json
import os
import re
import time
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from corpus.imports.checks.result import Checked
from corpus.imports.files.abandoned import sweep_abandoned_files
from corpus.imports.reasons import LISTENING, NO_HEADER
from corpus.imports.uploads import actions, ending, jobs
from corpus.imports.uploads.actions import begin_import
from corpus.models import Clip, Dataset, Import, Label
from infrastructure.models import Job
from infrastructure.wording.reasons import TEXT
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory
from tests.importing import PAIR, PAIRS, Listening, text_of, uploads, work_off

pytestmark = pytest.mark.django_db

CANCELLING = (
    "Cancel the check The check stops, and the upload is thrown away. Nothing of it was written. Yes, cancel it"
)


def listed(response):
    """The problems on the report page: severity, row, place, message."""
    cells = r'<tr class="(\w+)"><td>(.*?)</td><td>(.*?)</td><td>(?:<span.*?</span> )?(.*?)</td></tr>'
    return [tuple(map(html.unescape, row)) for row in re.findall(cells, response.content.decode())]


def is_empty(everything, *, but=()):
    """No row but that of the import is there, and no file but those that are named."""
    rows, files = everything()
    return {name for name, found in rows.items() if found} <= {"Import"} and set(files) == set(but)


def zip_of_import(row):
    """What stays of a refused import for a day, so that the corrected table can come alone."""
    return [f"imports/{row.pk}/audio.zip"]


# -- upload and check ------------------------------------------------------------------------------------------


def test_upload_page_shows_its_form(page):
    response = page.get("/imports/new/?dataset_name=Set")

    assert response.status_code == 200
    assert list(response.context["form"].fields) == [
        "dataset_name", "manifest", "archive", "without_audio", "label_set_name", "map_columns", "audio_of",
    ]  # fmt: skip
    assert response.context["form"]["dataset_name"].value() == "Set"
    assert "Choose the files again" not in text_of(response)


@pytest.mark.databases
def test_upload_is_kept_and_its_check_waits_in_the_queue(uploaded, media_root, researcher):
    row = uploaded(PAIRS)

    assert (row.status, row.label_set_name, row.manifest_name) == ("checking", "Labels of pairs", "pairs.json")
    assert uploads(media_root) == [str(row.pk), f"{row.pk}/audio.zip", f"{row.pk}/manifest"]
    assert Job.objects.values_list("kind", "subject", "status", "started_by").get() == (
        "import-check", str(row.pk), "queued", researcher.pk,
    )  # fmt: skip
    assert not Dataset.objects.exists()


def test_upload_under_a_hostile_name_stays_in_its_folder(uploaded, media_root, tmp_path):
    row = uploaded(PAIRS, name="../../../evil.json")

    assert row.manifest_name == "evil.json"
    assert uploads(media_root) == [str(row.pk), f"{row.pk}/audio.zip", f"{row.pk}/manifest"]
    assert list(tmp_path.rglob("evil*")) == []


def test_folders_of_systems_go_by_the_name_of_their_zip(page, folder, zip_of, django_capture_on_commit_callbacks):
    sound = (folder / "a1.wav").read_bytes()
    path = zip_of({"alpha/1.wav": sound, "beta/1.wav": (folder / "b1.wav").read_bytes()})
    sent = {"dataset_name": "Set", "archive": SimpleUploadedFile("systems.zip", path.read_bytes())}

    with django_capture_on_commit_callbacks(execute=True):
        page.post("/imports/new/", sent)
    work_off()
    row = Import.objects.get()

    assert (row.status, row.manifest_name, row.archive_name) == ("checked", "systems.zip", "systems.zip")
    assert "systems.zip into Set" in text_of(page.get(row.get_absolute_url()))


def test_upload_names_its_labels_as_it_is_told(uploaded):
    assert uploaded(PAIRS, label_set_name="First look").label_set_name == "First look"


@each(
    "fields, errors",
    [
        (
            {"zipped": None},
            {"archive": ["Add a ZIP of the audio, or choose to import without audio."]},
        ),
        ({"rows": ""}, {"manifest": ["The submitted file is empty."]}),
        ({"dataset_name": " "}, {"dataset_name": ["This field is required."]}),
        (
            {"dataset_name": "x" * 201},
            {"dataset_name": ["Ensure this value has at most 200 characters (it has 201)."]},
        ),
    ],
    undo=True,
)
def test_upload_with_a_faulty_form_keeps_nothing(post, media_root, fields, errors):
    response = post(**({"rows": PAIRS} | fields))

    assert response.context["form"].errors == errors
    assert "Choose the files again" in text_of(response)
    assert not Import.objects.exists()
    assert not media_root.exists()


@pytest.mark.databases
def test_clean_check_shows_its_counts_and_writes_nothing(checked_upload, page, everything):
    row = checked_upload(PAIRS)

    response = page.get(row.get_absolute_url())

    assert row.status == "checked"
    assert "Rows 2 Items 1 Systems 3 Responses 3 Pairs 2 Labels 4 Clips 4" in text_of(response)
    assert "Everything can be imported. Nothing has been written so far. Import" in text_of(response)
    rows, files = everything()
    assert {name for name, found in rows.items() if found} == {"Import"}
    assert set(files) == {f"imports/{row.pk}/manifest", f"imports/{row.pk}/audio.zip"}


def test_table_of_mere_notes_is_not_called_wrong(checked_upload, page):
    row = checked_upload([PAIR | {"instruction_text": ""}])

    said = text_of(page.get(row.get_absolute_url()))

    assert row.status == "checked"
    assert "Everything can be imported" in said
    assert "Where Notes" in said
    assert "What is wrong" not in said


@pytest.mark.parametrize("status", ["checking", "importing"])
def test_page_that_read_the_upload_before_its_job_ended_asks_again(checked_upload, page, status):
    """The row is read first, and the job may end before it is read: the page would stay without its last word."""
    row = checked_upload(PAIRS)
    Import.objects.update(status=status)

    said = page.get(row.get_absolute_url()).content.decode()

    assert 'data-live-every="1"' in said
    assert f'hx-get="{row.get_absolute_url()}"' in said
    Import.objects.update(status="checked")
    assert "data-live-topic" not in page.get(row.get_absolute_url()).content.decode().split('id="import"')[1]


@pytest.mark.databases
def test_page_of_an_upload_whose_job_failed_says_why_and_asks_no_more(checked_upload, page):
    row = checked_upload(PAIRS)
    Import.objects.update(status="checking")
    Job.objects.update(status="failed", error=TEXT(text="Something unexpected went wrong."))

    response = page.get(row.get_absolute_url())

    assert "Something unexpected went wrong." in text_of(response)
    assert "data-live-topic" not in response.content.decode().split('id="import"')[1]


def test_faulty_check_shows_every_problem_and_keeps_nothing_but_the_zip(checked_upload, page, everything):
    row = checked_upload(
        [
            PAIR | {"audio1_path": "missing.wav"},
            PAIR | {"index": 1, "model_a": "", "label": {"content": "<b>3</b>"}},
            PAIR | {"index": 2, "label": {"content": "<b>3</b>"}},
            PAIR | {"index": 3, "instruction_id": 68, "instruction_text": ""},
        ]
    )

    response = page.get(row.get_absolute_url())

    assert row.status == "failed"
    assert listed(response) == [
        ("error", "1", "audio", "missing.wav is missing from the ZIP."),
        ("error", "2", "system_a", "The cell system_a is empty."),
        (
            "error",
            "3",
            "label content",
            "Unknown label '<b>3</b>'. Known are 1, 2, both_good, both_bad, tie, same. Else map its values.",
        ),
        (
            "warning",
            "4",
            "prompt_text",
            "1 prompt without words (row 4). Words are read by text judges, and shown where the audio fails; "
            "where a prompt has no recording either, people hear the responses alone.",
        ),
    ]
    assert "3 errors. Nothing was written. Fix them and upload again." in text_of(response)
    assert b">Import<" not in response.content
    assert b"<b>3</b>" not in response.content
    assert is_empty(everything, but=zip_of_import(row))


def test_corrected_table_comes_alone_and_takes_the_zip_of_the_refused_import(checked_upload, page, confirm):
    refused = checked_upload([PAIR | {"label": "X"}])
    shown = page.get(refused.get_absolute_url()).content.decode()
    again = re.search(r'href="(/imports/new/[^"]*audio_of=[^"]*)"', shown)[1].replace("&amp;", "&")

    assert "audio.zip, is still here: add the corrected table alone" in text_of(page.get(again))
    row = checked_upload(PAIRS, zipped=None, audio_of=refused.pk)
    confirm(row)
    work_off()

    row.refresh_from_db()
    assert (row.status, row.archive_name) == ("imported", refused.archive_name)
    assert not row.folder.exists()
    assert refused.kept_archive


def test_zip_of_a_refused_import_is_its_owners_and_stays_for_a_day(checked_upload, post):
    refused = checked_upload([PAIR | {"label": "X"}])
    other = Client()
    other.force_login(UserFactory(is_researcher=True))

    assert "is still here" not in text_of(other.get(f"/imports/new/?audio_of={refused.pk}"))
    table = SimpleUploadedFile("pairs.json", json.dumps(PAIRS).encode())
    response = other.post("/imports/new/", {"dataset_name": "D", "manifest": table, "audio_of": refused.pk})
    assert "audio_of" in response.context["form"].errors

    then = time.time() - 2 * 86_400
    os.utime(refused.folder, (then, then))
    sweep_abandoned_files()

    assert refused.kept_archive is None
    response = post(PAIRS, zipped=None, audio_of=refused.pk)
    assert list(response.context["form"].errors) == ["archive"]


@pytest.mark.databases
def test_another_zip_is_taken_before_the_kept_one(checked_upload, zip_of):
    refused = checked_upload([PAIR | {"label": "X"}])

    row = checked_upload(PAIRS, zipped=zip_of({"other.wav": b"x"}).read_bytes(), audio_of=refused.pk)

    assert row.status == "failed"
    assert row.report["errors"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"index": 1}\n[2]', "Line 2 is JSON, but not an object."),
        ("item|system\n", NO_HEADER()),
        ("item,system\n", "The manifest holds no rows."),
        ('{"index": "\\u0000"}', "Line 1 is not a JSON object: it holds a NUL character."),
    ],
)  # fmt: skip
def test_manifest_that_is_no_table_fails_with_a_sentence(checked_upload, page, everything, text, message):
    row = checked_upload(text)

    assert row.status == "failed"
    assert message in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything, but=zip_of_import(row))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (None, "The audio file is not a readable ZIP: File is not a zip file."),
        ({"bomb.wav": bytes(12 * 1024**2)}, "The ZIP unpacks to more than 200 times its size; audio does not."),
        ({"../../evil.wav": b"x"}, "'../../evil.wav' is not a path inside the audio folder or ZIP."),
    ],
)
def test_unusable_zip_fails_with_a_sentence(checked_upload, page, everything, zip_of, members, message):
    row = checked_upload(PAIRS, zipped=b"no zip" if members is None else zip_of(members).read_bytes())

    assert row.status == "failed"
    assert message in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything)


def test_zip_over_the_limit_of_the_installation_fails_with_a_sentence(checked_upload, page, everything, settings):
    settings.MAX_ARCHIVE_BYTES = 1000

    row = checked_upload(PAIRS)

    assert row.status == "failed"
    assert "The ZIP unpacks to 0 MB; at most 0 MB are taken." in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything)


class FullDisk(SimpleUploadedFile):
    """An upload during which the disk fills up."""

    def chunks(self, _chunk_size=None):
        yield b"half of it"
        raise OSError(28, "No space left on device")


def test_upload_onto_a_full_disk_leaves_nothing_behind(researcher, everything):
    with pytest.raises(OSError, match="No space left"):
        begin_import(user=researcher, dataset_name="Set", manifest=FullDisk("m.csv", b"x"), archive=None)

    rows, files = everything()
    assert not any(rows.values())
    assert files == {}


# -- confirm and write -----------------------------------------------------------------------------------------


def test_confirmed_import_writes_its_rows_and_lets_go_of_the_upload(
    checked_upload, confirm, page, contents, imported, media_root
):
    row = checked_upload(PAIRS, label_set_name="Labels")

    response = confirm(row)
    work_off()

    row.refresh_from_db()
    assert (response.status_code, response["Location"]) == (302, row.get_absolute_url())
    assert (row.status, row.dataset.name, row.dataset.created_by) == ("imported", "Set", row.created_by)
    assert contents(row.dataset) == contents(imported(PAIRS, dataset="By hand"))
    assert uploads(media_root) == []
    shown = text_of(page.get(row.get_absolute_url()))
    assert "Imported. Open Set" in shown


def test_import_without_audio_needs_no_zip(checked_upload, confirm):
    row = checked_upload(PAIRS, zipped=None, without_audio="on")
    confirm(row)
    work_off()

    row.refresh_from_db()
    assert (row.status, Label.objects.count(), Clip.objects.count()) == ("imported", 4, 0)


def test_same_upload_again_changes_nothing(checked_upload, confirm, everything):
    def without_the_import(look):
        rows, files = look
        return {name: found for name, found in rows.items() if name != "Import"}, files

    confirm(checked_upload(PAIRS))
    work_off()
    before = without_the_import(everything())

    again = checked_upload(PAIRS)
    confirm(again)
    work_off()

    again.refresh_from_db()
    assert again.status == "imported"
    assert without_the_import(everything()) == before


def test_confirming_twice_queues_one_job(checked_upload, confirm):
    row = checked_upload(PAIRS)

    statuses = [confirm(row).status_code, confirm(row).status_code]

    assert statuses == [302, 302]
    assert Job.objects.filter(kind="import-write").count() == 1


def test_confirming_an_import_that_is_done_is_refused(checked_upload, confirm):
    row = checked_upload(PAIRS)
    confirm(row)
    work_off()

    response = confirm(row)

    assert response.status_code == 409
    assert Job.objects.filter(kind="import-write").count() == 1


def test_confirming_before_the_check_is_done_is_refused(uploaded, confirm, everything):
    row = uploaded(PAIRS)
    before = everything()

    response = confirm(row)

    assert response.status_code == 409
    assert "Only what was checked and found clean can be imported." in text_of(response)
    assert everything() == before


def test_confirming_a_faulty_check_is_refused(checked_upload, confirm, everything):
    row = checked_upload([PAIR | {"label": "X"}])

    response = confirm(row)

    assert response.status_code == 409
    assert "Only what was checked and found clean can be imported." in text_of(response)
    assert is_empty(everything, but=zip_of_import(row))


def test_confirming_by_a_link_is_no_way(checked_upload, page):
    row = checked_upload(PAIRS)

    assert page.get(f"/imports/{row.pk}/confirm/").status_code == 405
    assert page.post(row.get_absolute_url()).status_code == 405


@pytest.mark.databases
def test_dataset_that_changes_after_the_check_stops_the_import(
    checked_upload, confirm, imported, page, everything, media_root
):
    row = checked_upload(PAIRS, label_set_name="Labels")
    imported([PAIR | {"label": {"content": "2"}}], labels="Labels")
    labels = list(Label.objects.values())

    confirm(row)
    work_off()

    response = page.get(row.get_absolute_url())
    assert listed(response) == [
        ("error", "–", "label content", "Pair 0 is already labelled 'b' here. Give the new labels another name.")
    ]
    assert "The dataset has changed since the check; see the report." in text_of(response)
    assert list(Label.objects.values()) == labels
    assert uploads(media_root) == []


def test_upload_that_is_lost_before_the_writing_fails_with_a_sentence(checked_upload, confirm, page, everything):
    row = checked_upload(PAIRS)
    row.archive_path.unlink()

    confirm(row)
    work_off()

    row.refresh_from_db()
    assert row.status == "failed"
    assert "The audio file is not a readable ZIP" in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything)


@pytest.mark.databases
def test_unexpected_fault_ends_the_import_and_leaves_nothing(checked_upload, confirm, page, everything):
    row = checked_upload(PAIRS)
    confirm(row)

    def fail(execute, sql, params, many, context):
        if '"corpus_label"' in sql and sql.startswith("INSERT"):
            raise RuntimeError("a fault in the program")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        work_off()

    row.refresh_from_db()
    assert row.status == "failed"
    assert "Something unexpected went wrong." in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything)


# -- how far it is ---------------------------------------------------------------------------------------------


def fragment(page, row):
    return page.get(row.get_absolute_url(), headers={"HX-Request": "true"})


def test_fragment_asks_again_while_the_check_waits(uploaded, page):
    row = uploaded(PAIRS)

    shown = fragment(page, row)

    assert shown.content.decode().split("\n")[1].startswith(f'<div data-live-topic="job:{Job.objects.get().pk}"')
    assert text_of(shown) == f"Waiting to begin 0 % {CANCELLING}"


@pytest.mark.databases
def test_fragment_shows_a_bar_while_the_check_runs(uploaded, page):
    row = uploaded(PAIRS)
    Job.objects.update(status="running", done=3, total=12, note=LISTENING(), heartbeat_at=timezone.now())

    shown = fragment(page, row)

    assert text_of(shown) == f"Listening to every file: 3 / 12 25 % {CANCELLING}"
    assert re.findall(r"<progress [^>]*>", shown.content.decode()) == [
        '<progress max="100" value="25" aria-label="Listening to every file">'
    ]


@pytest.mark.databases
def test_fragment_says_when_no_worker_comes(uploaded, page):
    row = uploaded(PAIRS)
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=6))

    assert text_of(fragment(page, row)).startswith("Queued, but no worker is running; start one with")


def test_fragment_of_a_finished_check_asks_no_more(checked_upload, page):
    row = checked_upload(PAIRS)

    shown = fragment(page, row).content.decode()

    assert "hx-get" not in shown
    assert "<html" not in shown
    assert text_of(fragment(page, row)) in text_of(page.get(row.get_absolute_url()))


@pytest.mark.databases
def test_jobs_say_how_far_they_came(checked_upload, confirm):
    confirm(checked_upload(PAIRS))
    work_off()

    assert list(Job.objects.values_list("kind", "status", "done", "total", "note")) == [
        ("import-check", "succeeded", 4, 4, "Listening to every file"),
        ("import-write", "succeeded", 4, 4, "Storing files"),
    ]


# -- workers that stall or break -------------------------------------------------------------------------------


def test_stalled_check_that_wakes_after_the_writing_leaves_the_import_imported(uploaded, monkeypatch):
    row = uploaded(PAIRS)
    check = jobs._check

    def stall(*args):
        found = check(*args)
        monkeypatch.setattr(jobs, "_check", check)
        jobs.check_import(str(row.pk), Listening())
        actions.confirm_import(row, user=row.created_by)
        jobs.write_import(str(row.pk), Listening())
        return found

    monkeypatch.setattr(jobs, "_check", stall)
    jobs.check_import(str(row.pk), Listening())

    row.refresh_from_db()
    assert row.status == "imported"


def test_unexpected_fault_at_the_end_of_the_check_ends_it_as_failed(
    uploaded, page, everything, media_root, monkeypatch
):
    row = uploaded(PAIRS)

    def fail(_checked):
        raise RuntimeError("a fault in the program")

    monkeypatch.setattr(Checked, "report", fail)
    work_off()

    row.refresh_from_db()
    assert (row.status, Job.objects.get().status, uploads(media_root)) == ("failed", "failed", [])
    assert "Something unexpected went wrong." in text_of(page.get(row.get_absolute_url()))
    assert is_empty(everything)


@pytest.mark.databases
@pytest.mark.parametrize(
    ("text", "fails", "code", "errors"),
    [
        ("[[1, 2]]", False, "entry_no_object", 0),
        ("item,system,response_audio\na,b,\n", False, "import_has_errors", 2),
        (PAIRS, True, "job_broke", 0),
    ],
)
def test_import_that_is_failed_says_why_at_once(uploaded, researcher, monkeypatch, text, fails, code, errors):
    """Its files go after its status is written: what is asked in between has the reason already."""
    row = uploaded(text)
    asked = []

    def asks(remove):
        def asking(*given):
            asked.append(caller(researcher).get(f"/api/v1/imports/{row.pk}/").json())
            return remove(*given)

        return asking

    for name in ("remove_folder", "keep_only"):
        monkeypatch.setattr(ending, name, asks(getattr(ending, name)))
    if fails:
        monkeypatch.setattr(Checked, "report", lambda _checked: 1 / 0)
    work_off()

    said = [(it["status"], it["job"]["status"], it["job"]["error"]["code"], len(it["job"]["errors"])) for it in asked]
    assert said == [("failed", "failed", code, errors)]
    assert caller(researcher).get(f"/api/v1/imports/{row.pk}/").json()["job"] == asked[0]["job"]


@pytest.mark.parametrize("wakes_with", ["an error", "an exception"])
def test_stalled_check_leaves_a_confirmed_upload_alone(uploaded, monkeypatch, wakes_with):
    row = uploaded(PAIRS)
    check = jobs._check

    def stall(*args):
        found = check(*args)
        monkeypatch.setattr(jobs, "_check", check)
        jobs.check_import(str(row.pk), Listening())
        actions.confirm_import(row, user=row.created_by)
        if wakes_with == "an exception":
            raise RuntimeError
        found.plan.refuse(None, "item", "The dataset has changed.")
        return found

    monkeypatch.setattr(jobs, "_check", stall)
    with contextlib.suppress(RuntimeError):
        jobs.check_import(str(row.pk), Listening())

    row.refresh_from_db()
    assert (row.status, row.folder.exists(), row.report["errors"]) == ("importing", True, 0)
