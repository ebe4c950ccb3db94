"""Ratings and scores of other programs: webMUSHRA, the P.808 toolkit, VERSA and lm-evaluation-harness.

Their files are written here: webMUSHRA's with the columns of its service/write.php and the keys of its example
configuration, P.808's with those of a published batch of its repository, VERSA's as its scorer writes a line, and
lm-evaluation-harness's as its `save_results_samples` does. None of the four is run.
"""

import csv
import json
import re

import numpy as np
import pytest

from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.reasons import RATERS_UNDER_PSEUDONYMS
from corpus.imports.mapping.rows.pseudonyms import rater_pseudonym
from corpus.models import ResponseTurn
from tests.cases import each
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look

pytestmark = pytest.mark.django_db
UNDER_PSEUDONYMS = str(RATERS_UNDER_PSEUDONYMS())


def written(path, *rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


# -- webMUSHRA ---------------------------------------------------------------------------------------------------

ABOUT = ("session_test_id", "email", "age", "session_uuid", "trial_id")
ANN, BEN = rater_pseudonym("u-1"), rater_pseudonym("u-2")
OF_ANN, OF_BEN = (("test1", f"{name}@example.org", "30", uuid) for name, uuid in (("ann", "u-1"), ("ben", "u-2")))


def test_ratings_of_mushra_come_in_by_trial_and_stimulus(tmp_path, told):
    path = written(
        tmp_path / "mushra.csv",
        (*ABOUT, "rating_stimulus", "rating_score", "rating_time", "rating_comment"),
        (*OF_ANN, "t1", "reference", "100", "8123", ""), (*OF_ANN, "t1", "C1", "40", "8123", "muffled"),
        (*OF_BEN, "t1", "reference", "93", "7000", ""), (*OF_BEN, "t1", "C1", "0", "7000", ""),
    )  # fmt: skip

    assert told(look(path))[0] == "webMUSHRA results: 4 ratings of 1 trials in 2 sessions"
    assert "for which no protocol ships" in told(look(path))[2]
    assert set(answers_of(bring_in(path))) == {
        ("t1", "reference", ANN, "quality", "100"), ("t1", "C1", ANN, "quality", "40"),
        ("t1", "C1", ANN, "comment", "muffled"), ("t1", "reference", BEN, "quality", "93"),
        ("t1", "C1", BEN, "quality", "0"),
    }  # fmt: skip


def of_mushra(tmp_path, *scores):
    return written(tmp_path / "mushra.csv", (*ABOUT, "rating_stimulus", "rating_score"),
                   *((*OF_ANN, f"t{n}", "C1", score) for n, score in enumerate(scores)))  # fmt: skip


def test_ratings_of_mushra_outside_its_scale_and_words_are_errors_by_row(tmp_path):
    path = of_mushra(tmp_path, "0", "101", "100", "-1", "good", "100.5", "50.5")

    assert [(it.row, it.field.partition(" ")[0], str(it.message)) for it in look(path).errors] == [
        (6, "score", "'good' in score is not decided (1 rows, the first of them here). Choose what it becomes, or "
                     "leave it out."),
        *((number, "score", f"{value} is not between 0 and 100. Choose what it becomes, or leave it out.")
          for number, value in ((3, "101"), (5, "-1"), (7, "100.5"))),
    ]  # fmt: skip


def test_mapping_decides_about_ratings_outside_the_scale(tmp_path):
    path = of_mushra(tmp_path, "7", "101", "-1", "good")
    usual = look(path).report()["tool"]["mapping"]
    usual["columns"]["score"]["values"] = {"101": "100", "-1": "-", "good": "80"}

    assert [value for *_, value in answers_of(bring_in(path, choices=Choices(mapping=usual)))] == ["7", "100", "80"]


def test_words_of_a_scale_of_the_test_come_in_and_are_named(tmp_path, told):
    path = written(
        tmp_path / "lss.csv",
        ("session_test_id", "email", "trial_id", "stimuli_rating", "stimuli"),
        *(("t", "ann@example.org", f"t{n}", said, "C1") for n, said in enumerate(("7", "often", ""))),
    )

    assert told(look(path))[2] == "Ratings that are words of the test's own scale come in as they are: often."
    assert [value for *_, value in answers_of(bring_in(path))] == ["7", "often"]


def test_ratings_that_were_not_given_are_left_out_and_counted(tmp_path, told):
    path = written(
        tmp_path / "lms.csv",
        ("session_test_id", "email", "trial_id", "stimuli_rating", "stimuli"),
        *(("t", "ann@example.org", f"t{n}", said, "C1") for n, said in enumerate((" 7 ", " NA "))),
    )

    assert told(look(path))[2] == "1 rating was not given (NA), and is left out."
    assert [value for *_, value in answers_of(bring_in(path))] == ["7"]


def test_participants_without_a_session_are_told_apart_by_what_they_said(tmp_path):
    path = written(tmp_path / "lss.csv", ("session_test_id", "email", "age", "trial_id", "stimuli_rating", "stimuli",
                   "rating_time"), ("t", "ann@example.org", "30", "t1", " 4 ", "C1", "99"))  # fmt: skip

    assert answers_of(bring_in(path)) == [("t1", "C1", rater_pseudonym("ann@example.org / 30"), "rating", "4")]


def test_raters_are_called_as_in_the_file_where_the_mapping_says_so(tmp_path, told):
    path = written(tmp_path / "lss.csv", ("session_test_id", "email", "trial_id", "stimuli_rating", "stimuli"),
                   ("t", "ann@example.org", "t1", "4", "C1"))  # fmt: skip
    usual = look(path).report()["tool"]["mapping"]
    assert (usual["raters"], told(look(path))[-1]) == ("pseudonyms", UNDER_PSEUDONYMS)

    without = Choices(mapping={name: it for name, it in usual.items() if name != "raters"})
    chosen = Choices(mapping=usual | {"raters": "source"})

    assert told(look(path, choices=without))[-1] == UNDER_PSEUDONYMS
    assert told(look(path, choices=chosen))[-1].startswith("Raters are called as in the file")
    assert answers_of(bring_in(path, choices=chosen)) == [("t1", "C1", "ann@example.org", "rating", "4")]


def test_pseudonyms_are_the_same_in_each_import_and_differ_between_raters():
    assert rater_pseudonym("ann@example.org") == rater_pseudonym("ann@example.org")
    assert re.fullmatch(r"r-[a-z2-7]{8}", rater_pseudonym("ann@example.org"))
    assert len({rater_pseudonym(f"A{n}") for n in range(1_000)}) == 1_000


def test_choices_of_paired_comparison_come_in_as_labels_of_pairs(tmp_path):
    path = written(
        tmp_path / "paired_comparison.csv",
        (*ABOUT, "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
        (*OF_ANN, "t1", "old", "new", "correct", "8", ""), (*OF_ANN, "t2", "old", "new", "incorrect", "8", ""),
        (*OF_BEN, "t1", "old", "new", "undecided", "8", ""), (*OF_BEN, "t2", "old", "new", "unknown", "8", ""),
    )  # fmt: skip

    assert answers_of(bring_in(path)) == [
        ("t1", "old / new", ANN, "reference", "a"), ("t2", "old / new", ANN, "reference", "b"),
        ("t1", "old / new", BEN, "reference", "tie"),
    ]  # fmt: skip


def test_both_ratings_of_bs1116_come_in(tmp_path):
    path = written(
        tmp_path / "bs1116.csv",
        (*ABOUT, "rating_reference", "rating_non_reference", "rating_reference_score", "rating_non_reference_score",
         "rating_time", "choice_comment"), (*OF_ANN, "t1", "reference", "C1", "5", "3.2", "9", ""),
    )  # fmt: skip

    assert [(systems, value) for _, systems, _, _, value in answers_of(bring_in(path))] == [
        ("reference", "5"), ("C1", "3.2"),
    ]  # fmt: skip


CONFIGURATION = """testname: Codecs
testId: codecs
pages:
    - {type: generic, id: welcome, content: Hello}
    -
        - random
        - type: mushra
          id: trial1
          reference: audio/ref.wav
          stimuli: {C1: audio/c1.wav, C2: audio/c2.wav}
"""


def test_stimuli_of_a_configuration_come_in_with_their_sound(tmp_path, told, sound):
    (tmp_path / "codecs.yaml").write_text(CONFIGURATION)
    (tmp_path / "audio").mkdir()
    for n, name in enumerate(("ref", "c1", "c2")):
        (tmp_path / "audio" / f"{name}.wav").write_bytes(sound(400 + n))

    dataset = bring_in(tmp_path / "codecs.yaml", FolderAudio(tmp_path))

    assert [it.name for it in dataset.systems.order_by("name")] == ["C1", "C2"]
    assert dataset.items.get().turns.get().path == "audio/ref.wav"
    assert told(look(tmp_path / "codecs.yaml", FolderAudio(tmp_path)))[:2] == [
        "webMUSHRA configuration: 2 stimuli on 1 pages", "Pages that hold nothing to hear: generic.",
    ]  # fmt: skip


REPEATED = """testname: Codecs
testId: codecs
pages:
    - {type: mushra, id: t, stimuli: {C1: a.wav, C2: b.wav}}
    - {type: preference_test, id: p, stimuli: {C1: c.wav, C2: d.wav}}
    - {type: mushra, id: t, stimuli: {C1: e.wav, C2: f.wav}}
    - {type: finish, name: Thanks}
"""


def test_pages_with_the_same_id_get_a_number_and_types_that_are_not_read_are_named(tmp_path, told, sound):
    (tmp_path / "c.yaml").write_text(REPEATED)
    for n, name in enumerate("abef"):
        (tmp_path / f"{name}.wav").write_bytes(sound(400 + n))

    dataset = bring_in(tmp_path / "c.yaml", FolderAudio(tmp_path))

    assert sorted(it.key for it in dataset.items.all()) == ["t", "t 2"]
    assert told(look(tmp_path / "c.yaml", FolderAudio(tmp_path)))[:4] == [
        "webMUSHRA configuration: 4 stimuli on 2 pages",
        "Pages that hold nothing to hear: finish.",
        "Pages of types that are not read, with stimuli: preference_test.",
        "Several pages have the same id; the later ones get a number: t.",
    ]


LOOSE = """testname: As shipped
testId: {quote}loose
pages:
    - type: mushra
      id: trial1
      content: This is a training. Reminder: rate the 'Basic: Quality' of each.
      reference: ref.wav
      stimuli: {{C1: c1.wav}}
"""


def test_configuration_with_colons_in_its_texts_comes_in(tmp_path, told):
    """The one that webMUSHRA ships has such a text, which its own parser takes and YAML does not."""
    (tmp_path / "default.yaml").write_text(LOOSE.format(quote=""))

    assert told(look(tmp_path / "default.yaml"))[0] == "webMUSHRA configuration: 1 stimuli on 1 pages"


@each("text, why", [("pages: [\ntestId: x", "is not YAML"), ("testId: &a x\npages: [*a]", "aliases can stand"),
                    (LOOSE.format(quote="'"), "is not YAML"),
                    ("testId: x\npages: []", "no page with stimuli"),
                    ("testId: x\npages: [{type: preference_test, stimuli: {a: b}}]",
                     "it has preference_test; mushra")])  # fmt: skip
def test_unusable_configuration_is_refused(tmp_path, text, why):
    (tmp_path / "c.yaml").write_text(text)

    with pytest.raises(UnreadableManifest, match=why):
        look(tmp_path / "c.yaml")


# -- P.808 -------------------------------------------------------------------------------------------------------

HIT = ("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds", "Input.Q0", "Input.TP",
       "Input.TP_ANS", "Input.gold_clips", "Answer.Q1_URL", "Answer.Q2_URL", "Answer.Q3_URL",
       "Answer.audio_n_finish_q1")  # fmt: skip
WORKER = rater_pseudonym("ARAF")
CLIPS = "https://audiosamples.example.org/clips"
WORKED = ("3IYI", "ARAF", "Submitted", "Thu Nov 07 16:45:50 PST 2019", "356", f"{CLIPS}/dns/a.wav", f"{CLIPS}/tp.wav",
          "5", f"{CLIPS}/gold.wav", f"{CLIPS}/dns/a.wav", f"{CLIPS}/tp.wav", f"{CLIPS}/noisy/a.wav", "1")  # fmt: skip


def test_acr_ratings_of_the_p808_toolkit_come_in_by_clip(tmp_path, told):
    path = written(
        tmp_path / "Batch.csv", (*HIT, "Answer.q1", "Answer.q2", "Answer.q3"), (*WORKED, "4", "5", "2"),
        ("3IYJ", "A2", "Rejected", *WORKED[3:], "1", "1", "1"),
    )  # fmt: skip

    assert told(look(path)) == [
        "P.808 toolkit results: 2 ratings of 2 clips by 1 workers",
        "The table names no systems: each clip's folder is taken for its system, and its file name for the item.",
        "1 rating of a trapping or gold clip is left out.",
        "1 assignment was rejected, and is left out.",
        UNDER_PSEUDONYMS,
    ]
    dataset = bring_in(path)
    assert answers_of(dataset) == [("a", "dns", WORKER, "quality", "4"), ("a", "noisy", WORKER, "quality", "2")]
    recorded = {it.given["recorded_at"] for it in dataset.label_sets.get().annotations.all()}
    assert recorded == {"2019-11-08T00:45:50+00:00"}


def test_p835_ratings_of_the_p808_toolkit_come_in_by_scale(tmp_path):
    scales = [f"Answer.q{n}_{scale}" for n in (1, 3) for scale in ("sig", "bak", "ovrl")]
    path = written(tmp_path / "Batch.csv", (*HIT, *scales), (*WORKED, "4", "5", "4", "2", "1", "1"))

    assert {answer[1:2] + answer[3:] for answer in answers_of(bring_in(path))} == {
        ("dns", "sig", "4"), ("dns", "bak", "5"), ("dns", "ovrl", "4"), ("noisy", "sig", "2"), ("noisy", "bak", "1"),
        ("noisy", "ovrl", "1"),
    }  # fmt: skip


BESIDE = ("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "Input.Q0_R", "Input.Q0_P", "Input.Q1_R",
          "Input.Q1_P", "Input.TP", "Answer.Q1_URL", "Answer.Q2_URL", "Answer.Q3_URL", "Answer.q1", "Answer.q2",
          "Answer.q3")  # fmt: skip
SHOWN = (f"{CLIPS}/ref/a.wav", f"{CLIPS}/codec/a_13k.wav", f"{CLIPS}/ref/a.wav", f"{CLIPS}/noisy/a.wav",
         f"{CLIPS}/ref/b.wav", f"{CLIPS}/noisy/a.wav", f"{CLIPS}/ref/b.wav", f"{CLIPS}/codec/a_13k.wav")  # fmt: skip


def test_ccr_ratings_of_the_p808_toolkit_are_of_the_processed_clip_beside_its_reference(tmp_path, told):
    """In random order, as the page has them; its trap is a clip beside itself."""
    path = written(
        tmp_path / "Batch.csv", BESIDE, (*WORKED[:4], *SHOWN, "-2", "0", "1"),
        ("3IYJ", "A2", "Approved", WORKED[3], *SHOWN, "-3", "2", ""),
    )  # fmt: skip

    assert told(look(path)) == [
        "P.808 toolkit CCR results: 3 ratings of 2 pairs by 2 workers",
        "The table names no systems: each clip's folder is taken for its system, and its reference's file name for "
        "the item.",
        "2 ratings of trapping and gold clips are left out.",
        "1 clip that was shown has no rating.",
        UNDER_PSEUDONYMS,
    ]
    dataset = bring_in(path)
    assert set(answers_of(dataset)) == {
        ("a", "ref / noisy", WORKER, "overall", "-2"), ("a", "ref / codec", WORKER, "overall", "1"),
        ("a", "ref / noisy", rater_pseudonym("A2"), "overall", "-3"),
    }  # fmt: skip


def test_dcr_ratings_of_the_p808_toolkit_are_of_the_processed_clip(tmp_path, told):
    path = written(tmp_path / "Batch.csv", BESIDE, (*WORKED[:4], *SHOWN, "2", "5", "4"))

    assert told(look(path))[0] == "P.808 toolkit DCR results: 2 ratings of 2 clips by 1 workers"
    assert set(answers_of(bring_in(path))) == {
        ("a", "noisy", WORKER, "degradation", "2"), ("a", "codec", WORKER, "degradation", "4"),
    }  # fmt: skip


def test_ccr_ratings_of_a_pair_that_is_there_the_other_way_round_are_turned(tmp_path):
    columns = ("index", "instruction_id", "model_a", "model_b", "audio1_path", "audio2_path")
    pairs = written(tmp_path / "pairs.csv", columns, ("1", "a", "noisy", "ref", "a", "a"))
    bring_in(pairs)
    path = written(tmp_path / "Batch.csv", BESIDE, (*WORKED[:4], *SHOWN, "-2", "0", ""))

    assert ("a", "noisy / ref", WORKER, "overall", "2") in answers_of(bring_in(path))


# -- VERSA -------------------------------------------------------------------------------------------------------


def test_scores_of_versa_come_to_the_recordings_of_their_keys(tmp_path, told):
    manifest = [{"item": "q1", "system": "alpha", "response_audio": "alpha/utt_1.wav"},
                {"item": "q2", "system": "alpha", "response_audio": "alpha/utt_2.wav"}]  # fmt: skip
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    bring_in(tmp_path / "manifest.json")
    lines = [
        {"key": "utt_1", "utmos": 4.21, "pesq": 3.4, "whisper_hyp_text": "hello", "whisper_wer_insert": 0},
        {"key": "utt_2", "utmos": float("nan"), "pesq": -0.5, "whisper_hyp_text": "ha", "whisper_wer_insert": 1},
    ]
    (tmp_path / "utt_result.txt").write_text("\n".join(map(json.dumps, lines)))

    assert told(look(tmp_path / "utt_result.txt")) == [
        "VERSA scores: 2 utterances, 3 metrics",
        "Keys are looked up as names of recordings, without their ending: the recordings come in first.",
        "Columns that are not kept: whisper_hyp_text.",
        "1 score is no number, and is missing: utmos.",
    ]
    dataset = bring_in(tmp_path / "utt_result.txt")
    assert set(answers_of(dataset)) == {
        ("q1", "alpha", "VERSA", "utmos", "4.21"), ("q1", "alpha", "VERSA", "pesq", "3.4"),
        ("q1", "alpha", "VERSA", "whisper_wer_insert", "0"), ("q2", "alpha", "VERSA", "pesq", "-0.5"),
        ("q2", "alpha", "VERSA", "whisper_wer_insert", "1"),
    }  # fmt: skip


def test_scores_of_versa_in_pythons_notation_are_read(tmp_path, told):
    manifest = [{"item": "q1", "system": "alpha", "response_audio": "alpha/it's 1.wav"}]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    bring_in(tmp_path / "manifest.json")
    line = {"key": "it's 1", "utmos": 4.5, "pesq": float("nan"), "hyp": 'He said "no"', "mcd": np.float64(-1.25)}
    (tmp_path / "utt_result.txt").write_text(f"{line}\n")

    assert told(look(tmp_path / "utt_result.txt"))[0] == "VERSA scores: 1 utterances, 2 metrics"
    assert set(answers_of(bring_in(tmp_path / "utt_result.txt"))) == {
        ("q1", "alpha", "VERSA", "utmos", "4.5"), ("q1", "alpha", "VERSA", "mcd", "-1.25"),
    }  # fmt: skip


@each("line", ["{'key': open('x'), 'utmos': 1}\n{'key'", "{'a': 1}", "{'key': 'x', **{'utmos': 2}}"])
def test_lines_that_are_no_dictionary_of_scores_are_none_of_versa(tmp_path, line):
    (tmp_path / "utt_result.txt").write_text(line)

    with pytest.raises(UnreadableManifest):
        bring_in(tmp_path / "utt_result.txt")


# -- lm-evaluation-harness ---------------------------------------------------------------------------------------


def sample(n, filtered, score):
    return {
        "doc_id": n, "doc": {"question": f"Q{n}?"}, "target": "4", "filter": filtered, "metrics": ["exact_match"],
        "arguments": {"gen_args_0": {"arg_0": f"Question: Q{n}?", "arg_1": {"until": ["\n"]}}},
        "resps": [["It is 4"]], "filtered_resps": ["4"],
        "doc_hash": "a", "prompt_hash": "b", "target_hash": "c", "exact_match": score,
    }  # fmt: skip


def test_samples_of_lm_eval_come_in_with_prompts_responses_and_metrics(tmp_path, told):
    lines = [sample(n, kind, score) for n in (0, 1) for kind, score in (("strict-match", 0.0), ("flexible", 1.0))]
    path = tmp_path / "samples_gsm8k_2026.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert told(look(path))[0] == "lm-evaluation-harness samples: 4 samples of 2 documents, 2 metrics"
    dataset = bring_in(path)
    assert set(answers_of(dataset)) == {
        (item, "model", "lm-eval", f"exact_match ({kind})", score)
        for item in ("0", "1") for kind, score in (("strict-match", "0.0"), ("flexible", "1.0"))
    }  # fmt: skip
    assert dataset.items.get(key="1").turns.get().text == "Question: Q1?"
    assert set(ResponseTurn.objects.values_list("text", flat=True)) == {"It is 4"}


def test_metrics_of_lm_eval_that_are_no_numbers_are_named(tmp_path, told):
    """Metrics that are computed of all samples at once have their parts in each sample, as F1 of squad_v2 has."""
    more = {"metrics": ["exact_match", "f1", "bleu"], "f1": ["four", [""]]}
    lines = [
        sample(n, "none", 1.0) | more | {"bleu": bleu} for n, bleu in enumerate((0.5, ["4", "four"], float("nan")))
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert told(look(path)) == [
        "lm-evaluation-harness samples: 3 samples of 3 documents, 2 metrics",
        "Samples do not name their model: it comes in as “model”; name it on the page of columns.",
        "Columns that are not kept: doc, target, filtered_resps, f1.",
        "2 scores are no numbers, and are missing: bleu.",
    ]
    assert [
        (item, aspect, value) for item, _, _, aspect, value in answers_of(bring_in(path)) if aspect == "bleu"
    ] == [("0", "bleu", "0.5")]


def test_totals_of_lm_eval_are_refused_with_what_to_bring(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({"results": {}, "configs": {}, "n-shot": {}}, indent=2))

    with pytest.raises(UnreadableManifest, match="Import its samples"):
        look(tmp_path / "results.json")


def test_model_of_samples_is_named_by_a_mapping(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(sample(0, "none", 1.0)) + "\n")
    uses = {"doc_id": {"becomes": "item"}, "response": {"becomes": "response_text", "name": "llama"}}

    dataset = bring_in(path, choices=Choices(mapping={"shape": "responses", "columns": uses}))

    assert [it.name for it in dataset.systems.all()] == ["llama"]
