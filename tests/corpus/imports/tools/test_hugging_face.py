"""Hugging Face datasets of sound: Parquet as `datasets` writes it, and audio folders as `datasets` loads them."""

import json
import subprocess
import sys

import datasets
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.files.rows import stream_rows
from corpus.models import Clip, Import, Label, ResponseTurn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.cases import each
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look
from tests.importing import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def work_off():
    for job in Job.objects.filter(status=Job.Status.QUEUED):
        run_job_task(str(job.pk))


def paths(dataset):
    turns = ResponseTurn.objects.filter(response__item__dataset=dataset).order_by("path").exclude(clip=None)
    return list(turns.values_list("path", "response__item__key", "response__system__name"))


def rated(sound, n, *, path):
    return {
        "audio": {"bytes": sound(400 + n), "path": path}, "system": ("alpha", "beta")[n % 2], "item": f"q{n // 2}",
        "naturalness": 1.5 + n,
    }  # fmt: skip


def parquet(tmp_path, rows, *columns):
    table = datasets.Dataset.from_list(rows)
    for name in columns:
        table = table.cast_column(name, datasets.Audio())
    table.to_parquet(tmp_path / "train.parquet", batch_size=2)  # several groups of rows
    return tmp_path / "train.parquet"


def test_parquet_with_sound_names_the_columns_that_are_not_read(tmp_path, sound):
    file = parquet(tmp_path, [rated(sound, n, path="a.wav") | {"raw": b"\xff"} for n in range(2)], "audio")

    warned = [(it.field, it.message.code) for it in look(file).problems if it.severity == "warning"]
    assert ("raw", "column_unread") in warned
    assert len(paths(bring_in(file))) == 2


@each("path", ["clip.wav", None], undo=True)
def test_parquet_brings_its_sound_and_its_ratings(tmp_path, told, sound, path):
    file = parquet(tmp_path, [rated(sound, n, path=path) for n in range(4)], "audio")

    assert told(look(file)) == ["Parquet of Hugging Face: 4 rows with sound in audio"]
    dataset = bring_in(file)

    assert paths(dataset)[1][0] == "audio/000001/clip.wav"
    assert [it[1:] for it in paths(dataset)] == [
        ("q0", "alpha"), ("q0", "beta"), ("q1", "alpha"), ("q1", "beta"),
    ]  # fmt: skip
    assert Clip.objects.count() == 4
    assert [answer[4] for answer in answers_of(dataset)] == ["1.5", "2.5", "3.5", "4.5"]


def test_parquet_of_pairs_brings_both_sounds(tmp_path, sound):
    rows = [
        {
            "audio_a": {"bytes": sound(400 + n), "path": f"a{n}.wav"},
            "audio_b": {"bytes": sound(500 + n), "path": "b.wav"},
            "model_a": "alpha",
            "model_b": "beta",
            "item": f"q{n}",
            "winner": ("model_a", "tie")[n],
        }
        for n in range(2)
    ]

    dataset = bring_in(parquet(tmp_path, rows, "audio_a", "audio_b"))

    assert [(item, value) for item, *_, value in answers_of(dataset)] == [("q0", "a"), ("q1", "tie")]
    assert Clip.objects.count() == 4


def preferring(sound, values, **features):
    """A dataset of pairs whose `preference` is a number."""
    audio = {"bytes": datasets.Value("binary"), "path": datasets.Value("string")}
    rows = {
        **{f"audio_{side}": [{"bytes": sound(400 + n), "path": f"{side}{n}.wav"} for n, _ in enumerate(values)]
           for side in "ab"},
        "model_a": ["alpha"] * len(values), "model_b": ["beta"] * len(values),
        "item": [f"q{n}" for n, _ in enumerate(values)], "preference": values,
    }  # fmt: skip
    kinds = {name: datasets.Value("string") for name in ("model_a", "model_b", "item")}
    kinds |= {"audio_a": audio, "audio_b": audio, "preference": datasets.Value("int64")} | features
    return datasets.Dataset.from_dict(rows, features=datasets.Features(kinds))


def test_preferences_are_read_by_the_names_of_their_classes(tmp_path, sound, told):
    classes = datasets.ClassLabel(names=["A", "B", "tie"])
    preferring(sound, [0, 1, 2, -1], preference=classes).to_parquet(tmp_path / "train.parquet")

    checked = look(tmp_path / "train.parquet")
    assert told(checked)[1] == "preference is read by the names of its classes: 0 = A, 1 = B, 2 = tie."
    assert checked.report()["tool"]["mapping"]["columns"]["preference"]["values"] == {
        "A": "a",
        "B": "b",
        "tie": "tie",
    }
    assert [(item, value) for item, *_, value in answers_of(bring_in(tmp_path / "train.parquet"))] == [
        ("q0", "a"), ("q1", "b"), ("q2", "tie"),
    ]  # fmt: skip


@each("values", [[0, 1], [0, 1, 2], [1, 0, 1]])
def test_numbers_from_0_mean_nothing_by_themselves(tmp_path, sound, values):
    """0 may be the first response or a tie, and 1 either response."""
    preferring(sound, values).to_parquet(tmp_path / "train.parquet")

    errors = look(tmp_path / "train.parquet").errors

    assert {(it.field, str(it.message).partition(" in ")[0]) for it in errors} == {
        ("preference", repr(str(value))) for value in values
    }


def test_classes_of_parquet_without_sound_are_read_by_their_names(tmp_path):
    kinds = datasets.Features({"item": datasets.Value("string"), "winner": datasets.ClassLabel(names=["B", "A"])})
    table = datasets.Dataset.from_dict({"item": ["q0", "q1"], "winner": [0, 1]}, features=kinds)
    table.to_parquet(tmp_path / "train.parquet")

    assert [row for _, row in stream_rows(tmp_path / "train.parquet")] == [
        {"item": "q0", "winner": "B"}, {"item": "q1", "winner": "A"},
    ]  # fmt: skip


def test_damaged_sound_of_parquet_is_named_by_its_row(tmp_path, sound):
    rows = [rated(sound, 0, path="a.wav"), rated(sound, 1, path="b.wav")]
    rows[1]["audio"]["bytes"] = b"RIFF no sound"

    (problem,) = look(parquet(tmp_path, rows, "audio")).errors

    assert (problem.row, "audio/000001/b.wav" in problem.message) == (2, True)


WORDS = {"train": ["It is number 0 of all"], "test": ["It is number 1 of all"]}


def folder(tmp_path, sound, form):
    """Two splits, each with its metadata, as the documentation of `datasets` has it."""
    for split, n in (("train", 0), ("test", 1)):
        (tmp_path / "set" / split / "clips").mkdir(parents=True)
        (tmp_path / "set" / split / "clips" / f"s{n}.wav").write_bytes(sound(400 + n))
        row = {"file_name": f"clips/s{n}.wav", "transcription": WORDS[split][0], "naturalness": 3.5}
        path = tmp_path / "set" / split / f"metadata.{form}"
        if form == "csv":
            path.write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
        else:
            path.write_text(json.dumps(row) + "\n")
    return tmp_path / "set"


LOAD = """
import json, sys, datasets
cache, *places = sys.argv[1:]
for place in places:
    found = datasets.load_dataset("audiofolder", data_dir=place, cache_dir=cache)
    print(json.dumps({name: list(split["transcription"]) for name, split in found.items()}))
"""
FORMS = ("csv", "jsonl")


def loaded(places, cache):
    """What `datasets` reads of each folder: in a process of its own, since it leaves files open."""
    command = [sys.executable, "-W", "ignore", "-c", LOAD, str(cache), *map(str, places)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def folders(tmp_path, sound):
    """One in each form of metadata, which `datasets` has read."""
    made = {form: folder(tmp_path / form, sound, form) for form in FORMS}
    assert loaded(made.values(), tmp_path / "cache") == [WORDS, WORDS]
    return made


@each("form", FORMS, undo=True)
def test_audio_folder_comes_in_as_a_zip_alone(page, folders, zip_of, media_root, form):
    place = folders[form]
    members = {f"set/{path.relative_to(place)}": path.read_bytes() for path in place.rglob("*") if path.is_file()}
    archive = zip_of(members, name=f"{form}.zip")

    page.post(
        "/imports/new/",
        {"dataset_name": f"Zqxv {form}", "archive": SimpleUploadedFile("set.zip", archive.read_bytes())},
    )
    work_off()
    row = Import.objects.get()
    row.refresh_from_db()
    shown = text_of(page.get(f"/imports/{row.pk}/"))

    assert (row.status, row.report["errors"]) == (Import.Status.CHECKED, 0)
    assert "Audio folder of Hugging Face: 2 rows with files in file_name." in shown
    assert "their system is called “recordings”" in shown
    page.post(f"/imports/{row.pk}/confirm/")
    work_off()
    row.refresh_from_db()
    assert paths(row.dataset) == [
        ("set/test/clips/s1.wav", "s1", "recordings"), ("set/train/clips/s0.wav", "s0", "recordings"),
    ]  # fmt: skip
    assert list(Label.objects.values_list("aspect", "value")) == [("naturalness", "3.5")] * 2
    words = ResponseTurn.objects.filter(response__item__dataset=row.dataset).values_list("text", flat=True)
    assert sorted(words) == [WORDS["train"][0], WORDS["test"][0]]


def test_metadata_with_several_files_of_a_row_are_pairs(tmp_path, sound):
    (tmp_path / "metadata.csv").write_text(
        "a_file_name,b_file_name,prompt_file_name,model_a,model_b,id,winner\n"
        "a1.wav,b1.wav,p1.wav,alpha,beta,q1,model_b\na2.wav,b2.wav,p2.wav,alpha,beta,q2,tie\n"
    )
    for n, name in enumerate(("a1", "b1", "p1", "a2", "b2", "p2")):
        (tmp_path / f"{name}.wav").write_bytes(sound(400 + n))

    dataset = bring_in(tmp_path / "metadata.csv", FolderAudio(tmp_path))

    assert [(item, systems, value) for item, systems, _, _, value in answers_of(dataset)] == [
        ("q1", "alpha / beta", "b"), ("q2", "alpha / beta", "tie"),
    ]  # fmt: skip
    assert dataset.items.get(key="q1").turns.get().path == "p1.wav"
