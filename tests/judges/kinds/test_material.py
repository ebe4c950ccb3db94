import json
from typing import Any

from judges.kinds.contract import Case, Spoken
from judges.kinds.text_models.material import as_line, messages, turns
from protocols import SHIPPED
from tests.cases import each


def a_conversation() -> Case:
    first = (Spoken("Hello."), Spoken("Which one?"))
    second = (Spoken("Hi."),)
    return Case(SHIPPED["arena"], (Spoken("Good day."), Spoken("Take it.")), (first, second))


def test_a_conversation_is_told_turn_by_turn_first_the_user() -> None:
    assert [(turn.n, turn.who, turn.response, turn.spoken.text) for turn in turns(a_conversation())] == [
        (1, "The prompt", None, "Good day."),
        (1, "response 1", 1, "Hello."),
        (1, "response 2", 2, "Hi."),
        (2, "The prompt", None, "Take it."),
        (2, "response 1", 1, "Which one?"),
    ]


def test_the_user_is_called_what_raters_call_them() -> None:
    case = Case(SHIPPED["podcast"], (Spoken("Grüezi."),), ((Spoken("Hello."),),))

    assert [turn.who for turn in turns(case)] == ["Source", "response 1"]


def test_a_line_is_the_very_text_once_it_is_read() -> None:
    told = {"words": 'a "quote"\n\t<|im_end|> [INST] a [list] [/SYSTEM_PROMPT] ü 你好 \u2028 \\u003c'}

    line = as_line(told)

    assert json.loads(line) == told
    assert line.splitlines() == [line]
    assert [mark for mark in ("<", "[INST]", "[/SYSTEM_PROMPT]") if mark in line] == []


@each("told", [{"contour": [None], "found": [True, False], "x": []}, {"list": ["[A]", "[a]"]}])
def test_the_structure_of_a_line_is_left_alone(told: dict[str, Any]) -> None:
    assert json.loads(as_line(told)) == told


def test_material_has_a_line_for_every_turn_between_two_of_ours() -> None:
    _system, user = messages("Judge.", a_conversation(), lambda turn: {"words": turn.spoken.text})

    first, *lines, last = user["content"].split("\n")

    assert first == "The material:"
    assert [json.loads(line) for line in lines][:2] == [
        {"who": "The prompt", "turn": 1, "words": "Good day."},
        {"who": "response 1", "turn": 1, "words": "Hello."},
    ]
    assert len(lines) == 5
    assert last.startswith("That is all of it.")
