import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import LabelTable, label_table
from stats.judges.ceiling import human_ceiling
from stats.judges.comparison import accuracy
from stats.judges.judged import (
    NO_ANSWER,
    against_the_others,
    majority,
    mean_vote,
    with_no_answer,
    without_each,
)
from tests.cases import each


def a_table(seed: int, *, raters: int = 4, units: int = 60, missing: float = 0.2) -> LabelTable:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, size=(units, raters))
    codes[rng.random(codes.shape) < missing] = -1
    return LabelTable(codes, ("a", "b", "both_good", "both_bad"))


@each("seed", range(5))
def test_labels_against_the_others_are_the_human_ceiling(seed: int) -> None:
    table = a_table(seed)

    found = accuracy(against_the_others(table).table)

    ceiling = human_ceiling(table)
    assert (found.estimate, found.n) == (pytest.approx(ceiling.estimate), ceiling.n)


def test_the_majority_does_not_depend_on_who_said_it() -> None:
    table = a_table(1)

    assert majority(table).tolist() == majority(table.raters(3, 1, 0, 2)).tolist()


def test_nobody_has_no_majority() -> None:
    assert majority(LabelTable(np.zeros((0, 3), dtype=np.int64), ("a", "b"))).tolist() == []
    assert against_the_others(label_table([["1", "2"]])).table.codes.tolist() == [[0, -1], [1, -1]]


def test_a_missing_answer_lowers_kappa_as_one_more_label_would() -> None:
    table = a_table(2, raters=2)
    table = LabelTable(np.where(table.codes[:, [1]] < 0, -1, table.codes), table.categories)

    found = with_no_answer(table)

    used = found.codes[:, 1] >= 0
    assert found.categories[-1] == NO_ANSWER
    assert cohen_kappa(found).estimate == pytest.approx(
        cohen_kappa_score(found.codes[used, 0], found.codes[used, 1], labels=range(5))
    )
    assert cohen_kappa(found).n == int((table.codes[:, 1] >= 0).sum())


def test_votes_are_joined_by_their_mean() -> None:
    nan = np.nan
    votes = np.array([[1, 1, 0], [0.5, 0.5, 0], [1, 0, 0.5], [1, 0, nan], [0.5, nan, nan], [nan, nan, nan]])

    assert np.array_equal(mean_vote(votes), [1, 0, 0.5, 0.5, 0.5, nan], equal_nan=True)


@each("seed", range(3))
def test_what_is_left_without_each_person_is_the_majority_of_the_table_without_them(seed: int) -> None:
    table = a_table(seed)
    found = without_each(table)

    for person in range(table.n_raters):
        codes = table.codes.copy()
        codes[:, person] = -1
        expected = majority(LabelTable(codes, table.categories))
        rows = found.raters == person
        assert found.rows[rows].tolist() == np.flatnonzero(table.codes[:, person] >= 0).tolist()
        assert found.reference[rows].tolist() == expected[found.rows[rows]].tolist()


def test_a_row_about_a_persons_own_label_ends_without_them_and_never_counts_them() -> None:
    table = a_table(4)
    rows = against_the_others(table)
    found = without_each(table, rows.units, rows.raters)

    own = found.raters == rows.raters[found.rows]
    assert (found.reference[own] == -1).all()
    for at in np.flatnonzero(~own)[:50]:
        row = found.rows[at]
        codes = table.codes[[rows.units[row]]].copy()
        codes[0, [rows.raters[row], found.raters[at]]] = -1
        assert found.reference[at] == majority(LabelTable(codes, table.categories))[0]


def test_changes_of_some_places_are_those_of_the_whole() -> None:
    table, places = a_table(5), np.array([7, 3, 3, 40])
    some, whole = without_each(table, places), without_each(table).at(places)

    assert some.rows.tolist() == whole.rows.tolist()
    assert some.raters.tolist() == whole.raters.tolist()
    assert some.reference.tolist() == whole.reference.tolist()
