"""Manifests that can be read in several ways: what is asked, by page and by API, and what is written then."""

import html
import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.manifest.choices import Choices
from corpus.imports.manifest.planning import make_plan
from corpus.models import Dataset, Import
from tests.api.callers import caller
from tests.cases import each
from tests.importing import PAIR, PAIRS, RESPONSES, Listening, text_of, work_off

pytestmark = pytest.mark.django_db

CLASHING = [PAIR, PAIR | {"index": 1, "instruction_text": "Why not?", "audio2_path": "a2.wav"}]
WINNERS = [{"model_a": "alpha", "model_b": "beta", "winner": "model_a", "instruction_text": "Why?"}]


def plan_of(rows, **choices):
    return make_plan(list(enumerate(rows, start=1)), without_audio=True, choices=Choices(**choices))


def said(plan):
    return [(problem.severity, problem.row, problem.field, problem.message) for problem in plan.problems]


# -- columns ---------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_mistyped_column_is_named_with_what_it_may_mean():
    plan = plan_of([{"item": "q", "system": "a", "prompt_text": "Why?", "respone_text": "So.", "speaker": "x"}])

    assert [(one.name, one.meant, one.kept) for one in plan.unused] == [
        ("respone_text", "response_text", False), ("speaker", "", False),
    ]  # fmt: skip
    message = "The column respone_text is not understood and not kept. Is it meant to be response_text?"
    assert said(plan) == [("warning", None, "respone_text", message)]


@pytest.mark.databases
@each(
    "column, meant",
    [
        ("Category", "category"),
        ("instruction-text", "instruction_text"),
        ("audio_3", ""),
        ("Label overall", "label_overall"),
    ],
    undo=True,
)
def test_columns_of_pairs_are_compared_with_those_that_are_missing(column, meant):
    pair = {"model_a": "a", "model_b": "b", "audio_a": "1", "audio_b": "2", "label_content": "1", column: "x"}

    assert [(one.name, one.meant) for one in plan_of([pair]).unused] == [(column, meant)]


@pytest.mark.databases
def test_misnamed_columns_of_a_manifest_are_refused_with_a_guess():
    (problem,) = plan_of([{"itm": "q", "system": "a"}]).problems

    assert problem.message.endswith("(itm may be meant to be item)")


@pytest.mark.databases
def test_column_that_is_named_must_be_there():
    plan = plan_of(WINNERS, label_column="won", without_labels=True)

    assert (None, "won") in [(problem.row, problem.field) for problem in plan.problems]


@pytest.mark.databases
def test_labels_of_a_named_column_are_held_to_the_words_there_are():
    plan = plan_of([WINNERS[0] | {"winner": "nobody"}], label_column="winner")

    assert [(it.row, it.field, it.choice) for it in plan.problems] == [(1, "label overall", "")]


@pytest.mark.databases
def test_column_of_an_item_is_any_that_is_named():
    rows = [PAIR | {"session": "s1"}, PAIR | {"index": 1, "session": "s2", "audio2_path": "c.wav"}]

    plan = plan_of(rows, item_column="session")

    assert list(plan.items) == ["s1", "s2"]
    assert plan.units["0"].source["instruction_id"] == 67


# -- items -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_conversations_that_part_are_split_as_whole_conversations():
    def turn(system, n, text):
        return {"item": "q", "system": system, "turn": n, "prompt_text": text}

    rows = [turn("a", 1, "Hi"), turn("a", 2, "So?"), turn("b", 1, "Hi"), turn("b", 2, "Why?"), turn("c", 1, "Hi")]

    plan = plan_of(rows, clashing_items="split")

    assert {key: [turn.text for turn in item.turns.values()] for key, item in plan.items.items()} == {
        "q": ["Hi", "So?"], "q #2": ["Hi", "Why?"],
    }  # fmt: skip
    assert list(plan.responses) == [("q", "a", "1"), ("q #2", "b", "1"), ("q", "c", "1")]


@pytest.mark.databases
def test_key_of_a_split_item_is_none_that_is_taken():
    rows = [PAIR, PAIR | {"index": 1, "instruction_text": "How?"}, PAIR | {"index": 2, "instruction_id": "67 #2"}]

    plan = plan_of([*rows[:2], rows[2] | {"instruction_text": "When?"}], clashing_items="split")

    assert {key: item.turns[1].text for key, item in plan.items.items()} == {
        "67": "Why?", "67 #3": "How?", "67 #2": "When?",
    }  # fmt: skip


@pytest.mark.databases
def test_answers_to_items_that_become_one_stay_apart():
    rows = [{"item": item, "system": "a", "prompt_text": "Why?"} for item in ("q1", "q2")]

    plan = plan_of(rows, same_prompts="one")

    assert list(plan.responses) == [("q1", "a", "1"), ("q1", "a", "q2")]
    assert plan.problems == []


@pytest.mark.databases
def test_cell_without_words_contradicts_no_prompt():
    plan = plan_of([PAIR | {"instruction_text": ""}, PAIR | {"index": 1, "audio2_path": "c.wav"}])

    assert plan.problems == []
    assert plan.items["67"].turns[1].text == "Why?"


@pytest.mark.databases
def test_pairs_of_one_system_with_itself_are_named():
    itself = {"index": 1, "model_b": "alpha", "audio2_path": "c.wav"}

    ((severity, row, field, message),) = said(plan_of([PAIR, PAIR | itself]))

    assert (severity, row, field) == ("warning", 2, "system_b")
    assert message.startswith("1 pair of one system with itself (row 2)")


@pytest.mark.databases
def test_pairs_without_a_prompt_are_no_item():
    rows = [{"model_a": "a", "model_b": "b", "item": "x"}, {"model_a": "a", "model_b": "c", "item": "x"}]

    assert [problem.choice for problem in plan_of(rows).problems if problem.severity == "error"] == ["item_column"]
    assert list(plan_of(rows, item_column="item").items) == ["x"]


# -- structure first -------------------------------------------------------------------------------------------


def test_manifest_without_words_comes_in_with_a_warning(imported, checked):
    rows = [{"item": row["item"], "system": row["system"], "response_audio": row["response_audio"]}
            for row in (RESPONSES[0], RESPONSES[2])]  # fmt: skip

    assert [(it.row, it.field, it.severity) for it in checked(rows).plan.problems] == [(1, "prompt_text", "warning")]
    assert imported(rows).items.get().turns.get().text == ""


@pytest.mark.databases
def test_words_come_later_to_prompts_without_them(imported, checked):
    imported([row | {"prompt_text": ""} for row in RESPONSES])

    dataset = imported(RESPONSES)

    assert [turn.text for turn in dataset.items.get().turns.all()] == ["Why?", "So?"]
    assert checked([row | {"prompt_text": ""} for row in RESPONSES]).errors == []


def test_missing_column_of_audio_is_found_before_any_sound_is_heard(tmp_path, checked):
    folder = tmp_path / "long"
    folder.mkdir()
    noise = np.random.default_rng(0).normal(0, 0.1, 48_000 * 300)
    for n in range(3):
        soundfile.write(folder / f"{n}.flac", noise, 48_000)
    row = {"system": "a", "prompt_text": "Why?"}
    rows = [row | {"item": f"q{n}", "prompt_text": f"Why {n}?", "prompt_audio": f"{n}.flac"} for n in range(3)]
    progress = Listening()

    begin = time.monotonic()
    found = checked(rows, audio=FolderAudio(folder), progress=progress)

    assert time.monotonic() - begin < 1
    assert [(it.row, it.field) for it in found.errors] == [(None, "response_audio")]
    assert found.errors[0].message == (
        "No row names a file in response_audio. Add the column, or import without audio."
    )
    assert (found.report()["sound_checked"], progress.calls) == (False, [])


# -- sound -----------------------------------------------------------------------------------------------------


@pytest.fixture
def faulty(tmp_path) -> Path:
    folder = tmp_path / "faulty"
    folder.mkdir()
    times = np.arange(32_000) / 16_000
    tone = np.sin(2 * np.pi * 440 * times)
    sounds = {"silent": 0 * tone, "clipped": np.clip(20 * tone, -1, 1), "loud": 1.2 * tone, "fine": 0.1 * tone}
    for name, samples in sounds.items():
        subtype = "FLOAT" if name == "loud" else "PCM_16"
        soundfile.write(folder / f"{name}.wav", samples, 16_000, subtype=subtype)
    return folder


@pytest.fixture
def faulty_rows():
    names = ["silent", "clipped", "loud", "fine"]
    rows = [
        {"item": f"q{n}", "prompt_text": f"Why {n}?", "response_audio": f"{it}.wav"} for n, it in enumerate(names)
    ]
    return [row | {"system": "alpha" if n else "beta"} for n, row in enumerate(rows)]


def test_silent_clipped_and_loud_clips_are_warnings_by_system(checked, faulty, faulty_rows):
    found = checked(faulty_rows, audio=FolderAudio(faulty))

    assert found.errors == []
    assert [(it.row, it.message.partition(" (true")[0]) for it in found.plan.problems] == [
        (2, "2 of 3 clips of alpha are clipped in 1% of the samples or more: clipped.wav (row 2), loud.wav (row 3)."),
        (2, "2 of 3 clips of alpha are far too loud"),
        (1, "1 of 1 clip of beta is silent from end to end: silent.wav (row 1)."),
    ]
    assert found.plan.problems[1].message.endswith("): clipped.wav (row 2), loud.wav (row 3).")


@pytest.mark.databases
def test_page_of_the_dataset_names_them_too(imported, page, faulty, faulty_rows):
    dataset = imported(faulty_rows, audio=FolderAudio(faulty))

    shown = page.get(dataset.get_absolute_url())

    said = text_of(shown)
    assert "Warning Prompts alpha beta silent from end to end – – 1 clipped in 1 of 100 samples or more – 2 –" in said
    assert "far too loud: true peak above 0 dBTP, or more than −5 LUFS – 2 –" in said
    links = re.findall(r'<a href="(/datasets/[^"]*warning=clipped[^"]*)">2</a>', shown.content.decode())
    table = text_of(page.get(html.unescape(links[0])))
    assert [key for key in ("q0", "q1", "q2", "q3") if f" {key} " in table] == ["q1", "q2"]


# -- twice -----------------------------------------------------------------------------------------------------


def test_second_check_says_what_is_there_already(checked_upload, confirm, page):
    confirm(checked_upload(PAIRS))
    work_off()

    row = checked_upload(PAIRS)

    said = text_of(page.get(row.get_absolute_url()))
    assert "Items 1 1 already there" in said
    assert "Pairs 2 2 already there Labels 4 4 already there" in said
    assert "All of this is in the dataset already: importing it changes nothing." in said
    assert row.report["is_new"] is False
    more = checked_upload([*PAIRS, PAIR | {"index": 2, "model_b": "delta", "audio2_path": "b2.wav"}])
    assert (more.report["units"], more.report["units_there"], more.report["is_new"]) == (3, 2, True)


def test_lines_of_a_table_are_those_of_an_editor(checked_upload, page):
    text = 'item,system,prompt_text,response_audio\nq1,alpha,"two\nlines",a1.wav\n\nq2,beta,Why?,\n'

    row = checked_upload(text, name="manifest.csv")

    assert [(it["row"], it["field"]) for it in row.report["problems"]] == [(5, "response_audio")]
    assert "Line of the file" in text_of(page.get(row.get_absolute_url()))


# -- verdicts --------------------------------------------------------------------------------------------------

JUDGED = PAIR | {"order": "AB", "judge": "j", "aspect": "overall", "verdict": "1"}
JUDGED.pop("label", None)


def verdicts_refused(plan):
    return [(it.field, it.choice) for it in plan.problems if "This is a table of verdicts" in it.message]


@pytest.mark.databases
@each("more", [{}, {"order": ""}, {"order": "BA"}, {"judge": "", "model": "m"}], undo=True)
@each("column", ["", "verdict"], undo=True)
def test_verdicts_are_refused_as_labels_of_people(more, column):
    plan = plan_of([JUDGED | more], label_column=column)

    assert verdicts_refused(plan) == [("verdict", "label_column")]
    assert (plan.labels, plan.label_columns) == ({}, [])
    assert "Comparison, Import verdicts" in plan.problems[0].message


@pytest.mark.databases
def test_rows_that_were_heard_turned_are_never_read_as_labels():
    row = {"model_a": "a", "model_b": "b", "instruction_text": "Why?", "label": "1"}

    turned = plan_of([row | {"order": "AB"}, row | {"order": "BA", "instruction_text": "How?"}])

    assert "in some rows the second system was heard first (BA)" in turned.problems[0].message
    assert (verdicts_refused(turned), turned.labels) == ([("verdict", "label_column")], {})
    assert len(plan_of([row | {"order": "AB"}]).labels) == 1
    assert plan_of([{name: cell for name, cell in row.items() if name != "label"} | {"order": "BA"}]).problems == []


@pytest.mark.databases
def test_pairs_of_a_table_of_verdicts_come_in_once_without_labels():
    rows = [JUDGED, JUDGED | {"order": "BA", "verdict": "2"}, JUDGED | {"aspect": "content"}]

    plan = plan_of(rows, without_labels=True, label_column="verdict")

    assert plan.problems == []
    assert (list(plan.units), plan.labels) == (["0"], {})
    assert not {"order", "judge", "aspect", "verdict"} & plan.units["0"].source.keys()


@pytest.mark.databases
def test_another_pair_under_the_key_of_a_judged_one_stays_a_duplicate():
    plan = plan_of([JUDGED, JUDGED | {"model_b": "delta"}], without_labels=True)

    assert [it.message for it in plan.problems] == ["Duplicate: pair 0 was already given."]


@pytest.mark.databases
def test_judge_of_a_battle_who_gave_a_winner_may_be_a_person():
    plan = plan_of([WINNERS[0] | {"judge": "arena_user_7"}], label_column="winner")

    assert (plan.problems, len(plan.labels)) == ([], 1)


def test_page_leads_from_a_table_of_verdicts_to_where_it_belongs(
    checked_upload, page, django_capture_on_commit_callbacks
):
    row = checked_upload([JUDGED])

    body = text_of(page.get(row.get_absolute_url()))
    assert (row.status, "Comparison, Import verdicts" in body) == ("undecided", True)
    with django_capture_on_commit_callbacks(execute=True):
        page.post(f"/imports/{row.pk}/choices/", {"without_labels": "on"})
    work_off()
    row.refresh_from_db()
    assert (row.status, row.report["units"], row.report["labels"]) == ("checked", 1, 0)


# -- choosing --------------------------------------------------------------------------------------------------


def test_file_that_needs_a_choice_waits_for_it_and_keeps_its_upload(checked_upload, page):
    row = checked_upload(CLASHING)

    said = text_of(page.get(row.get_absolute_url()))
    assert (row.status, row.folder.exists()) == ("undecided", True)
    assert "This file can be read in several ways. Choose below how; nothing was written." in said
    assert "1 item with different prompts Item Prompt Where 67 Why? row 1 Why not? row 2" in said
    assert "The sound was not checked yet" in said
    assert not Dataset.objects.exists()


@pytest.mark.databases
def test_choice_has_the_file_checked_again_and_is_kept_with_the_import(
    checked_upload, confirm, page, django_capture_on_commit_callbacks
):
    row = checked_upload(CLASHING)

    with django_capture_on_commit_callbacks(execute=True):
        response = page.post(f"/imports/{row.pk}/choices/", {"clashing_items": "split"})
    work_off()
    row.refresh_from_db()

    assert (response.status_code, row.status, row.choices) == (302, "checked", {"clashing_items": "split"})
    confirm(row)
    work_off()
    assert list(Dataset.objects.get().items.values_list("key", flat=True)) == ["67", "67 #2"]
    row.refresh_from_db()
    assert (row.status, row.choices) == ("imported", {"clashing_items": "split"})


def test_choice_of_one_item_goes_before_that_of_all(checked_upload, page, django_capture_on_commit_callbacks):
    other = [row | {"index": 10 + n, "instruction_id": 68} for n, row in enumerate(CLASHING)]
    row = checked_upload([*CLASHING, *other], name="two.json")

    with django_capture_on_commit_callbacks(execute=True):
        page.post(f"/imports/{row.pk}/choices/", {"clashing_items": "split", "of_item_1": "merge"})
    work_off()
    row.refresh_from_db()

    assert row.choices == {"clashing_items": "split", "by_item": {"68": "merge"}}
    assert (row.status, row.report["items"]) == ("checked", 3)


def test_choice_that_there_is_not_is_refused_on_the_page(checked_upload, page):
    row = checked_upload(CLASHING)

    assert page.post(f"/imports/{row.pk}/choices/", {"clashing_items": "guess"}).status_code == 422
    row.refresh_from_db()
    assert (row.status, row.choices) == ("undecided", {})


def test_choice_about_what_is_imported_is_refused(checked_upload, confirm, page):
    row = checked_upload(PAIRS)
    confirm(row)

    assert page.post(f"/imports/{row.pk}/choices/", {"clashing_items": "split"}).status_code == 409


def test_choices_go_with_the_upload_by_the_api(researcher, archive, django_capture_on_commit_callbacks):
    client = caller(researcher)
    manifest = SimpleUploadedFile("pairs.json", json.dumps(CLASHING).encode())
    upload = {"dataset_name": "Set", "manifest": manifest, "archive": SimpleUploadedFile("audio.zip", archive)}

    with django_capture_on_commit_callbacks(execute=True):
        made = client.post("/api/v1/imports/", upload | {"clashing_items": "merge"}, format="multipart")
    work_off()

    assert (made.status_code, made.json()["choices"]) == (202, {"clashing_items": "merge"})
    found = client.get(f"/api/v1/imports/{made.json()['id']}/").json()
    assert (found["status"], found["report"]["items"]) == ("checked", 1)


def test_choices_are_made_after_the_check_by_the_api(researcher, checked_upload, django_capture_on_commit_callbacks):
    client = caller(researcher)
    row = checked_upload(CLASHING)
    assert client.get(f"/api/v1/imports/{row.pk}/").json()["report"]["to_choose"]["clashes"][0]["item"] == "67"

    refused = client.post(f"/api/v1/imports/{row.pk}/choices/", {"by_item": {"67": "guess"}}, format="json")
    with django_capture_on_commit_callbacks(execute=True):
        taken = client.post(f"/api/v1/imports/{row.pk}/choices/", {"by_item": {"67": "first"}}, format="json")
    work_off()

    assert (refused.status_code, taken.status_code) == (400, 202)
    row.refresh_from_db()
    assert (row.status, row.choices, row.report["units"]) == ("checked", {"by_item": {"67": "first"}}, 1)
    assert Import.objects.count() == 1
