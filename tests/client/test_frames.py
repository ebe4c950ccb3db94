"""Tables of the client: the same types whether there are rows or not."""

import zipfile
from pathlib import Path

import pandas as pd
import pytest
from earshot_client import EarshotError
from earshot_client.folders import audio_in, manifest_in, written_manifest, zipped
from earshot_client.frames import ANSWERS, answers_frame, figure_frame, units_frame, verdicts_frame

ANNOTATION = {
    "assignment": "8f", "unit": "u1", "item": "one", "purpose": "study", "annotator": "A1", "order": "ba",
    "shown_at": "2026-05-01T10:00:00Z", "recorded_at": "2026-05-01T10:00:09.250000Z", "confidence": None,
    "flag": "", "language": "en", "listening": {}, "excluded": "",
    "answers": [
        {"aspect": "overall", "slot": "", "value": "both_bad", "acceptable_a": False, "acceptable_b": None},
        {"aspect": "quality", "slot": "b", "value": "4", "acceptable_a": None, "acceptable_b": None},
    ],
}  # fmt: skip


def test_answers_have_one_row_for_each_aspect_and_know_the_systems() -> None:
    found = answers_frame([ANNOTATION], {"u1": {"a": "Alpha", "b": "Beta"}})

    assert list(found["aspect"]) == ["overall", "quality"]
    assert list(found["value"]) == ["both_bad", "4"]  # a typed tie stays one
    assert list(found["system_a"]) == ["Alpha", "Alpha"]
    assert (found["system"].isna()[0], found["system"][1]) == (True, "Beta")
    assert (found["acceptable_a"][0], found["acceptable_b"].isna()[0]) == (False, True)
    assert (found["recorded_at"] - found["shown_at"])[0] == pd.Timedelta(seconds=9.25)


def test_answers_to_single_responses_name_their_system() -> None:
    single = ANNOTATION | {"answers": [ANNOTATION["answers"][0]]}  # type: ignore[index]

    found = answers_frame([single], {"u1": {"a": "Alpha"}})

    assert found["system"].tolist() == ["Alpha"]
    assert found["system_b"].isna().all()


def test_types_do_not_depend_on_rows() -> None:
    some, none = answers_frame([ANNOTATION], {}), answers_frame([], {})

    kinds = {name: str(kind) for name, kind in some.dtypes.items()}
    assert {name: str(kind) for name, kind in none.dtypes.items()} == kinds
    assert kinds == ANSWERS


def test_verdict_without_an_answer_has_a_row() -> None:
    verdict = {
        "unit": "u1", "item": "one", "order": "ab", "sample": 0, "status": "failed", "reasoning": "", "model": "",
        "tokens_in": 12, "tokens_out": None, "cost_usd": "0.000100", "seconds": 1.5, "judged_at": None, "answers": [],
    }  # fmt: skip

    found = verdicts_frame([verdict])

    assert (len(found), found["value"].isna()[0], found["tokens_in"][0], found["cost_usd"][0]) == (1, True, 12, 1e-4)
    assert str(found["tokens_out"].dtype) == "Int64"


def test_units_have_a_column_for_each_slot() -> None:
    unit = {"id": 1, "key": "u1", "kind": "pair", "item": "one", "position": 0, "systems": {"a": "A", "b": "B"}}

    assert list(units_frame([unit]).columns) == ["id", "key", "kind", "item", "position", "system_a", "system_b"]


def test_figure_keeps_whole_numbers_whole() -> None:
    found = figure_frame([{"key": "n"}, {"key": "share"}], [{"n": 3, "share": 0.5}, {"n": None, "share": None}])

    assert [str(kind) for kind in found.dtypes] == ["Int64", "Float64"]


def test_same_recordings_make_the_same_file(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    for name in ("beta/1.wav", "alpha/1.WAV", ".hidden/1.wav", "alpha/notes.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    with zipped(folder) as archive:
        once = archive.read_bytes()
        with zipfile.ZipFile(archive) as read:
            assert read.namelist() == ["alpha/1.WAV", "beta/1.wav"]
    (folder / "beta/1.wav").touch()

    with zipped(folder) as archive:
        assert archive.read_bytes() == once
    assert not archive.exists()
    assert manifest_in(folder) is None
    (folder / "manifest.jsonl").touch()
    assert manifest_in(folder) == folder / "manifest.jsonl"
    assert len(audio_in(folder)) == 2


def test_manifest_of_a_folder_by_system_has_its_prompts(tmp_path: Path) -> None:
    for name in ("alpha/1.wav", "beta/1.wav", "alpha/de/2.flac", "prompts/1.wav", "alpha/3.wav"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "prompts/1.txt").write_text("Say one.\n")

    made = pd.read_csv(written_manifest(tmp_path, tmp_path / "made.csv", prompt="Listen."), dtype="string")

    assert made.fillna("").to_numpy().tolist() == [
        ["1", "alpha", "Say one.", "prompts/1.wav", "alpha/1.wav"],
        ["3", "alpha", "Listen.", "", "alpha/3.wav"],
        ["de/2", "alpha", "Listen.", "", "alpha/de/2.flac"],
        ["1", "beta", "Say one.", "prompts/1.wav", "beta/1.wav"],
    ]
    with pytest.raises(EarshotError, match="neither a manifest"):
        written_manifest(tmp_path / "prompts", tmp_path / "none.csv")


def test_folder_without_audio_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EarshotError, match="There is no audio"), zipped(tmp_path):
        pass
