"""Annotations of Label Studio and of Potato, written by these tools as published, and brought in as they are.

Label Studio's converter makes JSON-MIN and CSV of the tasks that its server exports, and Potato exports the states
that its server keeps: tasks and states are written here as those have them.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.rows.pseudonyms import rater_pseudonym
from tests.cases import each
from tests.contact.writers.writing import run
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look, told
from tests.importing import sound

pytestmark = pytest.mark.django_db
__all__ = ["sound", "told"]


# -- Label Studio ------------------------------------------------------------------------------------------------

CONFIG = """<View><Audio name="one" value="$audio_a"/><Audio name="other" value="$audio_b"/>
<Choices name="preference" toName="one"><Choice value="Left"/><Choice value="Right"/><Choice value="Tie"/></Choices>
<Rating name="difference" toName="one"/><TextArea name="why" toName="one"/></View>"""
SINGLE = """<View><Audio name="clip" value="$audio"/><Rating name="naturalness" toName="clip"/>
<Choices name="accent" toName="clip" choice="multiple"><Choice value="none"/><Choice value="strong"/></Choices>
<TextArea name="why" toName="clip"/></View>"""
CONVERT = """
import sys
from label_studio_sdk.converter import Converter
config, tasks, folder = sys.argv[1:]
converter = Converter(config=open(config).read(), project_dir=None, download_resources=False)
converter.convert_to_json_min(tasks, folder, is_dir=False)
converter.convert_to_csv(tasks, folder, is_dir=False, sep=",")
"""
FORMS = ("tasks.json", "result.json", "result.csv")
WHY = "The first is much clearer than the second one."


def said(control: str, kind: str, value: object) -> dict[str, Any]:
    return {"id": "qd1jIVAq1h", "type": kind, "value": {"text" if kind == "textarea" else kind: value},
            "origin": "manual", "to_name": "one", "from_name": control}  # fmt: skip


def annotation(n: int, who: object, *results: dict[str, Any], cancelled: bool = False) -> dict[str, Any]:
    return {
        "id": n, "completed_by": who, "result": list(results), "was_cancelled": cancelled, "ground_truth": False,
        "created_at": "2026-01-30T02:40:43.893565Z", "updated_at": "2026-01-30T02:40:43.893578Z", "lead_time": 8.65,
        "prediction": {}, "result_count": 0, "task": 1, "project": 29, "parent_annotation": None,
    }  # fmt: skip


def task(n: int, data: dict[str, str], *annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": n, "annotations": list(annotations), "file_upload": "tasks.json", "drafts": [], "predictions": [],
        "data": data, "meta": {}, "created_at": "2026-01-30T02:40:33.867975Z", "inner_id": n,
        "updated_at": "2026-01-30T02:40:43.923985Z", "total_annotations": len(annotations),
        "cancelled_annotations": sum(it["was_cancelled"] for it in annotations), "total_predictions": 0,
        "comment_count": 0, "project": 29, "updated_by": 1, "comment_authors": [],
    }  # fmt: skip


def exported(tmp_path: Path, config: str, tasks: list[dict[str, Any]]) -> None:
    """In all forms at once, so for the first of them only: the tool takes two seconds to start."""
    if (tmp_path / FORMS[-1]).exists():
        return
    (tmp_path / "config.xml").write_text(config)
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    run("-c", CONVERT, tmp_path / "config.xml", tmp_path / "tasks.json", tmp_path)


def pair(n: int) -> dict[str, str]:
    return {"prompt": f"Say it {n} times", "model_a": "alpha", "model_b": "beta",
            "audio_a": f"/data/upload/29/a{n}.wav", "audio_b": f"/data/local-files/?d=beta/b{n}.wav"}  # fmt: skip


@each("form", FORMS, undo=True)
def test_pairs_of_label_studio_come_in_with_their_sound(tmp_path: Path, told: Any, sound: Any, form: str) -> None:
    left, right, tie = (said("preference", "choices", [value]) for value in ("Left", "Right", "Tie"))
    ann = {"id": 1, "email": "ann@example.org", "first_name": "", "last_name": ""}
    exported(tmp_path, CONFIG, [
        task(1, pair(1), annotation(7, ann, left, said("difference", "rating", 4), said("why", "textarea", [WHY])),
             annotation(8, 2, tie)),
        task(2, pair(2), annotation(9, ann, right), annotation(10, 2, right, cancelled=True)),
    ])  # fmt: skip
    for name in ("upload/29/a1.wav", "upload/29/a2.wav", "beta/b1.wav", "beta/b2.wav"):
        (tmp_path / "sound" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sound" / name).write_bytes(sound(440 + len(name) * int(name[-5])))

    files = FolderAudio(tmp_path / "sound")
    checked = look(tmp_path / form, files)
    assert told(checked)[0] == "Label Studio export: 2 tasks, 2 annotators, 3 annotations"
    dataset = bring_in(tmp_path / form, files)

    assert answers_of(dataset) == [
        ("1", "alpha / beta", rater_pseudonym("ann@example.org"), "overall", "a"),
        ("1", "alpha / beta", rater_pseudonym("2"), "overall", "tie"),
        ("2", "alpha / beta", rater_pseudonym("ann@example.org"), "overall", "b"),
    ]  # fmt: skip
    assert dataset.items.get(key="1").turns.get().text == "Say it 1 times"
    assert checked.report()["clips"] == 4
    assert ("1 annotation was cancelled, and is left out." in told(checked)) == (form == "tasks.json")


ONE = rater_pseudonym("1")


@each("form", FORMS, undo=True)
def test_ratings_of_label_studio_come_in(tmp_path: Path, told: Any, form: str) -> None:
    rate = lambda n: said("naturalness", "rating", n)  # noqa: E731
    clip = {"audio": "https://example.org/1.wav", "system": "alpha", "item": "q1"}
    exported(tmp_path, SINGLE, [
        task(1, clip, annotation(7, 1, rate(4), said("why", "textarea", [WHY])), annotation(8, 2, rate(5))),
        task(2, clip | {"audio": "https://example.org/2.wav", "system": "beta"}, annotation(9, 1, rate(2))),
    ])  # fmt: skip

    dataset = bring_in(tmp_path / form)

    known = {(systems, who, aspect): value for _, systems, who, aspect, value in answers_of(dataset)}
    assert {key: value for key, value in known.items() if key[2] == "naturalness"} == {
        ("alpha", ONE, "naturalness"): "4", ("alpha", rater_pseudonym("2"), "naturalness"): "5",
        ("beta", ONE, "naturalness"): "2",
    }  # fmt: skip
    if form != "result.csv":  # whose columns stand by the alphabet: nothing says that this one is an answer
        assert known["alpha", ONE, "why"] == WHY


# -- Potato ------------------------------------------------------------------------------------------------------

POTATO = """
annotation_task_name: Pairs
output_annotation_dir: annotation_output
data_files: [data.json]
item_properties: {id_key: id, text_key: text}
annotation_schemes:
- {annotation_type: radio, name: preference, description: Which, labels: [Left, Right, Tie]}
- {annotation_type: likert, name: naturalness, description: How, size: 5, min_label: bad, max_label: good}
- {annotation_type: text, name: remarks, description: Why}
"""


def state(who: str, *said: tuple[str, str, str, str]) -> dict[str, Any]:
    """As Potato keeps it: labels by item, as pairs of a label and its value."""
    labels = {
        item: [[{"schema": "preference", "name": choice}, choice], [{"schema": "naturalness", "name": point}, point],
               [{"schema": "remarks", "name": "text_box"}, remark]]
        for item, choice, point, remark in said
    }  # fmt: skip
    return {"user_id": who, "instance_id_to_label_to_value": labels, "instance_id_to_span_to_value": {}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text(POTATO)
    rows = [{"id": n, "text": f"Prompt {n}", "model_a": "alpha", "model_b": "beta", "audio_a": f"a{n}.wav",
             "audio_b": f"b{n}.wav"} for n in ("p1", "p2")]  # fmt: skip
    (tmp_path / "data.json").write_text(json.dumps(rows))
    for it in (
        state("ann", ("p1", "Left", "4", WHY), ("p2", "Tie", "3", WHY)),
        state("ben", ("p1", "Right", "1", WHY)),
    ):
        folder = tmp_path / "annotation_output" / it["user_id"]
        folder.mkdir(parents=True)
        (folder / "user_state.json").write_text(json.dumps(it))
    return tmp_path


@each("form", ["csv", "tsv", "jsonl", "zip"], undo=True)
def test_answers_of_potato_come_to_the_pairs_of_its_data_file(project: Path, told: Any, form: str) -> None:
    dataset = bring_in(project / "data.json", choices=Choices(item_column="id"))
    if form == "zip":
        answers = project / "annotation_output.zip"
        with zipfile.ZipFile(answers, "w") as packed:
            for path in (project / "annotation_output").rglob("*.json"):
                packed.write(path, path.relative_to(project))
    else:
        run("-m", "potato.export", "--config", project / "config.yaml", "--format", form, "--output", project / "out")
        (answers,) = (project / "out").glob(f"*.{form}")

    checked = look(answers)
    assert told(checked)[0] == "Potato answers: 3 annotations of 2 items by 2 annotators"
    bring_in(answers)

    ann, ben = map(rater_pseudonym, ("ann", "ben"))
    known = {(item, who, aspect): value for item, _, who, aspect, value in answers_of(dataset)}
    assert {key: value for key, value in known.items() if key[2] == "overall"} == {
        ("p1", ann, "overall"): "a",
        ("p2", ann, "overall"): "tie",
        ("p1", ben, "overall"): "b",
    }
    assert known["p1", ann, "remarks"] == WHY


def test_answers_of_potato_come_to_the_only_response_of_their_item(project: Path) -> None:
    """Single responses have no units before the first answer."""
    rows = [{"id": n, "audio": f"{n}.wav", "system": "alpha"} for n in ("p1", "p2")]
    (project / "data.json").write_text(json.dumps(rows))
    mapping = {"shape": "responses", "columns": {
        "id": {"becomes": "item"}, "audio": {"becomes": "response_audio"}, "system": {"becomes": "system"},
    }}  # fmt: skip
    dataset = bring_in(project / "data.json", choices=Choices(mapping=mapping))
    answers = project / "annotation_output.zip"
    with zipfile.ZipFile(answers, "w") as packed:
        for path in (project / "annotation_output").rglob("*.json"):
            packed.write(path, path.relative_to(project))
    usual = look(answers).report()["tool"]["mapping"]
    usual["columns"]["preference"]["others"] = "="

    for _ in range(2):
        bring_in(answers, choices=Choices(mapping=usual))

    ann, ben = map(rater_pseudonym, ("ann", "ben"))
    given = {(item, system, who): value for item, system, who, aspect, value in answers_of(dataset)
             if aspect == "naturalness"}  # fmt: skip
    assert given == {("p1", "alpha", ann): "4", ("p2", "alpha", ann): "3", ("p1", "alpha", ben): "1"}
