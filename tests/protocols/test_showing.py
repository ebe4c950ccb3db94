from typing import Any

from protocols import SHIPPED, Protocol, questions, shown_aspects, to_document
from protocols.presentation.preview import N_SHOWN, SAMPLE_CRITERION, sample, showable
from tests.cases import each

HCOT = to_document(SHIPPED["hcot"])


def hcot(**changes: Any) -> dict[str, Any]:
    return {**HCOT, **changes}


@each("protocol", SHIPPED.values())
def test_showable_of_a_whole_protocol_is_the_protocol(protocol: Protocol) -> None:
    assert showable(to_document(protocol)) == protocol


def test_showable_leaves_out_the_aspects_at_fault() -> None:
    content, voice, paralinguistics, overall = HCOT["aspects"]
    aspects = [content, {**voice, "question": ""}, paralinguistics, {**overall, "after": ["content"]}]

    shown = showable(hcot(aspects=aspects))

    assert shown is not None
    assert [aspect.name for aspect in shown.aspects] == ["content", "paralinguistics", "overall"]


def test_showable_leaves_out_what_waits_for_an_aspect_at_fault() -> None:
    aspects = [{**HCOT["aspects"][0], "title": ""}, *HCOT["aspects"][1:]]

    shown = showable(hcot(aspects=aspects))

    assert shown is not None
    assert [aspect.name for aspect in shown.aspects] == ["voice_quality", "paralinguistics"]


@each(
    "changes",
    [
        {"title": "", "name": " ", "instructions": "", "version": ""},
        {"listening": {"rule": "seconds", "seconds": 0.0}},
        {"listening": {"rule": "seconds", "seconds": "three"}},
        {"elicitation": "sideways"},
        {"criteria_only_if": {"missing": "yes"}},
        {"of_tomorrow": 1},
    ],
)
def test_showable_fills_in_what_is_wrong_beside_the_aspects(changes: dict[str, Any]) -> None:
    shown = showable(hcot(**changes))

    assert shown is not None
    assert shown.aspects == SHIPPED["hcot"].aspects


@each(
    "document",
    [{}, hcot(aspects=[]), hcot(aspects="content"), hcot(aspects=[{**HCOT["aspects"][0], "question": ""}])],
)
def test_showable_of_nothing_is_none(document: dict[str, Any]) -> None:
    assert showable(document) is None


@each("protocol", SHIPPED.values())
def test_sample_asks_every_aspect(protocol: Protocol) -> None:
    shown = list(shown_aspects(sample(protocol), N_SHOWN[protocol.unit]))

    names = [one.aspect.name for one in shown]
    assert names == [aspect.name for aspect in protocol.aspects] + ["item_1"] * protocol.item_criteria


def test_sample_of_a_rubric_brings_a_criterion_behind_its_gate() -> None:
    last = questions(sample(SHIPPED["rubric"]), 1)[-1]

    assert (last.text, last.only_if) == (SAMPLE_CRITERION, {"intelligible": "yes"})
