import pytest

from campaigns.protocols import SHIPPED, InvalidAnswers, ScreenAnswer, questions, read_answers
from campaigns.protocols.typed_ties import typed_tie

DIRECT = {"content": "1", "voice_quality": "2", "paralinguistics": "both_bad", "overall": "both_good"}


def guided(first: str, second: str, better: str | None = None) -> dict[str, str]:
    clicked = {}
    for aspect in SHIPPED["hcot-guided"].aspects:
        clicked[f"{aspect.name}.acceptable_1"] = first
        clicked[f"{aspect.name}.acceptable_2"] = second
        if better:
            clicked[f"{aspect.name}.better"] = better
    return clicked


@pytest.mark.parametrize(
    ("first", "second", "better", "label"),
    [
        (True, False, None, "1"),
        (False, True, None, "2"),
        (False, False, None, "both_bad"),
        (True, True, "1", "1"),
        (True, True, "2", "2"),
        (True, True, "both_good", "both_good"),
    ],
)
def test_typed_tie_follows_the_papers_five_steps(first: bool, second: bool, better: str | None, label: str) -> None:
    assert typed_tie(acceptable_1=first, acceptable_2=second, better=better) == label


@pytest.mark.parametrize(
    ("first", "second", "better"),
    [(True, True, None), (True, True, "both_bad"), (True, False, "1"), (False, False, "both_good")],
)
def test_typed_tie_refuses_contradictions(first: bool, second: bool, better: str | None) -> None:
    with pytest.raises(ValueError, match="acceptable"):
        typed_tie(acceptable_1=first, acceptable_2=second, better=better)


def test_read_answers_takes_one_answer_per_aspect_in_order() -> None:
    answers = read_answers(SHIPPED["hcot"], DIRECT)

    assert answers == {name: ScreenAnswer(value) for name, value in DIRECT.items()}
    assert list(answers) == ["content", "voice_quality", "paralinguistics", "overall"]


def test_read_answers_derives_the_label_and_keeps_acceptability() -> None:
    answers = read_answers(SHIPPED["hcot-guided"], guided("yes", "no"))

    assert set(answers.values()) == {ScreenAnswer("1", acceptable_1=True, acceptable_2=False)}


@pytest.mark.parametrize("missing", ["content", "overall"])
def test_read_answers_names_the_missing_aspect(missing: str) -> None:
    clicked = {name: value for name, value in DIRECT.items() if name != missing}

    with pytest.raises(InvalidAnswers) as refusal:
        read_answers(SHIPPED["hcot"], clicked)

    assert list(refusal.value.errors) == [missing]


@pytest.mark.parametrize("value", ["a", "tie", "", "3", "1 "])
def test_read_answers_refuses_values_off_the_scale(value: str) -> None:
    with pytest.raises(InvalidAnswers) as refusal:
        read_answers(SHIPPED["hcot"], DIRECT | {"content": value})

    assert refusal.value.errors == {"content": f"Content: {value!r} is not one of the choices."}


def test_read_answers_refuses_a_comparison_with_an_unacceptable_response() -> None:
    with pytest.raises(InvalidAnswers) as refusal:
        read_answers(SHIPPED["hcot-guided"], guided("no", "no", better="1"))

    assert list(refusal.value.errors) == [f"{a.name}.better" for a in SHIPPED["hcot-guided"].aspects]


def test_questions_of_the_guided_elicitation_put_the_comparison_last() -> None:
    put = [question.name for question in questions(SHIPPED["hcot-guided"])][:3]

    assert put == ["content.acceptable_1", "content.acceptable_2", "content.better"]
