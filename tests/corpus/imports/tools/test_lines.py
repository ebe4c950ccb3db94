"""A fault in another tool's CSV is said with the line of the file on which its row begins, as editors count them."""

import csv
import gzip
import io
import json

import pytest

from corpus.imports.files.rows import UnreadableManifest
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look

pytestmark = pytest.mark.django_db
LONG = "x" * 600
CLIP = "https://example.org/sys/{}.wav"

P808 = ("HITId", "WorkerId", "AssignmentStatus", "Input.comment", "Answer.Q0_URL", "Answer.Q0")
P808_PAIRS = ("HITId", "WorkerId", "Input.Q0_R", "Input.Q0_P", "Answer.Q0_URL", "Answer.q0")
CONTEST = ("id", "model_a", "model_b", "prompt", "response_a", "response_b", "winner_model_a", "winner_model_b",
           "winner_tie")  # fmt: skip
VOTES = ("question_id", "model_a", "model_b", "winner", "judge", "aspect", "order", "used", "propensity", "rule")
SPEAKBENCH = ("instruction_id", "instruction_text", "model_name", "model_audio_path", "gpt4o_audio_path",
              "position1_result", "position2_result")  # fmt: skip
AUDIOJUDGE = ("audio1_path", "audio2_path", "ground_truth", "prediction", "transcript_type", "dataset_name")
LABEL_STUDIO = ("annotation_id", "annotator", "audio_a", "audio_b", "id", "lead_time", "model_a", "model_b",
                "preference")  # fmt: skip
POTATO = ("instance_id", "user_id", "why.text_box", "quality.value")
FOLDER = ("file_name", "transcription")


def of_p808(clip, words="-"):
    return "h", "w", "Approved", words, CLIP.format(clip), "4"


def of_pairs(clip, words="-"):
    return f"h {words}", "w", CLIP.format("r").replace("sys", "ref"), CLIP.format(clip), CLIP.format(clip), "2"


def of_contest(n, words="-", model="gpt"):
    return n, model, "llama", f'["{words}"]', '["a"]', '["b"]', "1", "0", "0"


def of_vote(n, words="-", judge="ann"):
    return n, "m1", "m2", "model_a", judge, "overall", "ab", "True", "0.5", words


def of_speakbench(n, words="-", sound="a.wav"):
    return n, words, "m", sound, "b.wav", "win", "loss"


def of_audiojudge(n, words="-", sound="a.wav"):
    return f"{n}/{sound}", f"{n}/b.wav", "1", "2", words, "somos"


def of_label_studio(n, words="-", sound="b.wav"):
    return n, f"ann {words}", f"{n}/a.wav", f"{n}/{sound}", n, "8", "m1", "m2", "a"


#: Its columns, a good row without and with words of several lines, and a bad one.
FORMATS = {
    "p808": (P808, of_p808("a"), of_p808("b", "one\ntwo"), of_p808("x" * 201)),
    "p808_pairs": (P808_PAIRS, of_pairs("a"), of_pairs("b", "one\ntwo"), of_pairs("x" * 201)),
    "lmarena": (CONTEST, of_contest(1), of_contest(2, "one\\ntwo\n"), of_contest(3, model=LONG)),
    "arena_votes": (VOTES, of_vote(1), of_vote(2, "one\ntwo"), of_vote(3, judge=LONG)),
    "speakbench_wide": (SPEAKBENCH, of_speakbench(1), of_speakbench(2, "one\ntwo"), of_speakbench(3, sound=LONG)),
    "audiojudge": (AUDIOJUDGE, of_audiojudge(1), of_audiojudge(2, "one\ntwo"), of_audiojudge(3, sound=LONG)),
    "label_studio": (
        LABEL_STUDIO,
        of_label_studio(1),
        of_label_studio(2, "one\ntwo"),
        of_label_studio(3, sound=LONG),
    ),
    "hugging_face": (FOLDER, ("a.wav", "-"), ("b.wav", "one\ntwo"), (LONG, "-")),
}  # fmt: skip


def written(path, *rows):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    path.write_text(out.getvalue(), newline="")
    return path


def places(path):
    """Where the errors are that are of single rows."""
    return {it.row for it in look(path).errors} - {None}


@pytest.mark.parametrize("name", FORMATS)
def test_fault_is_said_with_its_line(tmp_path, name):
    columns, good, broken, bad = FORMATS[name]

    assert places(written(tmp_path / "plain.csv", columns, good, bad)) == {3}
    assert places(written(tmp_path / "broken.csv", columns, broken, bad)) == {4}
    assert look(tmp_path / "broken.csv").report()["place"] == "line"


def test_fault_in_answers_of_potato_is_said_with_its_line(tmp_path):
    items = ("item", "system", "response_text", "prompt_text")
    bring_in(written(tmp_path / "items.csv", items, ("i", "s", "Yes.", "Is it?"), ("j", "s", "No.", "Was it?")))
    rows = (("i", "ann", "one\ntwo", "3"), ("j", "ann", "", "lots"))

    assert places(written(tmp_path / "potato.csv", POTATO, *rows)) == {2, 4}  # neither value is decided


def test_battles_and_pairs_without_ids_are_called_by_their_number_among_all(tmp_path):
    battles = written(
        tmp_path / "battles.csv", ("model_a", "model_b", "winner", "judge"),
        ("a", "b", "model_a", "one\ntwo"), ("a", "b", "tie", "ann"),
    )  # fmt: skip
    assert sorted(bring_in(battles).items.values_list("key", flat=True)) == ["battle 1", "battle 2"]


def test_pairs_without_folders_are_called_by_their_number_among_all(tmp_path):
    pairs = written(
        tmp_path / "pairs.csv", AUDIOJUDGE,
        ("a1.wav", "b1.wav", "1", "2", "one\ntwo", "somos"), ("a2.wav", "b2.wav", "1", "2", "-", "somos"),
    )  # fmt: skip
    assert sorted(bring_in(pairs).items.values_list("key", flat=True)) == ["1", "2"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("encoding", "called"), [("utf-16", "UTF-16"), ("cp1252", "Windows-1252")])
def test_file_of_a_tool_is_read_however_a_spreadsheet_saved_it(tmp_path, name, encoding, called):
    columns, good, broken, _bad = FORMATS[name]
    rows = [[str(cell).replace("two", "zwölf") for cell in row] for row in (columns, good, broken)]
    plain = written(tmp_path / "plain.csv", *rows)
    (tmp_path / "saved.csv").write_text(plain.read_text("utf-8"), encoding, newline="")

    found, usual = (look(tmp_path / it).report() for it in ("saved.csv", "plain.csv"))

    same = ("rows", "items", "responses", "units", "labels", "systems", "errors", "problems")
    assert {it: found.get(it) for it in same} == {it: usual.get(it) for it in same}
    assert found["tool"]["told"] == usual["tool"]["told"]
    assert [str(it) for it in found["tool"]["lost"] if it not in usual["tool"]["lost"]] == [
        f"The file is not UTF-8. It is read as {called}, as spreadsheet programs write it."
    ]


def test_file_that_is_packed_is_refused_as_such(tmp_path):
    (tmp_path / "votes.csv.gz").write_bytes(
        gzip.compress(written(tmp_path / "v.csv", VOTES, of_vote(1)).read_bytes())
    )

    with pytest.raises(UnreadableManifest, match=r"^The file is packed by gzip\. Unpack it"):
        look(tmp_path / "votes.csv.gz")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_votes_in_json_lines_come_in_however_they_are_saved(tmp_path, encoding):
    """In JSON a text that begins with an apostrophe has it, and what is no text is none."""
    rows = [dict(zip(VOTES, of_vote(n, judge="'=ann"), strict=True)) | {"used": True, "tstamp": 1.5} for n in (1, 2)]
    (tmp_path / "votes.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding)

    assert [it[2:] for it in answers_of(bring_in(tmp_path / "votes.jsonl"))] == [("'=ann", "overall", "a")] * 2
