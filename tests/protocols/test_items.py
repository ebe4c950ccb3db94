from typing import Any

import pytest

from protocols import SHIPPED, Aspect, Protocol, for_item
from protocols.scales.named import YES_NO
from tests.cases import each

RUBRIC = SHIPPED["rubric"]


def protocol_of(*aspects: Aspect) -> Protocol:
    return Protocol("p", "1", "P", "Listen.", aspects, unit="single")


def test_for_item_leaves_other_protocols_as_they_are() -> None:
    assert for_item(SHIPPED["hcot"], {"dimension": "semantic", "criteria": ["Is it?"]}) == SHIPPED["hcot"]


def test_for_item_asks_what_fits_and_then_the_items_own_criteria() -> None:
    asked = for_item(RUBRIC, {"dimension": "semantic", "criteria": ["Is it Tuesday?"]})

    assert [aspect.name for aspect in asked.aspects] == [
        "intelligible",
        "on_topic",
        "well_formed",
        "remembers",
        "consistent",
        "item_1",
    ]
    assert asked.aspects[-1].question == "Is it Tuesday?"
    assert asked.aspects[-1].only_if == {"intelligible": "yes"}


def test_for_item_done_twice_is_done_once() -> None:
    facts = {"dimension": "semantic", "criteria": ["Is it Tuesday?"]}

    assert for_item(for_item(RUBRIC, facts), facts) == for_item(RUBRIC, facts)


@each("facts", [{}, {"criteria": None}, {"criteria": []}])
def test_for_item_of_an_item_without_facts_asks_the_general_aspects(facts: dict[str, Any]) -> None:
    assert [aspect.group for aspect in for_item(RUBRIC, facts).aspects] == ["General"] * 3


@each("criteria", ["Is it Tuesday?", [1], {"a": "b"}, ["Is it Tuesday?", " "]])
def test_for_item_refuses_criteria_that_are_not_a_list_of_texts(criteria: Any) -> None:
    with pytest.raises(ValueError, match=r"list of texts|needs a question"):
        for_item(RUBRIC, {"criteria": criteria})


def test_for_item_lets_nothing_wait_for_what_is_not_asked() -> None:
    absent = Aspect("absent", "Absent", "Is it?", YES_NO, only_for={"dimension": "ambient"})
    hanging = Aspect("hanging", "Hanging", "Is it?", YES_NO, only_if={"absent": "yes"})
    last = Aspect("last", "Last", "Is it?", YES_NO, after=("absent", "hanging"), unlike="absent")

    asked = for_item(protocol_of(absent, hanging, last), {"dimension": "semantic"})

    assert asked.aspects == (Aspect("last", "Last", "Is it?", YES_NO),)


def test_for_item_with_nothing_left_to_ask_is_refused() -> None:
    protocol = protocol_of(Aspect("a", "A", "Is it?", YES_NO, only_for={"dimension": "ambient"}))

    with pytest.raises(ValueError, match="at least one aspect"):
        for_item(protocol, {})
