"""Spoken instructions: whoever does what the voice says passes, in every order; whoever does not, fails."""

from dataclasses import replace

import pytest

from protocols import SHIPPED, Aspect, Protocol, Scale
from protocols.kinds.frames import stored_value
from protocols.presentation.preview import sample
from protocols.presentation.spoken import THIS, Instruction, NothingToSay, instructions
from protocols.scales.named import YES_NO
from tests.cases import each


def obeyed(protocol: Protocol, instruction: Instruction, *, speaker: str, order: str) -> dict[str, str]:
    """What somebody chose on the screen who heard the voice at the place where `speaker` stands in this order."""
    place = order.index(speaker) + 1
    chosen = {}
    for name in instruction.aspects:
        scale = protocol.aspect(name).scale
        if instruction.name != THIS:
            shown = instruction.value
        elif scale.frame == "signed":
            shown = {1: "-3", 2: "3"}[place]
        else:
            shown = str(place)
        suffix = f".{speaker}" if instruction.per_response else ""
        chosen[f"{name}{suffix}"] = stored_value(shown, order, scale.frame)
    return chosen


@each("name", [name for name in SHIPPED if name != "multi_stimulus"])  # a slider has nothing to choose
def test_whoever_obeys_passes_in_every_order(name: str) -> None:
    protocol = sample(SHIPPED[name])
    slots, orders = {"pair": ("ab", ("ab", "ba")), "single": ("a", ("a",)), "item": ("abc", ("abc", "cab"))}[
        protocol.unit
    ]

    for instruction in instructions(protocol):
        for speaker in slots if instruction.by_one else slots[:1]:
            for order in orders:
                chosen = obeyed(protocol, instruction, speaker=speaker, order=order)
                assert {n: [value] for n, value in chosen.items()} == instruction.expected(speaker)


def test_one_of_two_asks_for_itself() -> None:
    [this] = instructions(SHIPPED["forced_choice"])

    assert (this.expected("a"), this.expected("b")) == ({"overall": ["a"]}, {"overall": ["b"]})


@each(
    "name, sentences",
    [
        ("acr", {"2": "Please choose two, poor."}),
        (
            "hcot",
            {"both_bad": "Please choose both bad, everywhere.", "this": "Please choose this one, everywhere."},
        ),
        ("hcot_guided", {"both_bad": "Please answer that neither is acceptable, everywhere."}),
        ("p835", {"2": "Please choose two, everywhere."}),
        ("dubbing", {"2": "For this one, please choose two, poor, everywhere."}),
        ("ccr", {"0": "Please choose about the same.", "this": "Please choose that this one is much better."}),
        ("rubric", {"no": "Please choose no."}),
    ],
)
def test_sentences_name_answers_as_the_screen_does(name: str, sentences: dict[str, str]) -> None:
    said = {one.name: one.sentence for one in instructions(sample(SHIPPED[name]))}

    assert {name: said[name] for name in sentences} == sentences


def test_answer_that_brings_up_further_questions_is_not_asked_for() -> None:
    assert [one.name for one in instructions(sample(SHIPPED["rubric"]))] == ["no"]


def test_protocol_of_texts_alone_leaves_nothing_to_say() -> None:
    text = Aspect("why", "Why", "Why?", Scale("text", measure="text"))

    with pytest.raises(NothingToSay, match="wants a text"):
        instructions(replace(SHIPPED["acr"], aspects=(text,)))


def test_protocol_whose_every_answer_brings_up_questions_leaves_nothing_to_say() -> None:
    first = Aspect("heard", "Heard", "Heard?", YES_NO)
    then = (replace(first, name=f"after_{value}", only_if={"heard": value}) for value in ("yes", "no"))

    with pytest.raises(NothingToSay, match="further questions"):
        instructions(replace(SHIPPED["acr"], aspects=(first, *then)))
