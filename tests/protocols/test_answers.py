import pytest

from protocols import SHIPPED, Aspect, InvalidAnswers, Protocol, ScreenAnswer, for_item, read_answers
from protocols.kinds.typed_tie import typed_tie
from protocols.kinds.written import MAX_TEXT
from protocols.scales.named import FORCED_CHOICE, TEXT, YES_NO
from tests.cases import each

DIRECT = {"content": "1", "voice_quality": "2", "paralinguistics": "both_bad", "overall": "both_good"}
GUIDED = SHIPPED["hcot_guided"]


def guided(first: str, second: str, better: str | None = None) -> dict[str, str]:
    clicked = {}
    for aspect in GUIDED.aspects:
        clicked[f"{aspect.name}.acceptable_1"] = first
        clicked[f"{aspect.name}.acceptable_2"] = second
        if better:
            clicked[f"{aspect.name}.better"] = better
    return clicked


def errors(protocol: Protocol, clicked: dict[str, str], *, n_responses: int = 2) -> dict[str, str]:
    with pytest.raises(InvalidAnswers) as refusal:
        read_answers(protocol, clicked, n_responses=n_responses)
    return refusal.value.errors


@each(
    "first, second, better, label",
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


@each(
    "first, second, better",
    [(True, True, None), (True, True, "both_bad"), (True, False, "1"), (False, False, "both_good")],
)
def test_typed_tie_refuses_contradictions(first: bool, second: bool, better: str | None) -> None:
    with pytest.raises(ValueError, match="acceptable"):
        typed_tie(acceptable_1=first, acceptable_2=second, better=better)


def test_read_answers_takes_one_answer_per_aspect_in_order() -> None:
    answers = read_answers(SHIPPED["hcot"], dict(reversed(DIRECT.items())), n_responses=2)

    assert answers == tuple(ScreenAnswer(name, value) for name, value in DIRECT.items())


def test_read_answers_derives_the_label_and_keeps_acceptability() -> None:
    answers = read_answers(GUIDED, guided("yes", "no"), n_responses=2)

    assert answers == tuple(
        ScreenAnswer(name, "1", acceptable_1=True, acceptable_2=False)
        for name in ("content", "voice_quality", "paralinguistics", "overall")
    )


@each("missing", ["content", "overall"])
def test_read_answers_names_the_missing_aspect(missing: str) -> None:
    clicked = {name: value for name, value in DIRECT.items() if name != missing}

    assert list(errors(SHIPPED["hcot"], clicked)) == [missing]


@each("value", ["a", "tie", "", "3", "1 "])
def test_read_answers_refuses_values_off_the_scale(value: str) -> None:
    refused = errors(SHIPPED["hcot"], DIRECT | {"content": value})

    assert refused == {"content": f"Content: {value!r} is not one of the choices."}


def test_read_answers_refuses_a_comparison_with_an_unacceptable_response() -> None:
    refused = errors(GUIDED, guided("no", "no", better="1"))

    assert list(refused) == [f"{aspect.name}.better" for aspect in GUIDED.aspects]


def test_read_answers_keeps_what_belongs_to_which_response() -> None:
    dubbing = SHIPPED["dubbing"]
    clicked = {f"{a.name}.{place}": str(place) for a in dubbing.aspects if a.per_response for place in (1, 2)}

    answers = read_answers(dubbing, clicked | {"best_system": "2", "second_best_system": "1"}, n_responses=2)

    assert answers[:2] == (ScreenAnswer("lip_sync", "1", 1), ScreenAnswer("lip_sync", "2", 2))
    assert answers[-2:] == (ScreenAnswer("best_system", "2"), ScreenAnswer("second_best_system", "1"))


def test_read_answers_skips_what_a_failed_gate_closes() -> None:
    rubric = for_item(SHIPPED["rubric"], {"dimension": "ambient", "criteria": ["Does it mention the rain?"]})

    assert read_answers(rubric, {"intelligible": "no"}, n_responses=1) == (ScreenAnswer("intelligible", "no"),)
    assert "on_topic" in errors(rubric, {"intelligible": "no", "on_topic": "yes"}, n_responses=1)
    assert "item_1" in errors(rubric, {"intelligible": "yes"}, n_responses=1)


def test_read_answers_trims_texts_and_refuses_empty_ones() -> None:
    arena = SHIPPED["arena"]

    answers = read_answers(arena, {"overall": "1", "reason": "  Warmer.\n"}, n_responses=2)

    assert answers == (ScreenAnswer("overall", "1"), ScreenAnswer("reason", "Warmer."))
    assert list(errors(arena, {"overall": "1", "reason": " \n"})) == ["reason"]


@each("text", ["x" * (MAX_TEXT + 1), "a\x00b"])
def test_read_answers_refuses_texts_that_cannot_be_kept(text: str) -> None:
    assert list(errors(SHIPPED["arena"], {"overall": "1", "reason": text})) == ["reason"]


@each("left_out", [{}, {"more": "", "sure": ""}, {"more": "  "}])
def test_read_answers_lets_optional_aspects_be_left_out(left_out: dict[str, str]) -> None:
    protocol = Protocol(
        "p",
        "1",
        "P",
        "Listen.",
        (
            Aspect("overall", "Overall", "Which?", FORCED_CHOICE),
            Aspect("sure", "Sure", "Sure?", YES_NO, required=False),
            Aspect("more", "More", "What else?", TEXT, required=False),
        ),
    )

    assert read_answers(protocol, {"overall": "1", **left_out}, n_responses=2) == (ScreenAnswer("overall", "1"),)


def test_read_answers_compares_unlike_aspects_of_the_same_response() -> None:
    protocol = Protocol(
        "p",
        "1",
        "P",
        "Listen.",
        (
            Aspect("first", "First", "First?", YES_NO, per_response=True),
            Aspect("other", "Other", "Other?", YES_NO, per_response=True, unlike="first"),
        ),
        unit="item",
    )
    clicked = {"first.1": "yes", "first.2": "no", "other.1": "no", "other.2": "no"}

    assert errors(protocol, clicked) == {"other.2": "Other of response 2: choose another than for First."}
