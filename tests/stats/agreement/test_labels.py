import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stats.agreement.labels import (
    MISSING,
    LabelTable,
    kinds_of,
    label_table,
    merged_ties,
    winners,
    without_ties,
)
from tests.cases import each

LABELS = ("1", "2", "both_good", "both_bad")


def test_label_table_takes_categories_in_their_order_and_none_as_missing():
    table = label_table([["2", None, "both_bad"], ["1", "2", None]], categories=LABELS)
    assert table.categories == LABELS
    assert table.codes.tolist() == [[1, 0], [MISSING, 1], [3, MISSING]]
    assert (table.n_units, table.n_raters) == (3, 2)


def test_label_table_refuses_a_label_outside_the_categories():
    with pytest.raises(ValueError, match="'tie' is none of the categories"):
        label_table([["1", "tie"]], categories=LABELS)


def test_label_table_refuses_columns_of_different_lengths():
    with pytest.raises(ValueError, match="not equally long"):
        label_table([["1"], ["1", "2"]])


@each("codes", [[[4]], [[-2]]])
def test_table_refuses_a_code_without_category(codes):
    with pytest.raises(ValueError, match="points at no category"):
        LabelTable(np.array(codes), LABELS)


def test_table_refuses_a_category_twice_and_a_flat_array():
    with pytest.raises(ValueError, match="stands twice"):
        LabelTable(np.array([[0]]), ("1", "1"))
    with pytest.raises(ValueError, match="a row per unit"):
        LabelTable(np.array([0]), ("1",))


def test_counts_leave_missing_labels_out():
    table = label_table([["1", None], ["1", None], ["2", "both_good"]], categories=LABELS)
    assert table.counts().tolist() == [[2, 1, 0, 0], [0, 0, 1, 0]]


def test_merged_ties_are_one_category_and_missing_stays_missing():
    table = merged_ties(label_table([["1", "both_good", "both_bad", None]], categories=LABELS))
    assert table.categories == ("1", "2", "tie")
    assert table.codes[:, 0].tolist() == [0, 2, 2, MISSING]


def test_without_ties_every_tie_is_missing():
    table = without_ties(label_table([["1", "both_good", "tie", "2"]], categories=(*LABELS, "tie")))
    assert table.categories == ("1", "2")
    assert table.codes[:, 0].tolist() == [0, MISSING, MISSING, 1]


def test_winners_are_all_that_is_no_tie():
    assert winners(label_table([["a"]], categories=("a", "b", "tie", "both_bad"))).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_values_are_the_categories_as_numbers():
    assert label_table([["-1", "3"]], categories=("-3", "-1", "3")).values.tolist() == [-3, -1, 3]
    with pytest.raises(ValueError, match="both_good"):
        _ = label_table([["1"]], categories=LABELS).values


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 5).flatmap(
        lambda width: arrays.arrays(
            np.int64, st.tuples(st.integers(1, 20), st.just(width)), elements=st.integers(0, 9)
        )
    )
)
def test_kinds_put_every_row_back_and_no_two_are_alike(rows):
    kinds = kinds_of(rows)
    assert np.array_equal(kinds.rows[kinds.of_unit], rows)
    assert len({tuple(row) for row in kinds.rows.tolist()}) == len(kinds.rows)


def test_kinds_of_rows_too_wide_for_one_integer():
    rows = np.array([[200] * 40, [0] * 40, [200] * 40])
    kinds = kinds_of(rows)
    assert len(kinds.rows) == 2
    assert np.array_equal(kinds.rows[kinds.of_unit], rows)
