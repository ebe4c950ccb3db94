"""A file of which nothing is left is refused, with what was left out of it and why: it makes no empty dataset."""

import csv
import json

import pytest

from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.mapping import TableMapping, Use
from corpus.models import Dataset
from tests.corpus.imports.tools.conftest import look
from tests.corpus.imports.tools.test_lines import AUDIOJUDGE, FOLDER, P808, P808_PAIRS, SPEAKBENCH, VOTES
from tests.corpus.imports.tools.test_lmarena import CLASSIC, talk, written
from tests.importing import PAIR

pytestmark = pytest.mark.django_db
NOTHING = "Nothing of the file is left to import."
SAME = CLASSIC[0] | {"model_b": CLASSIC[0]["model_a"], "conversation_b": CLASSIC[0]["conversation_a"]}


def table(path, *rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def errors(path, **more):
    """What is wrong with the file, once as an error and once as a refusal to read it."""
    try:
        found = look(path, **more)
    except UnreadableManifest as refusal:
        return [str(refusal)]
    assert found.report()["errors"] == len(found.errors)
    return [str(it.message) for it in found.errors]


def test_battles_that_are_all_left_out_are_refused(tmp_path):
    path = written([SAME, SAME | {"question_id": "2"}], tmp_path, "jsonl")

    assert errors(path) == [
        f"{NOTHING} 2 rows have one and the same response on both sides, and are left out: 58210e39, chatglm-6b (1); "
        "2, chatglm-6b (2)."
    ]
    assert not Dataset.objects.exists()


def test_battles_without_conversations_and_outcomes_are_refused(tmp_path):
    names = ("question_id", "model_a", "model_b", "judge")
    rows = [{name: row[name] for name in names} | {"winner": "?"} for row in (CLASSIC[0], CLASSIC[2])]

    assert errors(written(rows, tmp_path, "jsonl")) == [
        f"{NOTHING} 2 battles have no outcome that is known: they bring no answer, and no tie."
    ]


def test_battles_of_which_only_the_outcomes_are_unknown_come_in_without_answers(tmp_path):
    rows = [CLASSIC[0] | {"winner": "?", "conversation_a": talk("Why?", "So.")}]

    assert errors(written(rows, tmp_path, "jsonl")) == []


#: A file by its rows, and the error.
REJECTED = ("h", "w", "Rejected", "-", "https://example.org/s/a.wav", "4")
BESIDE_ITSELF = ("h", "w", "https://x.org/r/a.wav", "https://x.org/r/a.wav", "https://x.org/r/a.wav", "0")
FILES = {
    "p808": ((P808, REJECTED), f"{NOTHING} 1 assignment was rejected, and is left out."),
    "p808_pairs": (
        (P808_PAIRS, BESIDE_ITSELF), f"{NOTHING} 1 rating of a trapping or gold clip is left out.",
    ),
    "arena_votes": (
        (VOTES, ("q", "a", "b", "?", "ann", "overall", "ab", "True", "1", "r")),
        f"{NOTHING} 1 battle has no outcome that is known: it brings no answer, and no tie.",
    ),
    "p808 of a header": ((P808,), NOTHING),
    "p808_pairs of a header": ((P808_PAIRS,), NOTHING),
    "arena_votes of a header": ((VOTES,), NOTHING),
    "audiojudge of a header": ((AUDIOJUDGE,), NOTHING),
    "speakbench of a header": ((SPEAKBENCH,), NOTHING),
    "hugging_face of a header": ((FOLDER,), "The manifest holds no rows."),
    "webmushra of a header": (
        (("session_test_id", "trial_id", "stimuli_rating", "stimuli"),), "The manifest holds no rows.",
    ),
    "label_studio of a header": ((("id", "audio", "annotator", "annotation_id", "lead_time"),), NOTHING),
    "potato of a header": ((("instance_id", "user_id", "quality"),), NOTHING),
    "lmarena of a header": ((("model_a", "model_b", "winner", "judge"),), NOTHING),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_table_of_a_tool_of_which_nothing_is_left_is_refused(tmp_path, name):
    rows, error = FILES[name]

    assert errors(table(tmp_path / "table.csv", *rows)) == [error]


def test_tasks_of_label_studio_without_annotations_are_items_or_nothing(tmp_path):
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{"id": 1, "annotations": [], "data": {"text": "Why?"}, "predictions": []}]))

    assert errors(path) != []


def test_manifest_of_pairs_that_are_all_of_one_response_is_refused(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(
        json.dumps([PAIR | {"model_b": PAIR["model_a"], "audio2_path": PAIR["audio1_path"], "label": {}}])
    )

    assert errors(path) == [f"{NOTHING} 1 pair has one and the same response on both sides (row 1), and is left out."]


def mapped(shape, **columns):
    return Choices(mapping=TableMapping(shape, {name: Use(it) for name, it in columns.items()}).as_json())


def test_mapped_table_of_which_every_row_is_left_out_is_refused(tmp_path):
    path = table(tmp_path / "t.csv", ("q", "one", "two"), ("q1", "m", "n"))
    choices = Choices(
        mapping=TableMapping(
            "pairs", {"q": Use("item"), "one": Use("system_a"), "two": Use("system_b")}, only={"q": ("q9",)}
        ).as_json()
    )

    assert errors(path, choices=choices) == [f"{NOTHING} 1 of 1 rows are left out, since q is one of these: 'q1'."]


def test_mapped_answers_without_one_value_are_refused(tmp_path):
    path = table(tmp_path / "t.csv", ("q", "who", "vote"), ("q1", "m", ""), ("q2", "m", ""))

    (error,) = errors(path, choices=mapped("answers", q="item", who="system", vote="answer"))

    assert error.startswith(NOTHING)
