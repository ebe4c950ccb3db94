"""Random answers to every shipped protocol: valid ones are read back exactly, faulty ones are refused by name."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from protocols import InvalidAnswers, Protocol, Question, ScreenAnswer, questions, read_answers
from protocols.kinds.written import MAX_TEXT
from tests.protocols.asking import as_asked, counts

ASKED = as_asked()
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=60).filter(
    str.strip
)
Answers = dict[str, str]
Broken = tuple[Answers, str]

every_protocol = pytest.mark.parametrize("protocol", ASKED.values(), ids=ASKED)
randomly = settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def draw_answers(data: st.DataObject, protocol: Protocol, put: tuple[Question, ...]) -> Answers:
    """Valid answers to every question that arises, gates included."""
    answers: Answers = {}
    for question in put:
        if not question.is_put(answers):
            continue
        taken = answers.get(protocol.aspect(question.aspect).unlike)
        values = st.sampled_from([value for value in question.kind.values if value != taken] or [""])
        answers[question.name] = data.draw(TEXTS if question.kind.is_written else values, label=question.name)
    return answers


def expected(protocol: Protocol, put: tuple[Question, ...], answers: Answers) -> tuple[ScreenAnswer, ...]:
    if protocol.elicitation == "direct":
        return tuple(ScreenAnswer(q.aspect, answers[q.name].strip(), q.response) for q in put if q.name in answers)
    return tuple(_in_steps(aspect.name, answers) for aspect in protocol.aspects)


def _in_steps(aspect: str, answers: Answers) -> ScreenAnswer:
    first, second = answers[f"{aspect}.acceptable_1"], answers[f"{aspect}.acceptable_2"]
    alone = {("yes", "no"): "1", ("no", "yes"): "2", ("no", "no"): "both_bad"}
    label = alone.get((first, second)) or answers[f"{aspect}.better"]
    return ScreenAnswer(aspect, label, None, first == "yes", second == "yes")


@every_protocol
@randomly
@given(data=st.data())
def test_valid_answers_are_read_back_exactly(protocol: Protocol, data: st.DataObject) -> None:
    n_responses = data.draw(st.sampled_from(counts(protocol)))
    put = questions(protocol, n_responses)
    answers = draw_answers(data, protocol, put)
    shuffled = dict(data.draw(st.permutations(list(answers.items()))))

    assert read_answers(protocol, shuffled, n_responses=n_responses) == expected(protocol, put, answers)


def without_one(data: st.DataObject, _put: tuple[Question, ...], answers: Answers) -> Broken:
    name = data.draw(st.sampled_from(list(answers)))
    return {other: value for other, value in answers.items() if other != name}, name


def with_an_unknown_value(data: st.DataObject, put: tuple[Question, ...], answers: Answers) -> Broken:
    choices = {q.name: q.kind.values for q in put if q.options and q.name in answers}
    name = data.draw(st.sampled_from(list(choices)))
    value = data.draw(st.text(max_size=12).filter(lambda text: text not in choices[name]))
    return answers | {name: value}, name


def with_an_unknown_name(data: st.DataObject, put: tuple[Question, ...], answers: Answers) -> Broken:
    asked = {question.name for question in put}
    name = data.draw(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from([f"{n}{suffix}" for n in asked for suffix in (".0", ".9", ".1.1", "_", ".better.x")]),
        ).filter(lambda text: text not in asked)
    )
    return answers | {name: "1"}, name


def with_a_child_of_a_closed_gate(data: st.DataObject, put: tuple[Question, ...], answers: Answers) -> Broken:
    closed = [question for question in put if question.options and not question.is_put(answers)]
    assume(closed)
    question = data.draw(st.sampled_from(closed))
    value = data.draw(st.sampled_from(question.kind.values))
    return answers | {question.name: value}, question.name


def with_a_text_too_long(data: st.DataObject, put: tuple[Question, ...], answers: Answers) -> Broken:
    name = data.draw(st.sampled_from([question.name for question in put if question.kind.is_written]))
    return answers | {name: "x" * (MAX_TEXT + data.draw(st.integers(1, 50)))}, name


def with_the_best_as_second_best(_data: st.DataObject, _put: tuple[Question, ...], answers: Answers) -> Broken:
    return answers | {"second_best_system": answers["best_system"]}, "second_best_system"


Breaking = Callable[[st.DataObject, tuple[Question, ...], Answers], Broken]


def ways_to_break(protocol: Protocol) -> list[Breaking]:
    ways: list[Breaking] = [without_one, with_an_unknown_value, with_an_unknown_name]
    put = questions(protocol, counts(protocol)[-1])
    ways += [with_a_child_of_a_closed_gate] if any(question.only_if for question in put) else []
    ways += [with_a_text_too_long] if any(question.kind.is_written for question in put) else []
    ways += [with_the_best_as_second_best] if any(aspect.unlike for aspect in protocol.aspects) else []
    return ways


CASES = [
    pytest.param(protocol, way, id=f"{name} {way.__name__}")
    for name, protocol in ASKED.items()
    for way in ways_to_break(protocol)
]


@pytest.mark.parametrize(("protocol", "way"), CASES)
@randomly
@given(data=st.data())
def test_faulty_answers_are_refused_by_name(protocol: Protocol, way: Breaking, data: st.DataObject) -> None:
    n_responses = data.draw(st.sampled_from([n for n in counts(protocol) if n > 1] or [1]))
    put = questions(protocol, n_responses)
    broken, at_fault = way(data, put, draw_answers(data, protocol, put))

    with pytest.raises(InvalidAnswers) as refusal:
        read_answers(protocol, broken, n_responses=n_responses)

    assert at_fault in refusal.value.errors
