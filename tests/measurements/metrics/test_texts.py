"""Figures of sacreBLEU's and jiwer's own documentation, hand-counted errors, and invariants."""

import pytest
from sacrebleu.metrics.bleu import BLEU

from measurements.metrics import texts
from measurements.metrics.contract import Undefined
from measurements.metrics.normalizing import characters, language_code, normalized
from tests.cases import each

PAIRS = [
    ("The dog bit the man.", "The dog bit the man."),
    ("It wasn't surprising.", "It was not unexpected."),
    ("The man had bitten him just.", "The man bit him first."),
]


@each(
    "text, plain",
    [
        ("  A\tb\n c ", "a b c"),
        ("“Don’t”, she said – twice!", "don't she said twice"),
        ("'quoted' rock'n'roll", "quoted rock'n'roll"),
        ("ﬁne Ｆull", "fine full"),
        ("हिन्दी में", "हिन्दी में"),
        ("5 € + 3", "5 3"),
        ("!?", ""),
    ],
)
def test_text_is_normalized(text: str, plain: str) -> None:
    assert (normalized(text), normalized(normalized(text))) == (plain, plain)


def test_characters_count_without_blanks() -> None:
    assert characters("A b, c!") == "abc"


@each("tag, code", [("de-DE", "de"), ("zh_Hans", "zh"), (None, ""), (" EN ", "en")])
def test_language_is_the_first_part_of_its_tag(tag: str | None, code: str) -> None:
    assert language_code(tag) == code


@each("metric", [texts.bleu, texts.chrf, texts.chrf_plus_plus])
def test_same_text_has_the_highest_score_whatever_its_signs(metric) -> None:
    assert metric("the cat: sat on the MAT", "The cat sat on the mat.") == pytest.approx(100)
    assert metric("xyz", "the cat sat on the mat") == pytest.approx(0, abs=2)


@each("metric", [texts.ter, texts.wer, texts.cer])
def test_same_text_has_no_errors(metric) -> None:
    assert metric("the cat: sat on the MAT", "The cat sat on the mat.") == 0


def test_ter_counts_a_moved_block_once() -> None:
    assert texts.ter("on the mat the cat sat", "the cat sat on the mat") == pytest.approx(100 / 6)


def test_word_and_character_errors_are_counted_by_hand() -> None:
    assert texts.wer("the bat sat", "the cat sat down") == pytest.approx(2 / 4)
    assert texts.cer("ab d", "abc") == pytest.approx(1 / 3)
    assert texts.wer("a b c d e", "a") == pytest.approx(4)


def test_characters_take_the_place_of_words_where_there_are_no_blanks() -> None:
    assert texts.wer("今天天气", "今天天好", "zh-CN") == pytest.approx(1 / 4)
    assert texts.corpus_wer([("今天天气", "今天天好", "zh"), ("好", "好", "zh")]) == pytest.approx(1 / 5)


def test_corpus_scores_are_of_all_texts_at_once() -> None:
    rows = [(*pair, "en") for pair in PAIRS]
    plain = [(normalized(a), normalized(b)) for a, b in PAIRS]

    expected = BLEU().corpus_score([a for a, _ in plain], [[b for _, b in plain]]).score

    assert texts.corpus_bleu(rows) == pytest.approx(expected)
    assert texts.corpus_wer(rows) == pytest.approx((0 + 3 + 3) / (5 + 4 + 5))
    assert texts.corpus_wer(rows) != pytest.approx(sum(texts.wer(a, b) for a, b in PAIRS) / 3)


@each("metric", [texts.bleu, texts.chrf, texts.ter, texts.wer, texts.cer])
def test_empty_reference_has_no_score_and_empty_hypothesis_a_bad_one(metric) -> None:
    with pytest.raises(Undefined, match="reference is empty"):
        metric("something", " .")
    assert metric("", "the cat") == {"bleu": 0, "chrf": 0}.get(metric.__name__, 100 if metric is texts.ter else 1)


def test_empty_references_are_left_out_of_a_corpus() -> None:
    assert texts.corpus_wer([("a", "a", None), ("b", "", None)]) == 0
    with pytest.raises(Undefined, match="every reference"):
        texts.corpus_chrf([("a", "")])


def test_tokeniser_that_is_not_installed_is_said() -> None:
    with pytest.raises(Undefined, match=r"sacrebleu\[ja\]"):
        texts.bleu("犬", "犬", "ja")


def test_several_languages_have_no_common_score() -> None:
    with pytest.raises(Undefined, match="several languages"):
        texts.corpus_bleu([("a", "a", "en"), ("b", "b", "de")])


def test_lengths() -> None:
    assert texts.delta_chars("abcd e", "abc") == 2
    assert texts.delta_words("a b c", "a") == 2
    assert texts.char_length_ratio("abcdef", "abc") == 2
    assert [texts.char_compliant("a" * n, "a" * 10) for n in (8, 9, 10, 11, 12)] == [0, 100, 100, 100, 0]
    assert texts.cps_ratio("abcdef", "abc", 2.0, 3.0) == pytest.approx(3.0)


@each(
    "call, reason",
    [
        (lambda: texts.char_length_ratio("a", ""), "source text is empty"),
        (lambda: texts.cps_ratio("a", "a", 0, 1), "response has no duration"),
        (lambda: texts.cps_ratio("a", "", 1, 1), "source text is empty"),
    ],
)
def test_lengths_of_nothing_are_undefined(call, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        call()
