"""What a mapping says of a table as a whole: which of its rows are read, and what holds for all of them."""

import pytest

from corpus.imports.files.rows import rows_of
from corpus.imports.mapping.mapping import TableMapping, UnusableMapping
from corpus.imports.mapping.rows.mapped import mapped
from corpus.imports.mapping.rows.tally import Tally

SIDES = {"system_a": "one", "system_b": "other"}
LABEL = {"becomes": "answer", "values": {"1": "a", "2": "b"}}


def made(table, **said):
    tally = Tally()
    rows = [row for _, row in mapped(rows_of(table.encode()), TableMapping.from_json(said), tally)]
    return rows, tally


def test_only_rows_of_the_chosen_task_are_read_and_the_others_are_counted():
    said = {"shape": "pairs", "fixed": SIDES, "columns": {"q": {"becomes": "pair"}}, "only": {"task": ["b", "c"]}}

    rows, tally = made("q,task\n1,a\n2,b\n3,c\n4,a\n", **said)

    assert [row["index"] for row in rows] == ["2", "3"]
    assert (tally.rows, tally.rows_left_out) == (4, {"task": {"a": 2}})


def test_systems_that_no_column_names_are_those_of_the_whole_table():
    rows, _ = made("q,n\n1,7\n", shape="pairs", fixed=SIDES, columns={"q": {"becomes": "pair"}})

    assert rows == [{"index": "1", "system_a": "one", "system_b": "other", "annotator": "", "n": "7"}]


def test_pair_that_stands_in_many_rows_is_made_once_with_what_is_the_same_in_all():
    columns = {"q": {"becomes": "pair"}, "who": LABEL}
    table = "q,who,source,level,verdict\n1,1,x,plain,2\n1,1,x,shots,1\n2,2,x,plain,1\n"

    rows, tally = made(table, shape="pairs", fixed=SIDES, columns=columns)

    assert [(row["index"], row["label_overall"], row["source"]) for row in rows] == [("1", "1", "x"), ("2", "2", "x")]
    assert ["level" in row for row in rows] == [False, True]
    assert tally.repeated == 1


def test_rows_of_a_pair_that_say_something_else_of_it_stay_apart():
    columns = {"q": {"becomes": "pair"}, "who": LABEL}

    rows, tally = made("q,who\n1,1\n1,2\n", shape="pairs", fixed=SIDES, columns=columns)

    assert ([row["label_overall"] for row in rows], tally.repeated) == (["1", "2"], 0)


def test_two_scores_are_the_label_of_a_pair():
    scores = {f"mos_{side}": {"becomes": f"score_{side}", "rater": "listeners"} for side in "ab"}

    rows, tally = made(
        "q,mos_a,mos_b\n1,4.5,3\n2,3,3.0\n3,,3\n4,1,2\n", shape="pairs", fixed=SIDES,
        columns={"q": {"becomes": "pair"}} | scores,
    )  # fmt: skip

    assert [row.get("label_overall") for row in rows] == ["1", "tie", None, "2"]
    assert [row["annotator"] for row in rows] == ["listeners", "listeners", "", "listeners"]
    assert tally.empty == {"mos_a": 1}


def test_question_of_an_answer_can_stand_in_a_column():
    columns = {
        "q": {"becomes": "item"}, "s": {"becomes": "system"}, "what": {"becomes": "aspect"},
        "v": {"becomes": "answer", "others": "="},
    }  # fmt: skip

    rows, _ = made("q,s,what,v\n1,x,clarity,4\n1,x,,3\n", shape="answers", columns=columns)

    assert [(row["aspect"], row["value"]) for row in rows] == [("clarity", "4"), ("overall", "3")]


@pytest.mark.parametrize(
    "said",
    [
        {"only": {"task": "b"}},
        {"only": {"task": []}},
        {"only": ["task"]},
        {"fixed": {"colour": "red"}},
        {"fixed": {"system": "x" * 201}},
        {"fixed": "one"},
    ],
)
def test_nonsense_about_the_whole_table_is_refused(said):
    with pytest.raises(UnusableMapping):
        TableMapping.from_json({"shape": "pairs", "columns": {}} | said)


def test_mapping_comes_back_from_json_as_it_was():
    said = {
        "shape": "verdicts",
        "columns": {"q": {"becomes": "item"}, "v": {"becomes": "answer", "order": "BA", "condition": "babble"}},
        "only": {"task": ["b"]}, "fixed": {"judge": "m"},
    }  # fmt: skip

    assert TableMapping.from_json(said).as_json() == said


def test_what_holds_for_the_table_has_to_fit_its_kind():
    faults = TableMapping.from_json({"shape": "pairs", "columns": {}, "fixed": SIDES | {"judge": "m"}}).faults([])

    assert [why.code for _, why in faults] == ["fixed_not_in_shape"]


def test_decimal_commas_of_two_scores_are_counted():
    mapping = TableMapping.from_json(
        {"shape": "pairs", "columns": {"item": {"becomes": "item"}, "a": {"becomes": "system_a"},
                                       "b": {"becomes": "system_b"}, "one": {"becomes": "score_a"},
                                       "two": {"becomes": "score_b"}}}
    )  # fmt: skip
    rows = [(n, {"item": str(n), "a": "A", "b": "B", "one": one, "two": "3"}) for n, one in enumerate(["3,5", "2.5"])]
    tally = Tally()

    made = [row["label_overall"] for _, row in mapped(rows, mapping, tally)]
    assert (made, tally.commas) == (["1", "2"], {"one": 1})
