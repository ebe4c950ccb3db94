from typing import Any

from judges.backends.contract import JudgeOutput
from judges.kinds.text_models.reading import ask, read_opinion
from protocols import SHIPPED
from tests.cases import each
from tests.judges.kinds.reading import FakeTools
from tests.protocols.asking import as_asked

RUBRIC = as_asked()["rubric semantic"]


def said(**data: Any) -> JudgeOutput:
    return JudgeOutput(raw="", status="ok", data=data)


@each("value", [4, " 4\n"])
def test_a_number_and_blanks_around_a_choice_are_mended_and_called_so(value: Any) -> None:
    opinion = read_opinion(SHIPPED["acr"], said(reasoning="Clear.", overall=value), n_responses=1)

    assert (opinion.status, opinion.answers, opinion.reasoning) == ("repaired", {"overall": "4"}, "Clear.")


@each("value", [True, 4.0, ["4"], {"value": "4"}, None, "6", "", "4.", "four"])
def test_what_is_no_choice_is_unparsed(value: Any) -> None:
    opinion = read_opinion(SHIPPED["acr"], said(reasoning="", overall=value), n_responses=1)

    assert (opinion.status, opinion.answers) == ("unparsed", {})


def test_an_answer_to_what_does_not_arise_is_left_out_and_called_repaired() -> None:
    opinion = read_opinion(RUBRIC, said(reasoning="", intelligible="no", on_topic="no", item_1=""), n_responses=1)

    assert (opinion.status, opinion.answers) == ("repaired", {"intelligible": "no"})


def test_nothing_is_mended_where_what_does_not_arise_is_empty() -> None:
    opinion = read_opinion(RUBRIC, said(reasoning="", intelligible="no", on_topic=""), n_responses=1)

    assert (opinion.status, opinion.answers) == ("ok", {"intelligible": "no"})


def test_answers_that_may_not_be_alike_are_unparsed() -> None:
    podcast = SHIPPED["podcast"]
    reply = {name: "yes" if "continued" in name else "3" for name in _names(podcast)}

    opinion = read_opinion(podcast, said(**reply | {"best_system": "1", "second_best_system": "1"}), n_responses=2)

    assert (opinion.status, opinion.answers) == ("unparsed", {})
    assert opinion.message == "Second best: choose another than for Best."


def test_guided_protocols_are_answered_at_once() -> None:
    labels = {"content": "1", "voice_quality": "2", "paralinguistics": "both_bad", "overall": "1"}

    assert read_opinion(SHIPPED["hcot_guided"], said(**labels), n_responses=2).answers == labels


def test_an_extra_property_stands_right_before_its_question() -> None:
    tools = FakeTools()

    ask(
        SHIPPED["p835"],
        (),
        {},
        tools,
        n_responses=1,
        extra={"signal.reason": {"type": "string"}, "overall.reason": {"type": "string"}},
    )

    order = ["reasoning", "signal.reason", "signal", "background", "overall.reason", "overall"]
    assert list(tools.asked[0].schema["properties"]) == tools.asked[0].schema["required"] == order


def _names(protocol: Any) -> list[str]:
    tools = FakeTools()
    ask(protocol, (), {}, tools, n_responses=2)
    return [name for name in tools.asked[0].schema["required"] if name != "reasoning"]
