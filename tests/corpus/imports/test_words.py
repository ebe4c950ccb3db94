"""Names that cannot be seen are refused, and faults of JSON are told in plain words, with a code."""

from pathlib import Path

import pytest

from corpus.imports.files.rows import UnreadableManifest, read_rows
from corpus.imports.manifest.planning import make_plan
from tests.cases import each

UNSEEN = ["\u200b", "\u2060", "\u202eA", "A\tB"]


@each("name", UNSEEN)
def test_names_that_cannot_be_seen_are_refused(name: str) -> None:
    response = {"item": "i", "system": "s", "response_audio": "a.wav", "prompt": "p"}
    pair = {"item": "i", "system_a": "a", "system_b": "b", "audio_a": "a.wav", "audio_b": "b.wav", "prompt": "p"}
    for row, columns in ((response, ["system"]), (pair, ["system_a", "system_b"])):
        for column in columns:
            plan = make_plan([(1, row | {column: f"A{name}"})], without_audio=True)

            assert [(it.row, it.field, it.message.code) for it in plan.problems] == [(1, column, "name_not_seen")]


@each("key, is_refused", [("\u200b", True), ("\u202eA", True), ("A\x00", True), ("Sing,\nslowly", False),
                          ("A\tB", False), ("Kranken\u00adhaus", False), ("A\u200bB", False)])  # fmt: skip
def test_an_item_may_be_called_by_its_whole_prompt(key: str, is_refused: bool) -> None:
    row = {"item": key, "system": "s", "response_audio": "a.wav", "prompt": "p"}

    plan = make_plan([(1, row)], without_audio=True)

    errors = [(it.field, it.message.code) for it in plan.problems if it.severity == "error"]
    assert errors == [("item", "name_not_seen")] * is_refused


@each(
    "cell, code",
    [
        ("[" * 100_000, "nested_without_end"),
        ("9" * 6000, "too_many_digits"),
        ('"\\ud800"', "half_a_character"),
    ],
)
def test_faults_of_json_have_a_code(tmp_path: Path, cell: str, code: str) -> None:
    for name, text in (("m.json", f'[{{"item": {cell}}}]'), ("m.jsonl", f'{{"item": {cell}}}\n')):
        path = tmp_path / name
        path.write_text(text)

        with pytest.raises(UnreadableManifest) as refusal:
            read_rows(path)

        assert code in str(refusal.value.reason.as_json())
        assert not any(it in str(refusal.value) for it in ("sys.", "recursion", "codec"))
