from typing import Any

import pytest

from protocols import SHIPPED, InvalidAnswers, Protocol, for_item, questions, read_answers
from protocols.judging import as_judged, judge_instructions, judge_schema
from tests.cases import each
from tests.protocols.asking import as_asked, counts

ASKED = as_asked()
every_protocol = each("protocol", ASKED.values())


def replies(schema: dict[str, Any], place: int) -> dict[str, str]:
    """A reply that takes the choice at this place everywhere, and writes a word where there is none."""
    return {
        name: one["enum"][place % len(one["enum"])] if "enum" in one else "Because."
        for name, one in schema["properties"].items()
    }


@every_protocol
def test_judge_instructions_hold_every_word_that_people_get(protocol: Protocol) -> None:
    for n_responses in counts(protocol):
        prompt = judge_instructions(protocol, n_responses)
        put = questions(as_judged(protocol), n_responses)
        asked = [protocol.aspect(question.aspect) for question in put]
        words = [protocol.instructions, *(f"`{question.name}`" for question in put)]
        words += [word for aspect in asked for word in (aspect.title, aspect.question, aspect.guidance)]
        words += [word for question in put for o in question.options for word in (f'"{o.value}": {o.label}', o.help)]

        assert [word for word in words if word not in prompt] == []


@every_protocol
def test_judge_instructions_warn_of_order_and_length(protocol: Protocol) -> None:
    prompt = judge_instructions(protocol, counts(protocol)[-1])

    assert "neither the order in which responses come nor their length is a reason" in prompt


@every_protocol
def test_judge_schema_is_strict_and_asks_for_the_reasoning_first(protocol: Protocol) -> None:
    for n_responses in counts(protocol):
        schema = judge_schema(protocol, n_responses)
        names = [question.name for question in questions(as_judged(protocol), n_responses)]

        assert list(schema["properties"]) == schema["required"] == ["reasoning", *names]
        assert schema["additionalProperties"] is False
        assert {one["type"] for one in schema["properties"].values()} == {"string"}


@every_protocol
def test_judge_schema_offers_the_choices_that_people_have(protocol: Protocol) -> None:
    n_responses = counts(protocol)[-1]
    schema = judge_schema(protocol, n_responses)

    for question in questions(as_judged(protocol), n_responses):
        values = list(question.kind.values)
        offered = schema["properties"][question.name].get("enum", [])
        assert offered == [*values, *([""] if question.only_if else [])]


@every_protocol
def test_judge_replies_are_read_as_answers(protocol: Protocol) -> None:
    n_responses = counts(protocol)[-1]
    reply = replies(judge_schema(protocol, n_responses), 0)
    reply |= {"second_best_system": "2"} if "second_best_system" in reply else {}
    del reply["reasoning"]

    answers = read_answers(as_judged(protocol), reply, n_responses=n_responses)

    assert [answer.value for answer in answers] == list(reply.values())


def test_judge_replies_leave_empty_what_does_not_arise() -> None:
    rubric = for_item(SHIPPED["rubric"], {"dimension": "ambient"})
    reply = {name: "" for name in judge_schema(rubric, 1)["required"] if name != "reasoning"}

    answers = read_answers(rubric, reply | {"intelligible": "no"}, n_responses=1)

    assert [(answer.aspect, answer.value) for answer in answers] == [("intelligible", "no")]
    with pytest.raises(InvalidAnswers):
        read_answers(rubric, reply | {"intelligible": "yes"}, n_responses=1)


def test_judges_name_typed_ties_at_once_and_are_told_the_steps() -> None:
    guided, direct = SHIPPED["hcot_guided"], SHIPPED["hcot"]

    assert judge_schema(guided, 2) == judge_schema(direct, 2)
    assert "Is 1 acceptable?" in judge_instructions(guided, 2)
    assert "Is 1 acceptable?" not in judge_instructions(direct, 2)


def test_judge_instructions_name_the_facts_that_are_shown() -> None:
    assert "You are also told: dimension, capability." in judge_instructions(SHIPPED["arena"], 2)
