"""LMArena's releases, in the features of their dataset cards, written by `datasets` as the hub has them."""

import json

import datasets
import pytest

from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.tools.formats.pairwise import lmarena
from corpus.models import ResponseTurn, Turn
from tests.cases import each
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look

pytestmark = pytest.mark.django_db

SAID = {"role": datasets.Value("string"), "content": datasets.Value("string")}


def talk(*words):
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(words)]


CLASSIC = [
    {"question_id": "58210e39", "model_a": "chatglm-6b", "model_b": "koala-13b", "winner": "model_b",
     "judge": "arena_user_973", "conversation_a": talk("How are you?", "Well."),
     "conversation_b": talk("How are you?", "Very well, and you?"), "turn": 1, "anony": True, "language": "English",
     "tstamp": 1682351591.1322, "toxic_chat_tag": {"roberta-large": {"flagged": False}}},
    {"question_id": "2cb8e3f1", "model_a": "koala-13b", "model_b": "koala-13b", "winner": "tie (bothbad)",
     "judge": "arena_user_973", "conversation_a": talk("Two?", "2", "Three?", "3"),
     "conversation_b": talk("Two?", "two", "Three?", "three"), "turn": 2, "anony": True, "language": "English",
     "tstamp": 1682351654.6, "toxic_chat_tag": {"roberta-large": {"flagged": False}}},
    {"question_id": "9ac1", "model_a": "dolly-v2-12b", "model_b": "koala-13b", "winner": "tie",
     "judge": "arena_user_12", "conversation_a": talk("=1+1", "2"), "conversation_b": talk("=1+1", "3"), "turn": 1,
     "anony": True, "language": "German", "tstamp": 1682352000.0,
     "toxic_chat_tag": {"roberta-large": {"flagged": False}}},
]  # fmt: skip


OF_ITSELF = (
    "1 battle is of a model with itself: its responses are two takes. It says nothing about which system is better."
)


def written(rows, tmp_path, form):
    table, path = datasets.Dataset.from_list(rows), tmp_path / f"battles.{form}"
    if form == "parquet":
        table.to_parquet(path)
    elif form == "jsonl":
        table.to_json(path)
    else:
        path.write_text(json.dumps(rows))
    return path


@each("form", ["parquet", "jsonl", "json"], undo=True)
def test_classic_battles_come_in_with_their_conversations(tmp_path, told, form):
    path = written(CLASSIC, tmp_path, form)

    checked = look(path)
    assert told(checked) == [
        "LMArena battles: 3 battles of 3 systems", "Columns that are not kept: anony, toxic_chat_tag.",
        OF_ITSELF,
    ]  # fmt: skip
    dataset = bring_in(path)

    assert answers_of(dataset) == [
        ("58210e39", "chatglm-6b / koala-13b", "arena_user_973", "overall", "b"),
        ("2cb8e3f1", "koala-13b / koala-13b", "arena_user_973", "overall", "both_bad"),
        ("9ac1", "dolly-v2-12b / koala-13b", "arena_user_12", "overall", "tie"),
    ]
    prompts = Turn.objects.filter(item__key="2cb8e3f1").order_by("position")
    assert [turn.text for turn in prompts] == ["Two?", "Three?"]
    said = ResponseTurn.objects.filter(response__item__key="2cb8e3f1").order_by("response__key", "position")
    assert [(turn.response.key, turn.text) for turn in said] == [("1", "2"), ("1", "3"), ("2", "two"), ("2", "three")]
    assert Turn.objects.get(item__key="9ac1").text == "=1+1"
    assert dataset.items.get(key="9ac1").category == "German"


@each("at_once", [1, 250], undo=True)
def test_battle_with_one_and_the_same_response_on_both_sides_is_left_out(tmp_path, told, monkeypatch, at_once):
    monkeypatch.setattr(lmarena, "AT_ONCE", at_once)
    same = CLASSIC[1] | {"question_id": "same", "conversation_b": CLASSIC[1]["conversation_a"], "winner": "model_a"}
    path = written([same, *CLASSIC], tmp_path, "jsonl")

    assert told(look(path))[2:] == [
        "1 row has one and the same response on both sides, and is left out: same, koala-13b (1).",
        OF_ITSELF,
    ]
    dataset = bring_in(path)
    assert sorted(dataset.items.values_list("key", flat=True)) == sorted(it["question_id"] for it in CLASSIC)
    assert [item for item, *_ in answers_of(dataset)] == [it["question_id"] for it in CLASSIC]


def test_battle_of_a_model_with_itself_without_conversations_is_left_out(tmp_path, told):
    kept = ("model_a", "model_b", "winner", "judge", "turn", "anony", "language", "tstamp")
    path = written([{name: row[name] for name in kept} for row in CLASSIC], tmp_path, "json")

    assert told(look(path))[3:] == [
        "1 row has one and the same response on both sides, and is left out: battle 2, koala-13b (2)."
    ]
    assert [item for item, *_ in answers_of(bring_in(path))] == ["battle 1", "battle 3"]


def test_battles_again_change_nothing(tmp_path):
    path = written(CLASSIC, tmp_path, "parquet")
    bring_in(path)

    assert look(path).report()["is_new"] is False


def parts(*words):
    return [{"role": ("user", "assistant")[n % 2], "content": [{"type": "text", "text": text, "image": None,
             "mimeType": None}]} for n, text in enumerate(words)]  # fmt: skip


OF_140K = {
    "id": "5b3a", "model_a": "gemini-2.5-pro", "model_b": "o3", "winner": "both_bad", "evaluation_session_id": "s1",
    "evaluation_order": 1, "conversation_a": parts("Write a haiku", "Snow"),
    "conversation_b": parts("Write a haiku", "Rain"), "full_conversation": [{"user": {"role": "user"}}],
    "conv_metadata": {"turns": 1}, "is_code": False, "language": "de", "timestamp": "2025-05-01 10:00:00.000000",
    "category_tag": {"creative_writing_v0.1": {"creative_writing": True, "score": "2"}, "math_v0.1": {"math": False},
                     "criteria_v0.1": {"specificity": True}, "if_v0.1": {"if": True, "score": 3}},
}  # fmt: skip


@each("form", ["parquet", "jsonl"], undo=True)
def test_battles_of_the_140k_release_come_in(tmp_path, told, form):
    picture = parts("What is this?", "A cat")
    picture[0]["content"].append({"type": "image", "text": None, "image": "x.png", "mimeType": "image/png"})
    second = OF_140K | {"id": "77", "winner": "model_a", "conversation_a": picture, "conversation_b": picture}
    path = written([OF_140K, second], tmp_path, form)

    dataset = bring_in(path)

    assert answers_of(dataset) == [
        ("5b3a", "gemini-2.5-pro / o3", "", "overall", "both_bad"),
        ("77", "gemini-2.5-pro / o3", "", "overall", "a"),
    ]
    assert dataset.items.get(key="5b3a").category == "creative_writing, if"
    assert Turn.objects.get(item__key="5b3a").text == "Write a haiku"
    annotation = dataset.label_sets.get().annotations.get(unit__item__key="5b3a")
    assert annotation.given["recorded_at"] == "2025-05-01T10:00:00+00:00"
    assert told(look(path))[1:] == [
        "Columns that are not kept: conv_metadata, evaluation_order, evaluation_session_id, full_conversation, "
        "is_code, language.",
        "2 parts of messages are no text (image), and are left out.",
    ]


def test_battles_without_conversations_and_ids_bring_answers_alone(tmp_path, told):
    kept = ("model_a", "model_b", "winner", "judge", "turn", "anony", "language", "tstamp")
    rows = [{name: row[name] for name in kept} for row in CLASSIC if row["model_a"] != row["model_b"]]
    path = written(rows, tmp_path, "json")

    dataset = bring_in(path)

    assert [(item, value) for item, _, _, _, value in answers_of(dataset)] == [("battle 1", "b"), ("battle 2", "tie")]
    assert "items and systems come in by their names alone" in told(look(path))[2]


def test_unknown_outcome_is_no_answer_and_no_tie(tmp_path, told):
    path = written([CLASSIC[0], CLASSIC[2] | {"winner": "skipped"}], tmp_path, "jsonl")

    assert told(look(path))[2] == "1 battle has no outcome that is known: it brings no answer, and no tie."
    assert [value for *_, value in answers_of(bring_in(path))] == ["b"]


def test_battles_of_the_contest_come_in(tmp_path):
    """Kaggle's train.csv: conversations as lists in JSON, and a column for each outcome."""
    rows = ["id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie",
            '30192,gpt-4,gpt-3.5,"[""Is it?"",""Sure?""]","[""Yes"",""No""]","[""No"",null]",1,0,0',
            '53567,gpt-4,llama,"[""Why?""]","[""So""]","[""Thus""]",0,0,1']  # fmt: skip
    (tmp_path / "train.csv").write_text("\n".join(rows) + "\n")

    dataset = bring_in(tmp_path / "train.csv")

    assert [(item, value) for item, _, _, _, value in answers_of(dataset)] == [("30192", "a"), ("53567", "tie")]
    said = ResponseTurn.objects.filter(response__item__key="30192").order_by("response__system__name", "position")
    assert [turn.text for turn in said] == ["No", "", "Yes", "No"]


def test_judgments_of_mt_bench_have_a_question_as_item_and_a_turn_as_aspect(tmp_path, told):
    first = {"question_id": 81, "model_a": "alpaca-13b", "model_b": "gpt-3.5-turbo", "winner": "model_b",
             "judge": "author_2", "conversation_a": talk("Compose", "Aloha", "Rewrite", "Hawaii"),
             "conversation_b": talk("Compose", "I went", "Rewrite", "A trip"), "turn": 1}  # fmt: skip
    rows = [first, first | {"turn": 2, "winner": "tie"}, first | {"judge": "expert_1"},
            first | {"model_a": first["model_b"], "model_b": "alpaca-13b", "winner": "model_a",
                     "judge": "expert_2", "conversation_a": first["conversation_b"],
                     "conversation_b": first["conversation_a"]}, first | {"winner": "tie"}]  # fmt: skip
    path = written(rows, tmp_path, "parquet")

    dataset = bring_in(path)

    assert (dataset.items.count(), dataset.units.count(), ResponseTurn.objects.count()) == (1, 1, 4)
    assert [answer[2:] for answer in answers_of(dataset)] == [
        ("author_2", "turn_1", "b"), ("author_2", "turn_2", "tie"), ("expert_1", "turn_1", "b"),
        ("expert_2", "turn_1", "b"),
    ]  # fmt: skip
    assert told(look(path)) == [
        "MT-Bench judgments: 5 judgments of 2 systems",
        "1 vote of the same rater on the same pair and turn comes again: the first counts.",
    ]


def test_content_that_is_an_object_is_refused(tmp_path):
    battle = CLASSIC[0] | {"conversation_a": [{"role": "user", "content": {"text": "How are you?"}}]}
    path = tmp_path / "battles.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (battle, CLASSIC[2])))

    with pytest.raises(UnreadableManifest, match="content of a message is an object"):
        look(path)
