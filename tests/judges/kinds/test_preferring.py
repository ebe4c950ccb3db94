from judges.kinds.without_models.preferring import Leaning, answer_on, unfit_unless_preferring
from protocols import SHIPPED, questions
from tests.cases import each


def overall(protocol: str) -> object:
    return questions(SHIPPED[protocol], 2)[-1]


@each(
    "leaning, answer",
    [
        (Leaning(4.0, 3.0, margin=0.5), "1"),
        (Leaning(3.0, 4.0, margin=0.5), "2"),
        (Leaning(3.0, 3.5, margin=0.5), "both_good"),
        (Leaning(3.0, 3.0, first_acceptable=False, second_acceptable=False), "both_bad"),
        (Leaning(1.0, 9.0, first_acceptable=False, second_acceptable=False), "both_bad"),
        (Leaning(1.0, 9.0, second_acceptable=False), "1"),
    ],
)
def test_a_typed_tie_follows_the_five_steps(leaning: Leaning, answer: str) -> None:
    assert answer_on(overall("hcot"), leaning, seed=0) == answer


def test_scales_without_types_have_plain_ties() -> None:
    assert answer_on(overall("untyped_tie"), Leaning(1.0, 1.0), seed=0) == "tie"
    assert answer_on(questions(SHIPPED["attributes"], 2)[2], Leaning(1.0, 1.0), seed=0) == "same"


def test_a_forced_choice_between_equals_is_drawn_by_the_seed() -> None:
    drawn = [answer_on(overall("forced_choice"), Leaning(1.0, 1.0), seed=seed) for seed in range(200)]

    assert {value: 60 < drawn.count(value) < 140 for value in set(drawn)} == {"1": True, "2": True}


def test_the_second_is_better_on_a_signed_scale_where_it_scores_more() -> None:
    asked = questions(SHIPPED["ccr"], 2)[0]

    assert [answer_on(asked, Leaning(1.0, score), seed=0) for score in (2.0, 1.0, 0.0)] == ["1", "0", "-1"]


def test_the_order_turned_turns_the_answer() -> None:
    one, other = Leaning(3.0, 4.0, 0.1, True, False), Leaning(4.0, 3.0, 0.1, False, True)

    assert (answer_on(overall("hcot"), one, seed=0), answer_on(overall("hcot"), other, seed=0)) == ("1", "2")


def test_who_compares_does_not_answer_questions_about_single_responses() -> None:
    assert unfit_unless_preferring(SHIPPED["rubric"])
    assert unfit_unless_preferring(SHIPPED["attributes"]) == "It has no rule for Speaker."
    assert unfit_unless_preferring(SHIPPED["hcot_guided"]) is None
    assert unfit_unless_preferring(SHIPPED["hcot"], ("content",)) == "It has no rule for Voice quality."
