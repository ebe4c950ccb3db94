import hashlib
import json
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from protocols import (
    SHIPPED,
    Aspect,
    InvalidDocument,
    Protocol,
    Scale,
    canonical,
    digest,
    document_faults,
    from_document,
    is_digest_of,
    to_document,
)
from tests.cases import each

#: What files and rows name a protocol by. A digest that changes makes every table that was exported one of an unknown
#: protocol: a protocol that ships and asks something else gets another version, and its new digest here.
DIGESTS = {
    "arena": "fe297635bab2ffde297b9f369849985d9f19386cb9eb89f1dc2a8aa5e484a7c4",
    "arena_typed_ties": "9ead8e0bd04c0a34029635397641d8d02dcb019cd5738e5a1ecd2b34067ce0a6",
    "attributes": "58bd170bf684c91e388605dcba7680ca41aef0910088625c0bc0084f1df34509",
    "dubbing": "97e53e8c455bc102efb6071cbbd4c0574e5dd83e0c816427d435d4640deb3fee",
    "podcast": "b894c227e2e3e542634dbdfcd7b8340ace4bfa08989078d3d64dd94d5b46e94f",
    "medical": "906f1c148ffc9d13d93615c93d7ec018359d346c51673ea022924054d58f800d",
    "hcot": "44d77a8ed40fc377ac5202f5f026d484240dcf644247870ee1bd56f84adee05f",
    "hcot_guided": "e2977648cb656572c43faaf57503c4e4d089c74bb8c7d6e533940dd20b1d68cd",
    "mos_speaker": "f19aa85ae77d0ace6f35a05435f8da882f5d32ae3026071bc757820a3da51e25",
    "mos_gender": "821b26f3a9c0c4890b3a3f81b998ac37e7f9762d22718006178cfc2d836082af",
    "mos_sentiment": "5d74335214c55e76bdd81608ef9a4b6b99f89c167f2ad8bc9f416f4b9cf4dbcb",
    "mos_background": "a22a9625ae1430e39abae648e71063e246b4aa9a6b94c1abcbbce5ece0bb5674",
    "mos_room": "dfcc7060c9cb0b92acd7b083ea3e9ad4d6ad937e1777b59846ee66936cc32d3f",
    "acr": "365bb89ad4174a5f6e440b877f18d78723677a320ba656276c29579e85b0858f",
    "p835": "610070ce6682ded89a77ececb065d716c9b453ec1d7dd6fa49bf9a02548f79be",
    "multi_stimulus": "3a3dce943af97e807a7693a22fc223618a072ce02102528a1a50b59700b46470",
    "blind_overall": "d6e28f5f8fd17e698527d2e0e81c52f2e8881bb9cbf7d690c1431d97f1e06145",
    "untyped_tie": "353d1e2be0110da1cc590a37344eb72eb131de96c53fe1cb7247f5ed34299491",
    "forced_choice": "a749694e947e3b6cef0ba30930b734fd57228d789054932442aae7c8720b78d1",
    "ccr": "65733f3413450f69322c9c93930efcb682d75f8b2d4bda27caa763d247e8a8c9",
    "rubric": "ba02e669350a6c21e9eeb6259c476b97495ad50a6c3c8d913bfd07d000410537",
}

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


@each("protocol", SHIPPED.values())
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


@each("protocol", SHIPPED.values())
def test_digest_survives_a_round_trip(protocol: Protocol) -> None:
    document = to_document(protocol)

    assert digest(to_document(from_document(document))) == digest(document)


def test_digests_of_what_ships_are_those_that_files_name() -> None:
    assert {name: digest(to_document(protocol)) for name, protocol in SHIPPED.items()} == DIGESTS


def test_digest_is_the_same_where_defaults_are_left_out() -> None:
    assert digest(MINIMAL) == digest(to_document(from_document(MINIMAL)))


@dataclass(frozen=True)
class _ScaleOfTomorrow(Scale):
    low: int = 0
    ends: tuple[str, ...] = ()


@dataclass(frozen=True)
class _AspectOfTomorrow(Aspect):
    hint: str = ""


def _of_tomorrow(aspect: Aspect, **of_scale: Any) -> Aspect:
    scale = _ScaleOfTomorrow(**{f.name: getattr(aspect.scale, f.name) for f in fields(Scale)}, **of_scale)
    return _AspectOfTomorrow(**{f.name: getattr(aspect, f.name) for f in fields(Aspect)} | {"scale": scale})


@each("protocol", SHIPPED.values())
def test_a_field_that_is_added_with_a_default_changes_no_document(protocol: Protocol) -> None:
    later = replace(protocol, aspects=tuple(map(_of_tomorrow, protocol.aspects)))
    other = replace(protocol, aspects=tuple(_of_tomorrow(it, low=1) for it in protocol.aspects))

    assert canonical(later) == canonical(protocol)
    assert canonical(other) != canonical(protocol)


def test_the_digest_of_earlier_files_with_all_defaults_is_still_known() -> None:
    document = to_document(SHIPPED["hcot"])
    earlier = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    assert is_digest_of(hashlib.sha256(earlier.encode()).hexdigest(), MINIMAL) is False
    assert is_digest_of(hashlib.sha256(earlier.encode()).hexdigest(), document)
    assert is_digest_of(digest(document), document)


def test_document_with_an_aspect_that_waits_for_nothing_known_is_refused() -> None:
    document = json.loads(json.dumps(to_document(SHIPPED["hcot"])))
    document["aspects"][0]["after"] = ["overall"]

    with pytest.raises(InvalidDocument, match="waits for"):
        from_document(document)


@each("document", [{}, {"aspects": [{}]}, {"name": "x", "aspects": [], "unknown": 1}, [], "x", 1])
def test_document_of_something_else_is_refused(document: Any) -> None:
    with pytest.raises(InvalidDocument):
        from_document(document)


@each(
    "document, path",
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


@each(
    "unit, aspect, reason",
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


@each("protocol", SHIPPED.values())
def test_document_faults_of_what_ships_are_none(protocol: Protocol) -> None:
    assert document_faults(to_document(protocol)) == []


def test_criteria_of_items_are_refused_in_guided_steps() -> None:
    document = to_document(SHIPPED["hcot_guided"]) | {"item_criteria": True}

    assert [fault.path for fault in document_faults(document)] == [("item_criteria",)]
