"""A slider is one more kind of question: everything it needs stands in its own module."""

from dataclasses import replace

import pytest

from protocols import Aspect, InvalidAnswers, InvalidProtocol, Option, Protocol, Scale, questions, read_answers
from protocols.documents.yaml_files import from_yaml, to_yaml
from protocols.judging import judge_instructions, judge_schema
from protocols.kinds.kind import QuestionKind
from protocols.scales.named import QUALITY_100

OWN = Scale("loudness", (Option("0", "Silent"), Option("10", "Loud")), measure="slider")
PROTOCOL = Protocol("p", "1", "P", "Listen.", (Aspect("loud", "Loud", "How loud is it?", OWN),), unit="single")


def kind() -> QuestionKind:
    return OWN.kind


@pytest.mark.parametrize("value", ["0", "7", "10"])
def test_every_whole_number_on_the_line_is_an_answer(value: str) -> None:
    (answer,) = read_answers(PROTOCOL, {"loud": value}, n_responses=1)

    assert answer.value == value


@pytest.mark.parametrize("value", ["-1", "11", "5.5", "05", "loud", "٥"])
def test_anything_else_is_refused_with_the_ends(value: str) -> None:
    with pytest.raises(InvalidAnswers, match="is no whole number from 0 to 10"):
        read_answers(PROTOCOL, {"loud": value}, n_responses=1)


def test_an_untouched_slider_is_no_answer() -> None:
    with pytest.raises(InvalidAnswers, match="please answer"):
        read_answers(PROTOCOL, {"loud": ""}, n_responses=1)

    optional = replace(PROTOCOL, aspects=(replace(PROTOCOL.aspects[0], required=False),))
    assert read_answers(optional, {"loud": ""}, n_responses=1) == ()


@pytest.mark.parametrize(
    ("scale", "reason"),
    [
        (replace(OWN, options=OWN.options[::-1]), "the lowest first"),
        (replace(OWN, options=OWN.options[:1]), "two whole numbers or more"),
        (replace(OWN, options=(Option("low", "Low"), Option("high", "High"))), "two whole numbers or more"),
        (replace(OWN, options=(Option("0", "Low"), Option("5000", "High"))), "more than 1000 steps"),
        (replace(OWN, options=(Option("-1", "Low"), Option("1", "High")), frame="signed"), "the same in every order"),
    ],
)
def test_a_line_has_two_ends_in_order(scale: Scale, reason: str) -> None:
    with pytest.raises(InvalidProtocol, match=reason):
        replace(PROTOCOL, unit="pair", aspects=(replace(PROTOCOL.aspects[0], scale=scale),))


def test_no_other_aspect_waits_for_a_number() -> None:
    follow_up = Aspect("why", "Why", "Why?", Scale("text", measure="text"), only_if={"loud": "10"})

    with pytest.raises(InvalidProtocol, match="is no choice there"):
        replace(PROTOCOL, aspects=(*PROTOCOL.aspects, follow_up))


def test_it_goes_to_yaml_and_back() -> None:
    assert from_yaml(to_yaml(PROTOCOL)) == PROTOCOL


def test_judges_are_told_the_line_and_may_say_every_number_on_it() -> None:
    told = judge_instructions(PROTOCOL, 1)

    assert 'Answer with a whole number from "0" to "10"' in told
    assert '- "10": Loud' in told
    assert judge_schema(PROTOCOL, 1)["properties"]["loud"]["enum"] == [str(n) for n in range(11)]


def test_it_is_counted_by_equal_steps_and_in_ranges() -> None:
    assert (kind().level, kind().agreement, kind().ends) == ("interval", "krippendorff_alpha_interval", (0.0, 10.0))
    assert kind().number("7") == 7.0
    assert kind().categories(["9", "10", "2", "2"]) == ("2", "9", "10")
    assert kind().distances(("2", "9")) == ("interval",)
    assert [QUALITY_100.kind.in_table(it) for it in ("0", "9", "10", "89", "90", "100")] == [
        "0–9", "0–9", "10–19", "80–89", "90–100", "90–100"
    ]  # fmt: skip


def test_its_template_has_the_ends_and_what_is_answered() -> None:
    (question,) = questions(PROTOCOL, 1)

    assert question.kind.template == "protocols/questions/slider.html"
    assert (question.kind.limits, question.kind.in_short) == (
        {"lowest": 0, "highest": 10}, ("0 to 10", "Silent", "Loud")
    )  # fmt: skip
