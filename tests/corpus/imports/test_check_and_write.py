import csv
import json

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.imports.checks.check import check
from corpus.imports.checks.result import MAX_LISTED
from corpus.imports.files.audio_files import ZipAudio
from corpus.imports.manifest.planning import make_plan
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Clip, Dataset, Item, Label, LabelSet, Response, ResponseTurn, System, Turn, Unit
from tests.cases import each
from tests.importing import LABELS, PAIR, PAIRS, RESPONSES, Killed, Listening, problems, sha

pytestmark = pytest.mark.django_db

NOTHING_TO_CHOOSE = {
    "clashes": [],
    "n_clashes": 0,
    "repeated": [],
    "n_repeated": 0,
    "mapping": False,
    "labels_are_lost": False,
    "label_columns": [],
    "item_columns": [],
}


@pytest.mark.databases
def test_check_writes_nothing(checked, everything):
    before = everything()

    for rows in (RESPONSES, PAIRS, [PAIR | {"audio1_path": "missing.wav"}]):
        checked(rows)

    assert everything() == before


@pytest.mark.databases
def test_check_of_what_is_there_writes_nothing(checked, imported, everything):
    imported(PAIRS)
    before = everything()

    checked(PAIRS)
    checked([PAIR | {"label": {"content": "2"}}])

    assert everything() == before


def test_report_of_responses_counts_what_will_be_made(checked):
    assert checked(RESPONSES).report() == {
        "rows": 4,
        "items": 1,
        "systems": ["alpha", "beta"],
        "responses": 2,
        "units": 0,
        "labels": 0,
        "clips": 6,
        "seconds": 0.3,
        "errors": 0,
        "warnings": 0,
        "problems": [],
        "unlisted": 0,
        "place": "row",
        "is_new": True,
        "sound_checked": True,
        "unused_columns": [],
        "unused_files": {"n": 0, "some": []},
        "undecided": False,
        "to_choose": NOTHING_TO_CHOOSE,
    }


def test_report_of_pairs_without_audio_counts_what_will_be_made(checked):
    assert checked(PAIRS, audio=None).report() == {
        "rows": 2,
        "items": 1,
        "systems": ["alpha", "beta", "gamma"],
        "responses": 3,
        "units": 2,
        "labels": 4,
        "clips": 0,
        "seconds": 0,
        "errors": 0,
        "warnings": 0,
        "problems": [],
        "unlisted": 0,
        "place": "row",
        "is_new": True,
        "sound_checked": True,
        "unused_columns": [],
        "unused_files": {"n": 0, "some": []},
        "undecided": False,
        "to_choose": NOTHING_TO_CHOOSE,
    }


def test_report_counts_one_content_under_two_names_once(checked, folder):
    (folder / "b1.wav").write_bytes((folder / "a1.wav").read_bytes())

    report = checked([PAIR]).report()

    assert (report["clips"], report["seconds"]) == (2, 0.1)


def test_report_lists_every_problem_with_its_row(checked, folder):
    (folder / "empty.wav").write_bytes(b"")
    (folder / "text.wav").write_text("no audio")
    rows = [
        PAIR | {"index": 0},
        PAIR | {"index": 1, "audio1_path": "missing.wav"},
        PAIR | {"index": 2, "audio1_path": "text.wav", "audio2_path": "empty.wav"},
        PAIR | {"index": 0},
        PAIR | {"index": 4, "label": {"content": "A"}},
        PAIR | {"index": 5, "instruction_id": 68, "instruction_text": ""},
        PAIR | {"index": 6, "instruction_id": 69, "instruction_text": "", "instruction_path": ""},
        PAIR | {"index": 7, "audio2_path": "../secret.wav"},
    ]

    report = checked(rows).report()

    empty = (
        "2 prompts without words (rows 6, 7). Words are read by text judges, and shown where the audio fails; "
        "where a prompt has no recording either, people hear the responses alone."
    )
    assert [(p["row"], p["field"], p["severity"], p["message"]) for p in report["problems"]] == [
        (2, "audio", "error", "missing.wav is missing from the audio folder."),
        (3, "audio", "error", "text.wav does not hold audio; WAV, FLAC, MP3 and OGG (Vorbis or Opus) are accepted."),
        (3, "audio", "error", "empty.wav is empty (0 bytes); export or upload it again."),
        (4, "index", "error", "Duplicate: pair 0 was already given."),
        (
            5,
            "label content",
            "error",
            "Unknown label 'A'. Known are 1, 2, both_good, both_bad, tie, same. Else map its values.",
        ),
        (6, "prompt_text", "warning", empty),
        (8, "audio", "error", "'../secret.wav' is not a path inside the audio folder or ZIP."),
    ]
    assert (report["errors"], report["warnings"], report["unlisted"]) == (6, 1, 0)


def test_report_lists_the_first_problems_and_counts_the_rest(checked):
    rows = [PAIR | {"index": n, "label": "X"} for n in range(MAX_LISTED + 3)]

    report = checked(rows, audio=None).report()

    assert (report["errors"], len(report["problems"]), report["unlisted"]) == (503, 500, 3)
    assert [problem["row"] for problem in report["problems"]] == list(range(1, 501))


def test_item_whose_rows_bring_different_prompts_is_an_error(checked):
    rows = [PAIR, PAIR | {"index": 1, "instruction_path": "q2.wav"}]

    assert problems(checked(rows)) == [(2, "prompt audio", "Item 67 comes with 2 different prompts.")]


def test_item_whose_rows_bring_copies_of_one_prompt_is_clean(checked, folder):
    (folder / "copy.wav").write_bytes((folder / "q1.wav").read_bytes())

    assert problems(checked([PAIR, PAIR | {"index": 1, "instruction_path": "copy.wav"}])) == []


def test_check_tells_how_far_it_is(checked):
    progress = Listening()

    checked(PAIRS, progress=progress)

    assert progress.calls == [(n, 4, "Listening to every file") for n in range(1, 5)]


@pytest.mark.databases
def test_check_can_be_killed_at_every_file(checked, everything):
    before = everything()

    for n in range(1, 5):
        with pytest.raises(Killed):
            checked(PAIRS, progress=Listening(kill_at=n))

    assert everything() == before


def test_import_of_responses_writes_exactly_these_rows(imported, contents, folder):
    facts = {"category": "facts"}
    dataset = imported([RESPONSES[0] | facts | {"response_text": "Because."}, RESPONSES[2] | facts | {"take": "x"}])

    assert contents(dataset) == {
        "systems": {"alpha", "beta"},
        "items": {("q1", "facts")},
        "prompts": {("q1", 1, "Why?", "q1.wav", sha(folder / "q1.wav"))},
        "answers": {
            ("q1", "alpha", "1", 1, "Because.", "a1.wav", sha(folder / "a1.wav")),
            ("q1", "beta", "x", 1, "", "b1.wav", sha(folder / "b1.wav")),
        },
        "units": [],
        "sources": {},
        "labels": set(),
    }


def test_import_of_several_turns_writes_each(imported, contents, folder):
    found = contents(imported(RESPONSES))

    assert found["prompts"] == {
        ("q1", 1, "Why?", "q1.wav", sha(folder / "q1.wav")),
        ("q1", 2, "So?", "q2.wav", sha(folder / "q2.wav")),
    }
    assert found["answers"] == {
        ("q1", system, "1", turn, "", f"{system[0]}{turn}.wav", sha(folder / f"{system[0]}{turn}.wav"))
        for system in ("alpha", "beta")
        for turn in (1, 2)
    }


def test_import_of_pairs_writes_exactly_these_rows(imported, contents, folder):
    dataset = imported(PAIRS)

    assert contents(dataset) == {
        "systems": {"alpha", "beta", "gamma"},
        "items": {("67", "")},
        "prompts": {("67", 1, "Why?", "q1.wav", sha(folder / "q1.wav"))},
        "answers": {
            ("67", "alpha", "a1.wav", 1, "", "a1.wav", sha(folder / "a1.wav")),
            ("67", "beta", "b1.wav", 1, "", "b1.wav", sha(folder / "b1.wav")),
            ("67", "gamma", "a2.wav", 1, "", "a2.wav", sha(folder / "a2.wav")),
        },
        "units": [
            ("0", "67", "alpha", "a1.wav", "beta", "b1.wav"),
            ("1", "67", "alpha", "a1.wav", "gamma", "a2.wav"),
        ],
        "sources": {"0": {"instruction_path": "q1.wav"}, "1": {"instruction_path": "q1.wav"}},
        "labels": {
            (LABELS, "", "0", "content", "a"),
            (LABELS, "", "0", "overall", "both_bad"),
            (LABELS, "", "1", "content", "tie"),
            (LABELS, "", "1", "overall", "b"),
        },
    }


def test_import_without_audio_writes_paths_but_no_clips(imported, everything, contents):
    found = contents(imported(PAIRS, audio=None))

    assert {row[-2:] for row in found["prompts"]} == {("q1.wav", None)}
    assert {row[-2:] for row in found["answers"]} == {("a1.wav", None), ("b1.wav", None), ("a2.wav", None)}
    rows, files = everything()
    assert (rows["Clip"], files) == ([], {})


@pytest.mark.databases
def test_import_makes_a_label_set_per_annotator(imported):
    dataset = imported([PAIR | {"annotator": "ann"}, PAIR | {"annotator": "bob", "label": {"overall": "1"}}])

    sets = dataset.label_sets.values_list(
        "name", "rater", "annotations__labels__aspect", "annotations__labels__value"
    )
    assert set(sets) == {
        (LABELS, "ann", "content", "a"),
        (LABELS, "ann", "overall", "both_bad"),
        (LABELS, "bob", "overall", "a"),
    }


def test_import_keeps_each_content_once_as_it_was(imported, folder, media_root):
    (folder / "b1.wav").write_bytes((folder / "a1.wav").read_bytes())

    imported([PAIR])

    kept = {path.name: path.read_bytes() for path in media_root.rglob("*") if path.is_file()}
    assert kept == {sha(folder / name): (folder / name).read_bytes() for name in ("q1.wav", "a1.wav")}


def test_import_keeps_what_was_measured(imported, folder):
    imported([PAIR])

    clip = Clip.objects.get(sha256=sha(folder / "a1.wav"))
    assert clip.path.read_bytes() == (folder / "a1.wav").read_bytes()
    assert (clip.bytes, clip.container, clip.encoding) == (844, "WAV", "PCM_16")
    assert (clip.seconds, clip.rate, clip.channels, clip.clipped_samples) == (0.05, 8_000, 1, 0)


def test_import_tells_how_far_it_is(imported):
    progress = Listening()

    imported(PAIRS, progress=progress)

    assert progress.calls == [(n, 4, "Storing files") for n in range(1, 5)]


def test_folder_and_zip_import_the_same(imported, contents, folder, zip_of):
    archive = zip_of({f"data/{path.name}": path.read_bytes() for path in folder.iterdir()})

    from_folder = imported(PAIRS, dataset="Folder")
    from_zip = imported(PAIRS, dataset="ZIP", audio=ZipAudio(archive, max_bytes=10**6))

    assert contents(from_zip) == contents(from_folder)


def test_csv_and_json_lines_import_the_same(researcher, contents, tmp_path):
    columns = list(RESPONSES[0])
    with (tmp_path / "manifest.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(RESPONSES)
    (tmp_path / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in RESPONSES))
    found = []
    for name in ("manifest.csv", "manifest.jsonl"):
        plan = check_manifest(tmp_path / name, None, dataset_name=name, label_set_name="", progress=Listening())
        found.append(contents(write(plan, None, Destination(name, "", researcher), progress=Listening())))

    assert found[0] == found[1]


def test_two_datasets_of_the_same_rows_stay_apart(imported, contents):
    first, second = imported(PAIRS, dataset="First"), imported(PAIRS, dataset="Second")

    assert first != second
    assert contents(first) == contents(second)
    assert Clip.objects.count() == 4


@pytest.mark.databases
@each(
    "rows, takes",
    [
        ([RESPONSES[0] | {"item": "x" * 200, "system": "y" * 200, "take": "é" * 500, "category": "z" * 100}], [500]),
        (
            [PAIR | {"index": "x" * 200, "model_a": "é" * 200, "annotator": "y" * 100, "label": {"z" * 60: "1"}}],
            [6, 6],
        ),
        ([PAIR | {"audio1_path": "é" * 500, "audio2_path": "y" * 500}], [500, 500]),
        ([PAIR | {"index": "x" * 200, "audio1_path": "", "audio2_path": ""}], [207, 207]),
    ],
    undo=True,
)
def test_longest_cells_are_written_whole(imported, everything, rows, takes):
    imported(rows, audio=None)
    before = everything()

    imported(rows, audio=None)

    assert everything() == before
    assert [len(response.key) for response in Response.objects.all()] == takes


@each("audio", [True, None], undo=True)
@each("rows", [RESPONSES, PAIRS, [PAIR | {"annotator": "ann"}, PAIR | {"annotator": "bob"}]], undo=True)
def test_import_twice_changes_nothing(imported, everything, rows, audio):
    imported(rows, audio=audio)
    before = everything()

    imported(rows, audio=audio)

    assert everything() == before


def test_import_without_audio_after_one_with_audio_changes_nothing(imported, everything):
    imported(PAIRS)
    before = everything()

    imported(PAIRS, audio=None)

    assert everything() == before


def test_import_in_two_parts_gives_what_one_import_gives(imported, contents):
    imported(PAIRS[:1], dataset="Parts")

    assert contents(imported(PAIRS[1:], dataset="Parts")) == contents(imported(PAIRS, dataset="Whole"))


@pytest.mark.databases
@pytest.mark.parametrize("rows", [RESPONSES, PAIRS])
def test_audio_that_comes_later_joins_the_rows_that_are_there(imported, contents, everything, rows):
    imported(rows, audio=None, dataset="Late")
    units = everything()[0]["Unit"]

    late = imported(rows, dataset="Late")

    assert everything()[0]["Unit"] == units
    assert contents(late) == contents(imported(rows, dataset="At once"))


def test_audio_that_comes_later_brings_its_path(imported, contents):
    silent = [row | {"prompt_audio": "", "response_audio": ""} for row in RESPONSES]
    imported(silent, audio=None, dataset="Late")

    late = imported(RESPONSES, dataset="Late")

    assert contents(late) == contents(imported(RESPONSES, dataset="At once"))


@pytest.mark.databases
def test_audio_that_comes_later_for_one_system_leaves_the_others_silent(imported):
    imported(RESPONSES, audio=None)

    imported(RESPONSES[:2])

    silent = ResponseTurn.objects.filter(clip=None).values_list("response__system__name", "position")
    assert set(silent) == {("beta", 1), ("beta", 2)}


@pytest.mark.databases
def test_clip_file_that_was_lost_comes_back_with_the_next_import(imported, everything):
    imported(PAIRS)
    before = everything()
    Clip.objects.first().path.unlink()

    imported(PAIRS)

    assert everything() == before


WORDS = st.sampled_from(["a", "b", "", " x ", "é", "\u2028", "'; --", "x" * 600]) | st.text(max_size=5)
ANY_PAIR = st.fixed_dictionaries(
    {"model_a": WORDS, "model_b": WORDS},
    optional={"index": WORDS, "instruction_id": WORDS, "instruction_text": WORDS, "instruction_path": WORDS,
              "audio1_path": WORDS, "audio2_path": WORDS, "category": WORDS, "annotator": WORDS, "note": WORDS,
              "label": st.dictionaries(WORDS, st.sampled_from(["1", "2", "tie", None]), max_size=3)},
)  # fmt: skip
ANY_RESPONSE = st.fixed_dictionaries(
    {"item": WORDS, "system": WORDS, "prompt_text": st.just("?")},
    optional={"turn": st.sampled_from(["1", "2", 3, "100"]), "take": WORDS, "category": WORDS, "prompt_audio": WORDS,
              "response_text": WORDS, "response_audio": WORDS},
)  # fmt: skip


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ANY_PAIR, min_size=1, max_size=4) | st.lists(ANY_RESPONSE, min_size=1, max_size=4))
def test_any_clean_manifest_can_be_written_twice(researcher, rows):
    numbered = list(enumerate(json.loads(json.dumps(rows).replace("\\u0000", "")), start=1))
    with transaction.atomic():
        dataset = None
        for _ in range(2):
            plan = make_plan(numbered, without_audio=True)
            found = check(plan, None, dataset=dataset, label_set_name=LABELS, progress=Listening())
            if found.errors:
                assert dataset is None
                break
            dataset = write(found, None, Destination("Set", LABELS, researcher), progress=Listening())
            assert Unit.objects.count() == len(plan.units)
            assert Label.objects.count() == len(plan.labels)
            assert Response.objects.count() == len(plan.responses)
            assert (Item.objects.count(), System.objects.count()) == (len(plan.items), len(plan.systems))
            assert Turn.objects.count() == sum(len(item.turns) for item in plan.items.values())
            assert LabelSet.objects.count() == len({label.rater for label in plan.labels.values()})
        transaction.set_rollback(True)
    assert not Dataset.objects.exists()
