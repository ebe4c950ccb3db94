"""AudioJudge's raw tables, exactly as its repository has them, with nothing reshaped."""

import csv
from collections import Counter

import pytest

from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.guessing.guess import guess_mapping
from corpus.imports.mapping.guessing.profile import profile_of
from corpus.imports.mapping.table import table_of
from corpus.models import ResponseTurn
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look

pytestmark = pytest.mark.django_db


def counted(dataset):
    return Counter((systems, aspect, value) for _, systems, _, aspect, value in answers_of(dataset))


@pytest.mark.databases
def test_pairs_of_somos_come_in_without_names_of_systems(shared_data, told):
    path = shared_data / "raw" / "audiojudge_somos.csv"

    assert told(look(path)) == [
        "AudioJudge table: 200 pairs of somos",
        "The judge's predictions and reasons are no labels: import them into a campaign as verdicts.",
        "The table names no systems: the clips stand as “first” and “second”, and ratings of these say nothing.",
    ]
    dataset = bring_in(path)
    assert counted(dataset) == {("first / second", "overall", "a"): 114, ("first / second", "overall", "b"): 86}
    first = ResponseTurn.objects.filter(response__item__key="5").order_by("path").first()
    assert first.path == "audio_data/somos_audio/5/audio_a.wav"


def test_pairs_of_pronunciation_answer_the_question_of_the_protocol(shared_data):
    dataset = bring_in(shared_data / "raw" / "audiojudge_pronunciation.csv")

    assert counted(dataset) == {
        ("original / gpt4o", "same_pronunciation", "yes"): 60, ("original / gpt4o", "same_pronunciation", "no"): 40,
    }  # fmt: skip


def test_chatbot_arena_comes_in_by_the_first_mapping_of_the_page_of_columns(shared_data):
    path = shared_data / "raw" / "audiojudge_chatbotarena_AB.csv"

    dataset = bring_in(path, choices=Choices(mapping=guess_mapping(profile_of(table_of(path).rows())).as_json()))

    assert (dataset.items.count(), dataset.units.count(), dataset.systems.count()) == (995, 995, 20)
    assert Counter(value for *_, value in answers_of(dataset)) == {"a": 351, "b": 324, "tie": 320}


def test_speakbench_with_both_orders_in_a_row_comes_in_as_two_raters(shared_data, told):
    """The figures are counted from the file: 81 of its 1,048 rows have GPT-4o's one recording on both sides."""
    path = shared_data / "raw" / "audiojudge_speakbench_detailed.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model_name"] != "gpt4o-audio"]

    assert told(look(path)) == [
        "AudioJudge's SpeakBench with both orders: 967 pairs of 13 systems",
        "What the judge said comes in as the answers of two raters, one for each order.",
        "Columns that are not kept: position1_reasoning, position2_reasoning.",
        "81 rows have one and the same recording of gpt4o-audio on both sides, and are left out.",
    ]
    dataset = bring_in(path)
    assert (dataset.items.count(), dataset.units.count()) == (81, 967)
    words = {"win": "a", "loss": "b", "tie": "tie"}
    raters = {"position1_result": "AudioJudge, model first", "position2_result": "AudioJudge, model second"}
    expected = Counter(
        (row["instruction_id"], f"{row['model_name']} / gpt4o-audio", rater, "overall", words[row[column]])
        for row in rows for column, rater in raters.items()
    )  # fmt: skip
    assert Counter(answers_of(dataset)) == expected
