import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus.imports.files.rows import UnreadableManifest, read_rows, stream_rows
from corpus.imports.reasons import NO_HEADER
from corpus.tidy.rows import NEEDED_COLUMNS
from infrastructure.wording.reasons import reason_of
from tests.cases import each

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@pytest.fixture
def read(tmp_path):
    """A function: the rows of a manifest with this content."""

    def read_text(content):
        path = tmp_path / "manifest"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_rows(path)

    return read_text


@pytest.fixture
def refusal(read):
    """A function: the sentence with which a manifest with this content is refused."""

    def refuse(content):
        with pytest.raises(UnreadableManifest) as refused:
            read(content)
        json.dumps(reason_of(refused.value).as_json(), allow_nan=False)  # a row can hold it
        return str(refused.value)

    return refuse


def test_csv_reads_to_rows_numbered_without_the_header(read):
    text = 'item,system,prompt_text\nq1,alpha,"one, ""two""\nthree"\n\nq2,beta,\n'

    assert read(text) == [
        (1, {"item": "q1", "system": "alpha", "prompt_text": 'one, "two"\nthree'}),
        (2, {"item": "q2", "system": "beta", "prompt_text": ""}),
    ]


MANY = {f"c{n}": n for n in range(1001)}


@each(
    "content",
    [
        json.dumps([MANY]),
        json.dumps(MANY),
        json.dumps([dict(list(MANY.items())[:600]), dict(list(MANY.items())[600:])]),
        ",".join(MANY) + "\n" + ",".join("1" for _ in MANY),
    ],
)
def test_more_than_a_thousand_columns_are_refused_in_every_format(refusal, content):
    assert refusal(content) == "The table has 1001 columns; at most 1000 are read."


def test_more_than_a_thousand_columns_of_parquet_are_refused(refusal, tmp_path):
    pq.write_table(pa.table({name: [n] for name, n in MANY.items()}), tmp_path / "wide")

    assert refusal((tmp_path / "wide").read_bytes()) == "The table has 1001 columns; at most 1000 are read."


def test_columns_of_parquet_have_names_of_their_own(refusal, tmp_path):
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["item", "item"]), tmp_path / "twice")

    assert refusal((tmp_path / "twice").read_bytes()) == "The header names the column item more than once."


@each(
    "table",
    [
        {"item": ["1", "2"], "system": ["A", "B"]},
        {"item": {"0": "1", "1": "2"}, "system": {"0": "A", "1": "B"}},
        {"columns": ["item", "system"], "index": [0], "data": [["1", "A"]]},
    ],
)
def test_json_by_column_is_refused_with_what_to_do(refusal, table, tmp_path):
    assert "orient='records'" in refusal(json.dumps(table))
    path = tmp_path / "manifest"
    with pytest.raises(UnreadableManifest, match="orient='records'"):
        list(stream_rows(path))


def test_single_row_with_a_list_is_a_row(read):
    row = {"item": "1", "system": "A", "tags": ["x"]}

    assert read(json.dumps(row)) == [(1, row)]


def test_csv_header_is_read_without_the_spaces_around_its_names(read):
    assert read("item , system\nq1,alpha\n") == [(1, {"item": "q1", "system": "alpha"})]


def test_csv_columns_without_a_name_are_left_out(read):
    assert read(",item,system,\n0,q1,alpha,\n") == [(1, {"item": "q1", "system": "alpha"})]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_columns_are_parted_as_the_header_has_it(read, tmp_path, delimiter):
    text = 'item~"system, or model"~note\nq1~alpha~"x~y"\nq2~"1,5"~\n'

    rows = read(text.replace("~", delimiter))

    assert rows == [
        (1, {"item": "q1", "system, or model": "alpha", "note": f"x{delimiter}y"}),
        (2, {"item": "q2", "system, or model": "1,5", "note": ""}),
    ]
    assert list(stream_rows(tmp_path / "manifest")) == rows


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_csv_reads_the_same_with_every_kind_of_line_end(read, newline):
    assert read(newline.join(["a,b", "1,2", "3,4", ""])) == [(1, {"a": "1", "b": "2"}), (2, {"a": "3", "b": "4"})]


def test_line_ends_in_cells_become_those_of_unix(read):
    assert read('a,b\r\n1,"x\r\ny\rz"\r\n') == [(1, {"a": "1", "b": "x\ny\nz"})]
    assert read('{"a": 1}\r{"a": 2}\r\n') == [(1, {"a": 1}), (2, {"a": 2})]


def test_line_ends_in_cells_of_answers_stay_as_they_are(read):
    header = ",".join(NEEDED_COLUMNS)

    [(_, row)] = read(f'{header}\r\nu,pair,i,{{}},A1,reason,"x\r\ny\rz\n"\r\n')

    assert row["value"] == "x\r\ny\rz\n"


def test_json_lines_read_to_rows_numbered_by_line(read):
    assert read('{"index": 0}\n\n  {"index": 1, "label": {"overall": "2"}}\n') == [
        (1, {"index": 0}),
        (3, {"index": 1, "label": {"overall": "2"}}),
    ]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_json_line_may_hold_what_unicode_calls_a_line_end(read, sign):
    text = f"first{sign}second"

    assert read(json.dumps({"text": text}, ensure_ascii=False) + '\n{"text": ""}') == [
        (1, {"text": text}),
        (2, {"text": ""}),
    ]


def test_json_array_reads_to_rows_numbered_from_one(read):
    assert read('\n [{"index": 0},\n {"index": 1}]') == [(1, {"index": 0}), (2, {"index": 1})]


@pytest.mark.parametrize("text", ["a,b\n1,é\n", '{"a": "1", "b": "é"}', '[{"a": "1", "b": "é"}]'])
def test_byte_order_mark_is_accepted(read, text):
    assert read(b"\xef\xbb\xbf" + text.encode()) == [(1, {"a": "1", "b": "é"})]


def test_empty_file_is_refused(refusal):
    assert refusal("") == "The manifest is empty (0 bytes)."


@pytest.mark.parametrize("content", [" \n\t\n", b"\xef\xbb\xbf", "item,system\nq1,al\0pha\n"])
def test_file_without_text_is_refused(refusal, content):
    assert refusal(content) == "The manifest holds no text table; give CSV, JSON or JSON Lines."


@pytest.mark.parametrize("text", ["item,system\n", "[]", "item,system\n\n\n"])
def test_table_without_rows_is_refused(refusal, text):
    assert refusal(text) == "The manifest holds no rows."


@pytest.mark.parametrize(
    ("content", "byte"),
    [("item,system\nq1,é\n".encode("latin-1"), 15), ("item,system\n".encode("utf-16"), 0), (b"a,b\n\xc3", 4)],
)
def test_text_that_is_not_utf8_is_refused_with_its_place(refusal, content, byte):
    assert refusal(content) == f"The manifest is not UTF-8 text (byte {byte}). Save it as UTF-8."


def test_manifest_over_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(101 * 1024**2)

    with pytest.raises(UnreadableManifest, match=r"^The manifest has 101 MB; at most 100 MB are read\.$"):
        read_rows(path)


@each(
    "text, message",
    [
        ("a,b\n1,2\n1,2,3\n", "Row 2 has 3 cells and the header has 2 columns."),
        ("a,b,c\n1,2\n", "Row 1 has 2 cells and the header has 3 columns."),
        ("a,b,a\n1,2,3\n", "The header names the column a more than once."),
        ("a,b ,b\n1,2,3\n", "The header names the column b more than once."),
        ("item|system\nq1|alpha\n", NO_HEADER()),
        ("a;b\n1;2;3\n", "Row 1 has 3 cells and the header has 2 columns."),
        ('a;b\n1;"2"x\n', "Line 2 is not valid CSV: ';' expected after '\"'."),
        ("\nitem,system\nq1,alpha\n", NO_HEADER()),
        ("just some prose", NO_HEADER()),
        (",,,\n1,2,3,4\n", NO_HEADER()),
        (",".join(map(str, range(1001))), "The table has 1001 columns; at most 1000 are read."),
        ('a,b\n1,"2\n3,4\n', "Line 3 is not valid CSV: unexpected end of data."),
        ('a,b\n1,"2"x\n', "Line 2 is not valid CSV: ',' expected after '\"'."),
        ("a,b\n1," + 200_000 * "x", "Line 2 is not valid CSV: field larger than field limit (131072)."),
    ],
)
def test_ragged_or_broken_csv_is_refused(refusal, text, message):
    assert refusal(text) == message


@each(
    "text, message",
    [
        ('{"a": 1}\n{"a": }\n', "Line 2 is not a JSON object: Expecting value: line 1 column 7 (char 6)."),
        ('{"a": 1}\n\n[1]\n', "Line 3 is JSON, but not an object."),
        ('[{"a": 1}, 2]', "Entry 2 of the JSON array is not an object."),
        (
            '[{"a": 1},\n{"a" 2}]',
            "The manifest is not valid JSON: Expecting ':' delimiter: line 2 column 6 (char 16).",
        ),
        ('[{"a": 1}', "The manifest is not valid JSON: Expecting ',' delimiter: line 1 column 10 (char 9)."),
    ],
)
def test_broken_json_is_refused_with_its_line(refusal, text, message):
    assert refusal(text) == message


@pytest.mark.parametrize("twice", ['{"a": 1, "b": 2, "a": 3}', '{"c": {"a": 1, "a": 1}}'])
def test_json_with_a_name_twice_in_one_object_is_refused(refusal, twice):
    told = "the name a stands more than once in one object."

    assert refusal(f'{{"a": 1}}\n{twice}') == f"Line 2 is not a JSON object: {told}"
    assert refusal(f"[{twice}]") == f"The manifest is not valid JSON: {told}"


@pytest.mark.parametrize("depth", [30, 950, 100_000])
def test_deeply_nested_json_is_refused(refusal, depth):
    nested = "[" * depth + "]" * depth

    assert refusal(f'{{"a": {nested}}}').startswith("Line 1 is not a JSON object: ")
    assert refusal(f'[{{"a": {nested}}}]').startswith("The manifest is not valid JSON: ")


@each("value", ["NaN", "-Infinity", "1e999", r'"\ud800"', r'"a\u0000"', "[NaN]", "9" * 5000])
def test_json_value_that_no_database_keeps_is_refused(refusal, value):
    assert refusal(f'{{"a": {value}}}').startswith("Line 1 is not a JSON object: ")
    assert refusal(f'[{{"{"b"}": {{"c": {value}}}}}]').startswith("The manifest is not valid JSON: ")


def test_escaped_backslash_before_u0000_is_no_nul(read):
    assert read(r'{"a": "\\u0000"}') == [(1, {"a": r"\u0000"})]


def read_or_refuse(folder, content):
    """The rows, each of which a database must be able to keep, or None."""
    path = folder.getbasetemp() / "fuzzed"
    path.write_bytes(content)
    try:
        found = read_rows(path)
    except UnreadableManifest:
        return None
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    return found


@settings(deadline=None)
@given(content=st.binary() | st.text().map(str.encode))
@example(content=b"{")
@example(content=b'["')
def test_any_bytes_are_rows_or_refused(tmp_path_factory, content):
    read_or_refuse(tmp_path_factory, content)


@settings(deadline=None)
@given(
    start=st.sampled_from(["[", "[{", "{", '{"a":', 'a,b\n"', "a,b\n"]), rest=st.text('[]{}",:\\ud8001e9\n\r\0é a')
)
def test_any_broken_table_is_rows_or_refused(tmp_path_factory, start, rest):
    read_or_refuse(tmp_path_factory, (start + rest).encode())


@settings(deadline=None, max_examples=40)
@given(table=st.lists(st.dictionaries(st.text(), VALUES), min_size=1))
def test_any_json_is_read_as_it_is_or_refused(tmp_path_factory, table):
    numbered = list(enumerate(table, start=1))

    array = read_or_refuse(tmp_path_factory, json.dumps(table).encode())
    lines = read_or_refuse(tmp_path_factory, "\n".join(json.dumps(row) for row in table).encode())

    assert array in (numbered, None)
    assert lines == array
