"""Results of the P.808 toolkit and of VERSA as their repositories publish them, read untouched.

The other side is the publisher: README.md beside this file has the repository, commit and licence of each.
Nothing is started.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.imports.tools.conftest import answers_of, bring_in, look, told

pytestmark = pytest.mark.django_db
PUBLISHED = Path(__file__).parent
__all__ = ["told"]


def test_batch_of_the_p808_toolkit_comes_in(told: Any) -> None:
    """Twelve clips were rated, two of which check the worker."""
    path = PUBLISHED / "p808_Batch_257568_batch_results.csv"

    assert told(look(path)) == [
        "P.808 toolkit results: 10 ratings of 10 clips by 1 workers",
        "The table names no systems: each clip's folder is taken for its system, and its file name for the item.",
        "2 ratings of trapping and gold clips are left out.",
        "Raters come in under pseudonyms, made of what the file calls them, which is not kept. "
        "A mapping can keep it.",
    ]
    assert {(item, value) for item, *_, value in answers_of(bring_in(path))} == {
        ("book_00082_chp_0011_reader_01593_0", "3"), ("book_01578_chp_0047_reader_00576_6", "5"),
        ("book_03318_chp_0016_reader_10043_5", "2"), ("book_03395_chp_0044_reader_05010_0", "2"),
        ("book_04753_chp_0059_reader_10797_4", "1"), ("book_06204_chp_0005_reader_03422_3", "4"),
        ("book_07277_chp_0038_reader_03757_1", "4"), ("book_07390_chp_0008_reader_00671_7", "4"),
        ("book_08511_chp_0029_reader_00610_9", "4"), ("book_09613_chp_0009_reader_10085_5", "3"),
    }  # fmt: skip


@pytest.fixture
def recordings(tmp_path: Path) -> None:
    """The three recordings that VERSA's demonstration scores."""
    rows = [{"item": f"q{n}", "system": "tts", "response_audio": f"demo/{n}.wav"} for n in (1, 2, 3)]
    (tmp_path / "manifest.json").write_text(json.dumps(rows))
    bring_in(tmp_path / "manifest.json")


@pytest.mark.usefixtures("recordings")
def test_scores_of_versa_come_in_by_names_with_their_ending(told: Any) -> None:
    path = PUBLISHED / "versa_traditional_cpu_results.json"

    assert told(look(path)) == [
        "VERSA scores: 3 utterances, 8 metrics",
        "Keys are looked up as names of recordings, without their ending: the recordings come in first.",
        "3 scores are no numbers, and are missing: sir.",
    ]
    answers = answers_of(bring_in(path))
    assert len(answers) == 3 * 8
    assert ("q3", "tts", "VERSA", "stoi", "0.9380155495090899") in answers


@pytest.mark.usefixtures("recordings")
def test_scores_that_a_model_predicts_for_versa_come_in(told: Any) -> None:
    path = PUBLISHED / "versa_universa_noref_results.json"

    assert told(look(path))[0] == "VERSA scores: 3 utterances, 13 metrics"
    assert "Columns that are not kept: universa_encoded_feat." in told(look(path))
    assert ("q1", "tts", "VERSA", "universa_wer", "-0.03762705251574516") in answers_of(bring_in(path))
