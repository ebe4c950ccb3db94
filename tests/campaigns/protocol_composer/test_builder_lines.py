import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.protocol_composer.lines import (
    LineFault,
    read_options,
    read_pairs,
    read_words,
    write_options,
    write_pairs,
    write_words,
)
from tests.cases import each

#: Texts as fields give them: without blanks around them, and without the returns that browsers send as new lines.
TEXTS = st.text(st.sampled_from("ab1 |=,\\n\n.é"), max_size=8).map(str.strip)
FILLED = TEXTS.filter(bool)
OPTIONS = st.fixed_dictionaries({"value": FILLED, "label": FILLED, "help": TEXTS})


@given(st.lists(OPTIONS))
def test_options_are_read_as_they_were_written(options: list[dict[str, str]]) -> None:
    assert read_options(write_options(options)) == options


@given(st.dictionaries(FILLED, TEXTS))
def test_pairs_are_read_as_they_were_written(pairs: dict[str, str]) -> None:
    assert read_pairs(write_pairs(pairs)) == pairs


@given(st.lists(FILLED))
def test_words_are_read_as_they_were_written(words: list[str]) -> None:
    assert read_words(write_words(words)) == words


def test_options_are_read_as_people_write_them() -> None:
    text = "1|Too slow| You wait. \r\n\r\n  Yes\n3 | 50 \\| 50 | \n4 | "

    assert read_options(text) == [
        {"value": "1", "label": "Too slow", "help": "You wait."},
        {"value": "Yes", "label": "Yes", "help": ""},
        {"value": "3", "label": "50 | 50", "help": ""},
        {"value": "4", "label": "", "help": ""},
    ]


def test_words_may_stand_on_lines_of_their_own() -> None:
    assert read_words("dimension, capability,\nsource ,, ") == ["dimension", "capability", "source"]


@each(
    "read, text, line",
    [
        (read_options, "1 | a\n\n2 | b | c | d", 3),
        (read_pairs, "heard = yes\nheard", 2),
        (read_pairs, "a = b = c", 1),
        (read_pairs, "\nheard = yes\nheard = no", 3),
    ],
)
def test_line_at_fault_is_told(read: object, text: str, line: int) -> None:
    with pytest.raises(LineFault) as fault:
        read(text)  # type: ignore[operator]

    assert fault.value.line == line
