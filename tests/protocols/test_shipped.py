import json

from protocols import SHIPPED, Protocol, for_item, from_document, questions, read_answers, to_document
from protocols.documents.yaml_files import from_yaml, to_yaml
from tests.cases import each
from tests.protocols.asking import CRITERIA, DIMENSIONS, as_asked, counts

ASKED = as_asked()
#: Aspects by protocol; the translation questionnaires have two more for the best systems.
ASPECTS = {
    "hcot": 4,
    "hcot_guided": 4,
    "blind_overall": 1,
    "untyped_tie": 1,
    "forced_choice": 1,
    "ccr": 1,
    "arena": 2,
    "arena_typed_ties": 2,
    "rubric semantic": 8,
    "rubric paralinguistic": 8,
    "rubric ambient": 8,
    "mos_speaker": 1,
    "mos_gender": 1,
    "mos_sentiment": 1,
    "mos_background": 1,
    "mos_room": 1,
    "acr": 1,
    "p835": 3,
    "multi_stimulus": 1,
    "dubbing": 9 + 2,
    "podcast": 7 + 2,
    "medical": 7 + 2,
    "attributes": 4,
}
UNITS = {
    "rubric": "single",
    "acr": "single",
    "p835": "single",
    "multi_stimulus": "item",
    "dubbing": "item",
    "podcast": "item",
    "medical": "item",
}

every_protocol = each("protocol", SHIPPED.values())
every_protocol_as_asked = each("protocol", ASKED.values())


def test_shipped_protocols_ask_as_much_as_their_sources() -> None:
    assert {name: len(protocol.aspects) for name, protocol in ASKED.items()} == ASPECTS


@every_protocol
def test_shipped_protocol_goes_by_its_name_and_unit(protocol: Protocol) -> None:
    by_kind = "single" if protocol.name.startswith("mos_") else "pair"

    assert SHIPPED[protocol.name] is protocol
    assert protocol.unit == UNITS.get(protocol.name, by_kind)


@every_protocol
def test_shipped_protocol_survives_json_and_yaml(protocol: Protocol) -> None:
    text = to_yaml(protocol)

    assert from_document(json.loads(json.dumps(to_document(protocol)))) == protocol
    assert from_yaml(text) == protocol
    assert to_yaml(from_yaml(text)) == text


@every_protocol
def test_shipped_protocol_is_worded_and_cited(protocol: Protocol) -> None:
    words = [protocol.source, protocol.prompt_title, protocol.instructions]
    words += [word for a in protocol.aspects for word in (a.title, a.question, a.scale.name)]
    words += [word for e in protocol.examples for word in (e.heard, e.why)]

    labels = [option.label for a in protocol.aspects for option in a.scale.offered(2)]

    assert all(word == word.strip() != "" for word in words + labels)
    assert max(len(title) for title in (protocol.title, *(a.title for a in protocol.aspects))) <= 40
    assert max(len(label) for label in labels) <= 30


def test_only_a_protocol_about_the_same_words_switches_in_synchrony() -> None:
    assert {name for name, protocol in SHIPPED.items() if protocol.playback == "synchronised"} == {
        "ccr",
        "multi_stimulus",
    }


@every_protocol
def test_shipped_protocol_has_its_agreement_metric(protocol: Protocol) -> None:
    metrics = {aspect.name: aspect.scale.kind.agreement for aspect in protocol.aspects}

    assert {name for name, metric in metrics.items() if not metric} <= {"reason"}


@every_protocol_as_asked
def test_questions_reach_every_aspect(protocol: Protocol) -> None:
    for n_responses in counts(protocol):
        put = questions(protocol, n_responses)
        reached = {question.aspect for question in put}
        unreachable = {a.name for a in protocol.aspects if a.scale.kind.any_response and n_responses < 2}

        assert reached == {a.name for a in protocol.aspects} - unreachable
        assert len({question.name for question in put}) == len(put)


@each("name, n_responses, asked", [("dubbing", 4, 38), ("podcast", 2, 16), ("medical", 1, 7)])
def test_questions_about_an_item_are_put_for_each_response(name: str, n_responses: int, asked: int) -> None:
    assert len(questions(SHIPPED[name], n_responses)) == asked


def test_questions_of_the_guided_elicitation_put_the_comparison_last() -> None:
    put = [question.name for question in questions(SHIPPED["hcot_guided"], 2)][:3]

    assert put == ["content.acceptable_1", "content.acceptable_2", "content.better"]


@every_protocol
def test_shipped_examples_are_valid_answers(protocol: Protocol) -> None:
    for example in protocol.examples:
        assert any(_valid(protocol, dimension, example.answers) for dimension in DIMENSIONS)


@each("name", ["hcot", "hcot_guided", "blind_overall", "rubric", "medical", "mos_speaker", "arena"])
def test_shipped_protocols_that_need_practice_have_examples(name: str) -> None:
    assert SHIPPED[name].examples


@each("dimension", DIMENSIONS)
@each("n_criteria", [2, 3, 4])
def test_rubric_asks_seven_to_nine_criteria(dimension: str, n_criteria: int) -> None:
    rubric = for_item(SHIPPED["rubric"], {"dimension": dimension, "criteria": [*CRITERIA, "And?"][:n_criteria]})

    assert len(rubric.aspects) == 5 + n_criteria
    assert {option.value for aspect in rubric.aspects for option in aspect.scale.options} == {"yes", "no"}


def test_overall_opens_last_where_dimensions_come_first() -> None:
    opens_after = {
        (name, a.name): a.after
        for name in ("hcot", "p835", "medical", "arena")
        for a in SHIPPED[name].aspects
        if a.after
    }
    of_medical = tuple(aspect.name for aspect in SHIPPED["medical"].aspects)

    assert opens_after == {
        ("hcot", "overall"): ("content", "voice_quality", "paralinguistics"),
        ("p835", "background"): ("signal",),
        ("p835", "overall"): ("signal", "background"),
        ("medical", "best_system"): of_medical[:7],
        ("medical", "second_best_system"): of_medical[:8],
        ("arena", "reason"): ("overall",),
    }


def test_applicability_is_asked_as_in_the_papers_questionnaires() -> None:
    short = {
        (name, a.name): [option.value for option in a.scale.options]
        for name in ("dubbing", "podcast", "medical")
        for a in SHIPPED[name].aspects
        if a.per_response and len(a.scale.options) != 5
    }

    assert short == {
        ("podcast", "continued_listening"): ["yes", "no"],
        ("medical", "trust"): ["no", "maybe", "yes"],
    }


def _valid(protocol: Protocol, dimension: str, answers: dict[str, str]) -> bool:
    asked = for_item(protocol, {"dimension": dimension})
    try:
        return bool(read_answers(asked, answers, n_responses={"single": 1}.get(protocol.unit, 2)))
    except ValueError:
        return False
