import json
from typing import Any

import pytest

from campaigns.protocols import (
    SHIPPED,
    InvalidDocument,
    Protocol,
    digest,
    document_faults,
    from_document,
    to_document,
)

MINIMAL: dict[str, Any] = {
    "name": "p",
    "version": "1",
    "title": "P",
    "instructions": "Listen.",
    "aspects": [
        {
            "name": "good",
            "title": "Good",
            "question": "Is it good?",
            "scale": {
                "name": "yes_no",
                "options": [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}],
            },
        }
    ],
}


def minimal_with(**of_aspect: Any) -> dict[str, Any]:
    return MINIMAL | {"aspects": [MINIMAL["aspects"][0] | of_aspect]}


@pytest.mark.parametrize("protocol", SHIPPED.values(), ids=SHIPPED)
def test_document_survives_json(protocol: Protocol) -> None:
    assert from_document(json.loads(json.dumps(to_document(protocol)))) == protocol


def test_document_may_leave_out_what_has_a_default() -> None:
    protocol = from_document(MINIMAL)

    assert (protocol.unit, protocol.listening.rule, protocol.aspects[0].required) == ("pair", "full", True)


def test_digest_is_the_same_for_another_order_of_keys() -> None:
    document = to_document(SHIPPED["hcot"])

    assert digest(dict(reversed(document.items()))) == digest(document)


def test_digest_differs_where_one_word_differs() -> None:
    document = to_document(SHIPPED["hcot"])

    assert digest(document | {"instructions": "Listen."}) != digest(document)


@pytest.mark.parametrize("protocol", SHIPPED.values(), ids=SHIPPED)
def test_digest_survives_a_round_trip(protocol: Protocol) -> None:
    document = to_document(protocol)

    assert digest(to_document(from_document(document))) == digest(document)


def test_document_with_an_aspect_that_waits_for_nothing_known_is_refused() -> None:
    document = json.loads(json.dumps(to_document(SHIPPED["hcot"])))
    document["aspects"][0]["after"] = ["overall"]

    with pytest.raises(InvalidDocument, match="waits for"):
        from_document(document)


@pytest.mark.parametrize("document", [{}, {"aspects": [{}]}, {"name": "x", "aspects": [], "unknown": 1}, [], "x", 1])
def test_document_of_something_else_is_refused(document: Any) -> None:
    with pytest.raises(InvalidDocument):
        from_document(document)


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (MINIMAL | {"unit": "triple"}, ("unit",)),
        (MINIMAL | {"titel": "P"}, ("titel",)),
        (MINIMAL | {"ask_confidence": "yes"}, ("ask_confidence",)),
        (MINIMAL | {"ask_confidence": 1}, ("ask_confidence",)),
        (MINIMAL | {"listening": {"rule": "seconds", "seconds": "3"}}, ("listening", "seconds")),
        (MINIMAL | {"listening": {"rule": "seconds"}}, ("listening",)),
        (MINIMAL | {"elicitation": "guided"}, ("aspects", 0, "scale")),
        (MINIMAL | {"shows": "dimension"}, ("shows",)),
        (MINIMAL | {"criteria_only_if": {"good": "maybe"}}, ("criteria_only_if",)),
        (MINIMAL | {"aspects": []}, ("aspects",)),
        (MINIMAL | {"aspects": MINIMAL["aspects"] * 2}, ("aspects", 1, "name")),
        (
            MINIMAL | {"item_criteria": True, "aspects": minimal_with(name="item_1")["aspects"]},
            ("aspects", 0, "name"),
        ),
        (minimal_with(name="two words"), ("aspects", 0, "name")),
        (minimal_with(name="reasoning"), ("aspects", 0, "name")),
        (minimal_with(name="n" * 61), ("aspects", 0, "name")),
        (minimal_with(title=" "), ("aspects", 0, "title")),
        (minimal_with(required="no"), ("aspects", 0, "required")),
        (minimal_with(only_if={"good": 1}), ("aspects", 0, "only_if", "good")),
        (minimal_with(only_if={"better": "yes"}), ("aspects", 0, "only_if")),
        (minimal_with(unlike="best"), ("aspects", 0, "unlike")),
        (minimal_with(scale="yes_no"), ("aspects", 0, "scale")),
        (minimal_with(scale={"name": "empty"}), ("aspects", 0, "scale")),
        (minimal_with(scale={"name": "a", "options": [{"value": "1"}]}), ("aspects", 0, "scale", "options", 0)),
        (minimal_with(scale={"name": "a", "options": [{"value": " 1", "label": "1"}]}), ("aspects", 0, "scale")),
        (minimal_with(scale={"name": "a", "options": [{"value": "1", "label": "1"}] * 2}), ("aspects", 0, "scale")),
    ],
)
def test_document_with_a_fault_is_refused_with_the_path_to_it(
    document: dict[str, Any], path: tuple[str | int, ...]
) -> None:
    with pytest.raises(InvalidDocument) as refusal:
        from_document(document)

    assert refusal.value.path == path


@pytest.mark.parametrize(
    ("unit", "aspect", "reason"),
    [
        ("single", {"scale": {"name": "which", "frame": "response"}}, "compares responses"),
        ("item", {"per_response": True, "scale": {"name": "which", "frame": "response"}}, "compares responses"),
        ("item", {"scale": {"name": "w", "frame": "response", "options": [("1", "1"), ("2", "2")]}}, "two responses"),
        ("pair", {"scale": {"name": "w", "frame": "response", "options": [("1", "1"), ("3", "3")]}}, "does not have"),
        ("pair", {"scale": {"name": "w", "frame": "signed", "options": [("1", "1"), ("0", "0")]}}, "its opposite"),
        ("pair", {"scale": {"name": "w", "frame": "signed", "options": [("+1", "1")]}}, "whole numbers"),
        ("pair", {"scale": {"name": "w", "measure": "interval", "options": [("good", "1")]}}, "whole numbers"),
        ("pair", {"scale": {"name": "w", "measure": "typed_tie", "options": [("1", "1")]}}, "typed tie"),
        ("pair", {"scale": {"name": "w", "measure": "text", "options": [("1", "1")]}}, "asks for text"),
    ],
)
def test_document_with_a_scale_that_does_not_suit_is_refused(unit: str, aspect: dict[str, Any], reason: str) -> None:
    scale = aspect["scale"]
    scale = scale | {"options": [{"value": v, "label": label} for v, label in scale.get("options", [])]}

    with pytest.raises(InvalidDocument, match=reason):
        from_document(minimal_with(**(aspect | {"scale": scale})) | {"unit": unit})


def test_document_where_one_answer_hangs_on_those_about_each_response_is_refused() -> None:
    first = MINIMAL["aspects"][0] | {"per_response": True}
    second = MINIMAL["aspects"][0] | {"name": "again", "only_if": {"good": "yes"}}

    with pytest.raises(InvalidDocument, match="asked of each response"):
        from_document(MINIMAL | {"unit": "item", "aspects": [first, second]})


def test_document_faults_are_all_told_in_reading_order() -> None:
    document = to_document(SHIPPED["hcot"]) | {"title": " ", "elicitation": "guided", "unit": "item"}
    document["aspects"][1]["name"] = "content"
    document["aspects"][3]["after"] = ["later"]

    paths = [fault.path for fault in document_faults(document)]

    assert paths[:2] == [("title",), ("elicitation",)]
    assert {("aspects", 1, "name"), ("aspects", 3, "after"), ("aspects", 0, "scale")} <= set(paths)


def test_document_faults_of_a_wrong_type_are_the_first_one() -> None:
    document = to_document(SHIPPED["hcot"]) | {"title": 1, "unit": "triple"}

    assert [(fault.path, fault.reason) for fault in document_faults(document)] == [
        (("title",), "title is to be text, not 1")
    ]


@pytest.mark.parametrize("protocol", SHIPPED.values(), ids=SHIPPED)
def test_document_faults_of_what_ships_are_none(protocol: Protocol) -> None:
    assert document_faults(to_document(protocol)) == []


def test_criteria_of_items_are_refused_in_guided_steps() -> None:
    document = to_document(SHIPPED["hcot_guided"]) | {"item_criteria": True}

    assert [fault.path for fault in document_faults(document)] == [("item_criteria",)]
