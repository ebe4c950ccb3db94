"""The check of words that are not to come back."""

from pathlib import Path

import pytest

from config.operations.words import findings, python_lines, read_list, split_name, text_lines


def test_words_of_code_are_found_in_names_comments_and_strings(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('def do_deed() -> str:  # a deed\n    return """first\n    the deeds"""\n')

    found = [(it.line, it.word) for it in findings(python_lines(module), "module.py", read_list("everywhere"))]

    assert found == [(1, "deed"), (1, "deed"), (3, "deeds")]


def test_finding_names_file_line_word_and_the_better_word(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\nSuch a Deed.\n")

    (found,) = findings(text_lines(page), "page.md", read_list("everywhere"))

    assert str(found) == "page.md:3: “Deed”, better: action"


@pytest.mark.parametrize(
    ("name", "words"), [("do_deed", "do deed"), ("doDeed", "do Deed"), ("DEEDS", "DEEDS"), ("indeed", "indeed")]
)
def test_split_name(name: str, words: str) -> None:
    assert split_name(name) == words
