import random

import pytest

from corpus.demo.script import DEMO_ITEMS
from judges.kinds.without_models.said_words import is_refusal, longest_loop, word_error_rate, words_of
from tests.cases import each


def edits(one: list[str], other: list[str]) -> int:
    """Levenshtein's distance, written down as it is defined."""
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return edits(one[1:], other[1:])
    return 1 + min(edits(one[1:], other), edits(one, other[1:]), edits(one[1:], other[1:]))


@each("seed", range(30))
def test_word_errors_are_levenshteins(seed: int) -> None:
    rng = random.Random(seed)
    required, said = ([rng.choice("abc") for _ in range(rng.randint(1, 6))] for _ in range(2))

    assert word_error_rate(" ".join(required), " ".join(said)) == edits(required, said) / len(required)


def test_nothing_said_leaves_out_every_word() -> None:
    assert word_error_rate("the future is here", "") == 1.0


def test_no_required_words_is_no_rate() -> None:
    with pytest.raises(ValueError, match="no words"):
        word_error_rate("...", "something")


def test_no_answer_of_the_demo_is_a_refusal_or_a_loop() -> None:
    said = [text for item in DEMO_ITEMS for text in (item.answer, item.wrong_answer)]

    assert [text for text in said if is_refusal(text)] == []
    assert max(longest_loop(words_of(text)) for text in said) < 3


def test_no_answer_of_the_demo_repeats_its_prompt() -> None:
    closest = min(
        word_error_rate(item.prompt, text) for item in DEMO_ITEMS for text in (item.answer, item.wrong_answer)
    )

    assert closest > 0.3
