"""The table of answers, written and read: what goes into a cell comes out of it, and what cannot be is refused."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from string import ascii_lowercase

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from corpus.imports.files.rows import read_rows
from corpus.models import Item, Label, LabelSet, Response, System, Unit
from corpus.tidy.columns import MAX_TEXT
from corpus.tidy.given import MOST_CONFIDENCE, Given
from corpus.tidy.reading import FaultyCells, read_row
from corpus.tidy.rows import (
    LONGEST,
    NEEDED_COLUMNS,
    TIDY_COLUMNS,
    Origin,
    TidyAnswer,
    TidyRow,
    TidyUnit,
    is_table_of_answers,
)
from corpus.tidy.writing import header_line, line_of
from infrastructure.files.csv_files import csv_line, harmless, plain
from protocols import CONFIDENCE
from protocols.kinds import written
from tests.cases import each
from tests.paths import PROJECT

#: Texts that spreadsheets, CSV and files of lines trip over.
PIECES = st.sampled_from(
    [
        "'",
        "''",
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        "\r\n",
        '"',
        ",",
        ";",
        "1",
        "-3",
        "0.5",
        "é",
        "😀",
        "\u2028",
        " ",
    ]
)
KEPT = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
NASTY = st.lists(PIECES, max_size=6).map("".join) | st.text(KEPT, max_size=20)
NASTY_NAMES = NASTY.filter(bool)
TIMES = st.integers(0, 9 * 10**14).map(lambda us: datetime(2001, 1, 1, tzinfo=UTC) + timedelta(microseconds=us))
SHARES = st.floats(0, 1).map(lambda share: round(share, 3))
SECONDS = st.floats(0, 1e6).map(lambda seconds: round(seconds, 3))


@st.composite
def tidy_rows(draw: st.DrawFn) -> TidyRow:
    kind = draw(st.sampled_from(["pair", "single", "item"]))
    slots = ascii_lowercase[: {"pair": 2, "single": 1, "item": draw(st.integers(2, 5))}[kind]]
    names = st.fixed_dictionaries(dict.fromkeys(slots, NASTY_NAMES))
    clips = st.tuples(st.sampled_from(["prompt", *slots]), st.integers(1, 100)).map("{0[0]}-{0[1]}".format)
    heard = st.dictionaries(
        clips, st.fixed_dictionaries({"coverage": SHARES, "plays": st.integers(0, 99)}), max_size=4
    )
    mark = st.fixed_dictionaries({
        "slot": st.sampled_from(["prompt", *slots]), "turn": st.integers(1, 100), "start": st.floats(0, 5),
        "end": st.floats(5, 600), "kind": st.sampled_from(["glitch", "cut_off"]),
    })  # fmt: skip
    shown_at = draw(st.none() | TIMES)
    clips_heard = draw(heard)
    counted = {"played_s": draw(SECONDS), "switches": draw(st.integers(0, 99)), "hidden_s": draw(SECONDS)}
    acceptable = (
        draw(st.tuples(st.booleans(), st.booleans()) | st.just((None, None))) if kind == "pair" else (None,) * 2
    )
    return TidyRow(
        Origin(*(draw(NASTY) for _ in range(3))),
        TidyUnit(draw(NASTY_NAMES), kind, draw(NASTY_NAMES), draw(NASTY), draw(names), draw(names | st.just({}))),
        Given(
            annotator=draw(NASTY),
            order="".join(draw(st.permutations(slots) | st.just(""))),
            shown_at=shown_at,
            recorded_at=shown_at and draw(TIMES),
            revision=draw(st.none() | st.integers(1, 99)),
            confidence=draw(st.none() | st.integers(1, 3)),
            flag=draw(NASTY),
            marks=tuple(draw(st.lists(mark, max_size=3))),
            listening=({"clips": clips_heard} if clips_heard else {}) | draw(st.sampled_from([{}, counted])),
            language=draw(st.sampled_from(["", "en", "de-ch"])),
        ),
        TidyAnswer(draw(NASTY_NAMES), draw(st.sampled_from(["", *slots])), draw(NASTY_NAMES), *acceptable),
    )


def read_back(text: str, folder: Path) -> list[dict[str, str]]:
    """The cells of a file with this text, as the import reads them."""
    path = folder / "table"
    path.write_bytes(text.encode())
    return [row for _, row in read_rows(path)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


# -- cells -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(NASTY)
@example("'=1")
@example("''=1")
@example("-3")
@example("'-3")
@example("'tis")
@example("-٣")
def test_plain_is_the_inverse_of_harmless(text: str) -> None:
    assert plain(harmless(text)) == text


@settings(deadline=None)
@given(NASTY)
def test_no_harmless_cell_begins_like_a_formula_unless_it_is_a_number(text: str) -> None:
    cell = harmless(text)

    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r") or float(cell) is not None


@each(
    "text, cell",
    [("=cmd()", "'=cmd()"), ("'=cmd()", "''=cmd()"), ("\rx", "'\rx"), ("-3", "-3"), ("+3", "'+3"), ("'tis", "'tis")],
)
def test_cell_is_escaped_as_spreadsheets_need_it(text: str, cell: str) -> None:
    assert harmless(text) == cell


@settings(deadline=None)
@given(st.lists(NASTY, min_size=2, max_size=len(TIDY_COLUMNS)))
def test_texts_in_cells_are_read_as_they_were_written(folder: Path, texts: list[str]) -> None:
    cells = [*texts, *[""] * (len(TIDY_COLUMNS) - len(texts))]

    [row] = read_back(header_line() + csv_line(cells), folder)

    assert [plain(cell) for cell in row.values()] == cells


# -- rows ------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(tidy_rows())
def test_row_is_read_as_it_was_written(folder: Path, row: TidyRow) -> None:
    [cells] = read_back(header_line() + line_of(row), folder)

    assert read_row(cells) == row
    assert line_of(read_row(cells)) == line_of(row)


def test_json_is_written_in_one_order_whatever_order_it_comes_in() -> None:
    """PostgreSQL and SQLite keep the names of an object in different orders."""
    mark = {"slot": "a", "turn": 1, "start": 0.0, "end": 1.0, "kind": "noise"}
    heard = {"b-1": {"coverage": 1.0, "plays": 1}, "a-10": {"coverage": 0.5, "plays": 2}}
    heard |= {"a-2": {"coverage": 0.0, "plays": 0}, "prompt-1": {"coverage": 0.1, "plays": 3}}
    unit = TidyUnit("u", "pair", "i", "", {"b": "B", "a": "A"}, {"b": "2", "a": "1"})
    backwards = dict(reversed(mark.items()))
    row = TidyRow(
        Origin(), unit, Given("r", marks=(backwards,), listening={"clips": heard}), TidyAnswer("x", "", "y")
    )

    [cells] = csv.DictReader(io.StringIO(header_line() + line_of(row)))

    assert (cells["systems"], cells["responses"]) == ('{"a": "A", "b": "B"}', '{"a": "1", "b": "2"}')
    assert cells["marks"] == '[{"slot": "a", "turn": 1, "start": 0.0, "end": 1.0, "kind": "noise"}]'
    assert cells["plays"] == '{"prompt-1": 3, "a-2": 0, "a-10": 2, "b-1": 1}'


PAIR = {
    "unit": "q1 | alpha | beta", "kind": "pair", "item": "q1", "systems": '{"a": "alpha", "b": "beta"}',
    "annotator": "A1", "aspect": "overall", "value": "a",
}  # fmt: skip


def test_row_needs_no_more_than_the_needed_columns() -> None:
    read = read_row(PAIR)

    assert read == TidyRow(
        Origin(),
        TidyUnit("q1 | alpha | beta", "pair", "q1", "", {"a": "alpha", "b": "beta"}, {}),
        Given("A1"),
        TidyAnswer("overall", "", "a"),
    )
    assert set(PAIR) == set(NEEDED_COLUMNS)


def test_cells_as_a_spreadsheet_writes_them_are_read() -> None:
    read = read_row(PAIR | {"acceptable_a": "TRUE", "acceptable_b": "FALSE", "shown_at": "2026-01-31T12:00+01:00",
                            "recorded_at": "2026-01-31 11:00:05Z", "seconds": "5"})  # fmt: skip

    assert (read.answer.acceptable_a, read.answer.acceptable_b) == (True, False)
    assert read.given.shown_at == datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=1)))
    assert read.given.seconds == 5


MARK = '{"slot": "a", "turn": 1, "start": 0, "end": 1, "kind": "noise"}'
NO_TIME = "is no time with its offset, like 2026-01-31T12:00:00+00:00."


@each(
    "cells, column, message",
    [
        ({"unit": ""}, "unit", "The cell unit is empty."),
        ({"unit": "x" * 501}, "unit", "The cell unit has 501 characters; at most 500 are kept."),
        ({"item": ""}, "item", "The cell item is empty."),
        ({"aspect": ""}, "aspect", "The cell aspect is empty."),
        ({"aspect": "x" * 61}, "aspect", "The cell aspect has 61 characters; at most 60 are kept."),
        ({"value": ""}, "value", "The cell value is empty."),
        ({"value": "x" * 2001}, "value", "The cell value has 2001 characters; at most 2000 are kept."),
        ({"flag": "x" * 2001}, "flag", "The cell flag has 2001 characters; at most 2000 are kept."),
        ({"kind": "triple"}, "kind", "'triple' is none of pair, single, item."),
        ({"kind": "single"}, "systems", "A unit of kind single cannot have the slots a, b."),
        ({"systems": ""}, "systems", "A unit of kind pair cannot have the slots ."),
        ({"systems": '{"a": "alpha"}'}, "systems", "A unit of kind pair cannot have the slots a."),
        ({"kind": "item", "systems": '{"a": "x"}'}, "systems",
         "A unit of kind item cannot have the slots a."),
        ({"responses": '{"a": "1"}'}, "responses", "The slots of responses are not those of systems."),
        ({"order": "aa"}, "order", "The order 'aa' does not name every slot once."),
        ({"slot": "c"}, "slot", "The unit has no slot 'c'."),
        ({"system_a": "beta"}, "system_a", "'beta' is not what systems and slot say."),
        ({"system": "alpha"}, "system", "'alpha' is not what systems and slot say."),
        ({"slot": "a", "system": "beta"}, "system", "'beta' is not what systems and slot say."),
        ({"acceptable_a": "yes"}, "acceptable_a", "'yes' is neither True nor False."),
        ({"acceptable_a": "True"}, "acceptable_a",
         "Acceptability is said of both responses of a pair, or of neither."),
        ({"confidence": "4"}, "confidence", "'4' is no whole number from 1 to 3."),
        ({"revision": "0"}, "revision", "'0' is no whole number from 1 to 10000."),
        ({"revision": "1.5"}, "revision", "'1.5' is no whole number from 1 to 10000."),
        ({"shown_at": "yesterday"}, "shown_at", f"'yesterday' {NO_TIME}"),
        ({"recorded_at": "2026-01-31T12:00:00"}, "recorded_at", f"'2026-01-31T12:00:00' {NO_TIME}"),
        ({"shown_at": "0001-01-01T00:00+23:00"}, "shown_at", f"'0001-01-01T00:00+23:00' {NO_TIME}"),
        ({"shown_at": "2026-01-31T12:00Z"}, "recorded_at", "There is shown_at, and no recorded_at."),
        ({"purpose": "Gold"}, "purpose", "'Gold' is not a word of at most 12 small letters."),
        ({"propensity": "0"}, "propensity", "'0' is no number from 1e-12 to 1."),
        ({"propensity": "0,5"}, "propensity",
         "'0,5' is no number from 1e-12 to 1. Write decimals with a point: 0.5."),
        ({"excluded": "gold"}, "excluded_by", "Of excluded and excluded_by, only one is there."),
        ({"excluded": "gold", "excluded_by": "ann"}, "excluded_by", "'ann' is none of , person, rule."),
        ({"seconds": "5"}, "seconds", "The seconds are not those from shown_at to recorded_at."),
        ({"seconds": "nan"}, "seconds", "'nan' is no number from -1e+09 to 1e+09."),
        ({"played_s": "inf"}, "played_s", "'inf' is no number from 0 to 1e+09."),
        ({"hidden_s": "-1"}, "hidden_s", "'-1' is no number from 0 to 1e+09."),
        ({"switches": "½"}, "switches", "'½' is no whole number from 0 to 999999999."),
        ({"coverage": '{"a-1": 1}'}, "plays", "The clips of plays are not those of coverage."),
    ],
)  # fmt: skip
def test_cell_that_says_what_cannot_be_is_refused_by_its_column(
    cells: dict[str, str], column: str, message: str
) -> None:
    with pytest.raises(FaultyCells) as faulty:
        read_row(PAIR | cells)

    assert faulty.value.errors[column] == message


BY_SLOT, BY_CLIP = (
    'it is to be an object by slot, as in {"a": "…"}',
    'it is to be an object by clip, as in {"a-1": 1}',
)


@each(
    "cells, column, message",
    [
        ({"systems": '{"a": "alpha"'}, "systems", "Expecting ',' delimiter: line 1 column 14 (char 13)"),
        ({"systems": '["alpha", "beta"]'}, "systems", BY_SLOT),
        ({"systems": '{"a": "x", "B": "y"}'}, "systems", BY_SLOT),
        ({"systems": '{"a": "x", "a": "y"}'}, "systems", "a name stands twice in it"),
        ({"systems": '{"a": "x", "b": 3}'}, "systems", "'3' is to be a text"),
        ({"systems": '{"a": "x", "b": "\\u0000"}'}, "systems", "a text holds a NUL character"),
        ({"systems": '{"a": "x", "b": "\\ud800"}'}, "systems", "a text holds half a surrogate pair"),
        ({"marks": "{}"}, "marks", "it is to be a list of marks"),
        ({"marks": "[1]"}, "marks", "a mark has slot, turn, start, end, kind, and nothing else"),
        ({"marks": f"[{MARK.replace('noise', '')}]"}, "marks", "'' is to be a text"),
        ({"marks": f"[{MARK.replace('1,', '0,', 1)}]"}, "marks", "there is no turn '0'"),
        ({"marks": f"[{MARK.replace('1,', 'true,', 1)}]"}, "marks", "there is no turn 'True'"),
        ({"marks": f"[{MARK.replace(chr(34) + 'a' + chr(34), '[]')}]"}, "marks", "there is no slot '[]'"),
        ({"marks": f"[{MARK.replace('0', '2')}]"}, "marks", "1 does not lie between 2 and 1e+09"),
        ({"marks": f"[{MARK.replace('0', 'NaN')}]"}, "marks", "NaN is not a number"),
        ({"marks": f"[{MARK.replace('0', '9' * 400)}]"}, "marks", f"{'9' * 40} does not lie between 0 and 1e+09"),
        ({"coverage": '{"a-1": 1.1}', "plays": '{"a-1": 1}'}, "coverage", "1.1 does not lie between 0 and 1"),
        ({"coverage": '{"a-1": true}', "plays": '{"a-1": 1}'}, "coverage", "'True' is to be a number"),
        ({"coverage": '{"a-1": 1}', "plays": '{"a-1": 1.5}'}, "plays", "'1.5' is to be a whole number"),
        ({"coverage": '{"c-1": 1}', "plays": '{"c-1": 1}'}, "coverage", "there is no slot 'c'"),
        ({"coverage": '{"a": 1}', "plays": '{"a": 1}'}, "coverage", "there is no turn ''"),
        ({"coverage": '{"a-101": 1}', "plays": '{"a-101": 1}'}, "coverage", "there is no turn '101'"),
        ({"coverage": "[]", "plays": "[]"}, "coverage", BY_CLIP),
    ],
)  # fmt: skip
def test_cell_of_json_that_says_what_cannot_be_is_refused_by_its_column(
    cells: dict[str, str], column: str, message: str
) -> None:
    with pytest.raises(FaultyCells) as faulty:
        read_row(PAIR | cells)

    assert faulty.value.errors[column] == f"The cell {column} cannot be read as JSON: {message}."


def test_endlessly_nested_json_is_refused() -> None:
    with pytest.raises(FaultyCells) as faulty:
        read_row(PAIR | {"marks": "[" * 90_000})

    assert list(faulty.value.errors) == ["marks"]


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(TIDY_COLUMNS), NASTY | st.sampled_from(["[]", "{}", "[{}]", "null", "NaN", MARK]))
)
def test_any_cells_are_a_row_or_refused(cells: dict[str, str]) -> None:
    try:
        row = read_row(PAIR | cells)
    except FaultyCells:
        return
    assert read_row(next(csv.DictReader(io.StringIO(header_line() + line_of(row), newline="")))) == row


# -- columns ---------------------------------------------------------------------------------------------------


def test_reference_describes_every_column_in_its_order() -> None:
    page = (PROJECT / "docs" / "reference" / "table-of-answers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", page, re.MULTILINE)

    assert [name for name, _ in rows] == list(TIDY_COLUMNS)
    assert {name for name, part in rows if part == "needed"} == set(NEEDED_COLUMNS)


@each(
    "columns, expected",
    [
        (TIDY_COLUMNS, True),
        (NEEDED_COLUMNS, True),
        (NEEDED_COLUMNS[2:], True),
        (NEEDED_COLUMNS[3:], False),
        (("item", "system", "prompt_text", "response_audio"), False),
        (("index", "item", "annotator", "model_a", "model_b", "label_overall"), False),
    ],
)
def test_table_of_answers_is_known_by_its_columns(columns: tuple[str, ...], expected: bool) -> None:
    assert is_table_of_answers(columns) is expected


@each(
    "column, model, field",
    [
        ("campaign", LabelSet, "from_campaign"),
        ("protocol", LabelSet, "protocol"),
        ("protocol_digest", LabelSet, "protocol_digest"),
        ("annotator", LabelSet, "rater"),
        ("unit", Unit, "key"),
        ("item", Item, "key"),
        ("category", Item, "category"),
        ("systems", System, "name"),
        ("responses", Response, "key"),
        ("aspect", Label, "aspect"),
    ],
)
def test_longest_cell_fits_its_column(column: str, model: type, field: str) -> None:
    assert model._meta.get_field(field).max_length == LONGEST[column]


def test_table_holds_what_protocols_take() -> None:
    """The table knows no protocols; what they take has to fit into it."""
    assert (written.MAX_TEXT, len(CONFIDENCE.options)) == (MAX_TEXT, MOST_CONFIDENCE)
