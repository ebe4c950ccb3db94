"""The item, its prompt and its category, where their columns have other names: guessed from what stands in them."""

import re
from collections.abc import Collection
from itertools import pairwise

from corpus.imports.mapping.guessing.profile import ColumnProfile
from infrastructure.whole_numbers import whole_number

SOUND = re.compile(r"\.(wav|flac|mp3|ogg|opus|m4a)$", re.IGNORECASE)
#: A key is one word without what times and addresses have.
KEY = re.compile(r"[\w.#-]{1,40}")
#: Fewer rows say nothing: in two rows, nearly every column has two different values.
FEWEST_ROWS = 3
WORDS_OF_SENTENCE, DIFFERENT = 3, 0.8
MOST_CATEGORIES, ROWS_OF_CATEGORY, LONGEST_CATEGORY = 20, 3, 40


def add_by_values(rows: int, columns: Collection[ColumnProfile], found: dict[str, str]) -> None:
    """Add to `found`, what columns become, the item, the text of its prompt and its category, if they are missing.

    A category is guessed only where a row is an item; in other tables such a column may as well be of systems.
    """
    free = [column for column in columns if column.name not in found and _is_plain(column)]
    n_items = _n_items(rows, columns, found)
    if n_items < FEWEST_ROWS:
        return
    if "item" not in found.values():
        keys = [column for column in free if column.n_distinct == n_items and is_key(column)]
        found |= {column.name: "item" for column in keys[:1]}
    if not {"prompt_text", "prompt_audio"} & set(found.values()):
        _add_only(found, [column for column in free if _are_sentences(column, n_items)], "prompt_text")
    if "category" not in found.values() and n_items == rows and _has_sides(found):
        _add_only(found, [column for column in free if _are_categories(column, rows)], "category")


def _add_only(found: dict[str, str], columns: list[ColumnProfile], becomes: str) -> None:
    """Of several columns that may be it, none is guessed."""
    left = [column.name for column in columns if column.name not in found]
    if len(left) == 1:
        found[left[0]] = becomes


def _n_items(rows: int, columns: Collection[ColumnProfile], found: dict[str, str]) -> int:
    """How many items the table has: as its column of items says, or a row for each, or for each of its systems."""
    by_use = {found[column.name]: column for column in columns if column.name in found}
    if "item" in by_use:
        return by_use["item"].n_distinct
    n_systems = max(by_use["system"].n_distinct, 1) if "system" in by_use else 1
    return rows // n_systems if rows % n_systems == 0 else 0


def _has_sides(found: dict[str, str]) -> bool:
    """Whether a row has the responses of two systems or more."""
    becomes = list(found.values())
    sides = {"system_a", "audio_a"} & set(becomes)
    return bool(sides) or any(becomes.count(it) > 1 for it in ("response_audio", "response_text"))


def _is_plain(column: ColumnProfile) -> bool:
    """Whether it holds words or numbers, and neither sound nor data."""
    return bool(column.samples) and not any(
        SOUND.search(sample) or sample.startswith(("{", "[")) for sample in column.samples
    )


def is_key(column: ColumnProfile) -> bool:
    """Whether its values look like keys: short words, or numbers that are counted on."""
    values = list(column.values) or column.samples
    if column.n_empty or not all(KEY.fullmatch(value) for value in values):
        return False
    return not column.are_numbers or _is_counted(column, values)


def _is_counted(column: ColumnProfile, values: list[str]) -> bool:
    """Whether the numbers are whole, and go on by one from row to row or are not larger than their count."""
    numbers = [whole_number(value) for value in values]
    if None in numbers:
        return False
    first = [whole_number(sample) or 0 for sample in column.samples]
    goes_on = all(after - before == 1 for before, after in pairwise(first))
    return goes_on or max(number or 0 for number in numbers) <= column.n_distinct


def _are_sentences(column: ColumnProfile, n_items: int) -> bool:
    different = DIFFERENT * n_items <= column.n_distinct <= n_items
    values = list(column.values) or column.samples
    return different and not column.are_numbers and all(_is_sentence(value) for value in values)


def _is_sentence(value: str) -> bool:
    return len(value.split()) >= WORDS_OF_SENTENCE


def _are_categories(column: ColumnProfile, rows: int) -> bool:
    few = 1 < column.n_distinct <= min(MOST_CATEGORIES, rows // ROWS_OF_CATEGORY)
    return few and not column.are_numbers and all(0 < len(value) <= LONGEST_CATEGORY for value in column.values)
