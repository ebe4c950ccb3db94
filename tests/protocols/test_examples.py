from dataclasses import replace

from protocols import SHIPPED, Example, Protocol
from protocols.documents.examples import example_faults
from tests.cases import each


def faults(protocol: str, **answers: str) -> list[tuple[int, str]]:
    given = {name.replace("__", "."): value for name, value in answers.items()}
    return list(example_faults(replace(SHIPPED[protocol], examples=(Example("Heard.", given, "Why."),))))


@each("protocol", SHIPPED.values())
def test_shipped_examples_answer_what_is_asked(protocol: Protocol) -> None:
    assert list(example_faults(protocol)) == []


@each(
    "protocol, answers, reason",
    [
        ("hcot", {"contents": "1"}, "no question is called 'contents'"),
        ("hcot", {"content": "3"}, "'3' is no choice of 'content'"),
        ("hcot_guided", {"content": "1"}, "no question is called 'content'"),
        ("dubbing", {"overall": "5"}, "no question is called 'overall'"),
        ("dubbing", {"best_system": "27"}, "'27' is no choice of 'best_system'"),
        ("rubric", {"item_2": "maybe"}, "'maybe' is no choice of 'item_2'"),
        ("hcot", {"item_2": "yes"}, "no question is called 'item_2'"),
    ],
)
def test_example_faults_tell_what_is_not_asked(protocol: str, answers: dict[str, str], reason: str) -> None:
    assert faults(protocol, **answers) == [(0, reason)]


def test_example_faults_take_texts_and_every_response() -> None:
    assert faults("arena", overall="2", reason="Whatever.") == []
    assert faults("dubbing", overall__26="5", best_system="26") == []
    assert faults("rubric", item_3="no") == []
