import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.ratings.connectivity import core, has_maximum, islands
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, Counts, Votes, count_votes
from tests.cases import each
from tests.stats.simulation import names, simulated_votes, votes_of


def test_counts_keep_the_presented_order_and_the_type_of_ties():
    counts = count_votes(votes_of((0, 1, "1"), (1, 0, "1"), (0, 1, "both_bad"), (1, 0, "both_good"), (0, 1, "2")))
    assert counts.table[0, 1].tolist() == [1, 1, 0, 1]
    assert counts.table[1, 0].tolist() == [1, 0, 1, 0]
    assert counts.wins().tolist() == [[0, 1], [2, 0]]
    assert counts.tied().tolist() == [[0, 2], [2, 0]]
    assert counts.tied(BOTH_BAD).tolist() == [[0, 1], [1, 0]]
    assert counts.scores().tolist() == [[0, 2], [3, 0]]
    assert (counts.n, counts.ties) == (5, "typed")


def test_votes_of_a_system_against_itself_are_counted_and_take_part_in_nothing():
    counts = count_votes(votes_of((0, 0, "1"), (1, 1, "both_bad"), (0, 1, "2")))
    assert (counts.n, counts.n_against_itself) == (3, 2)
    assert counts.wins().tolist() == [[0, 0], [1, 0]]
    assert counts.tied().sum() == 0


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_counting_is_the_same_whatever_the_order_of_votes_and_whatever_the_integers(seed):
    votes = simulated_votes([0, 0.5, 1], 200, seed=seed)
    shuffled = np.random.default_rng(seed).permutation(200)
    small = Votes(
        votes.first[shuffled].astype(np.uint8),
        votes.second[shuffled].astype(np.int16),
        votes.outcome[shuffled].astype(np.uint8),
        votes.systems,
    )
    assert np.array_equal(count_votes(votes).table, count_votes(small).table)


def test_votes_between_some_systems_are_renumbered():
    votes, kept = votes_of((0, 2, "1"), (1, 2, "2"), (3, 2, "both_bad")).between(np.array([2, 3]))
    assert (votes.first.tolist(), votes.second.tolist(), votes.systems) == ([1], [0], ("S2", "S3"))
    assert kept.tolist() == [False, False, True]


def test_counts_between_some_systems_are_those_of_their_votes():
    votes = simulated_votes([0, 0.5, 1, 2], 300)
    places = np.array([1, 3])
    assert np.array_equal(count_votes(votes).between(places).table, count_votes(votes.between(places)[0]).table)


def test_counts_without_both_bad_are_those_of_the_other_votes():
    votes = simulated_votes([0, 0.5, 1], 300)
    kept = votes.where(votes.outcome != BOTH_BAD)
    assert np.array_equal(count_votes(votes).without_both_bad().table, count_votes(kept).table)


def test_ties_without_a_type_are_half_wins_and_cannot_be_both_bad():
    counts = count_votes(Votes(np.array([0, 0]), np.array([1, 1]), np.array([2, 0]), names(2), "untyped"))
    assert counts.ties == "untyped"
    assert counts.scores().tolist() == [[0, 1.5], [0.5, 0]]
    with pytest.raises(ValueError, match="no vote says that both are bad"):
        counts.without_both_bad()


def test_forced_choice_has_no_ties():
    counts = count_votes(Votes(np.array([0]), np.array([1]), np.array([1]), names(2), "none"))
    assert (counts.ties, counts.tied().sum()) == ("none", 0)
    with pytest.raises(ValueError, match="an outcome of 2 where ties are none"):
        Votes(np.array([0]), np.array([1]), np.array([2]), names(2), "none")


@each("first, second, outcome", [([2], [0], [0]), ([0], [-1], [0]), ([0], [1], [4])])
def test_votes_refuse_what_is_not_there(first, second, outcome):
    with pytest.raises(ValueError, match="that is not there"):
        Votes(np.array(first), np.array(second), np.array(outcome), names(2))


def test_votes_refuse_columns_of_different_lengths():
    with pytest.raises(ValueError, match="an outcome each"):
        Votes(np.array([0]), np.array([1]), np.array([0, 1]), names(2))


@each("table", [np.zeros((2, 2, 5), int), np.zeros((3, 3, 4), int), np.full((2, 2, 4), -1)])
def test_counts_refuse_what_counts_nothing(table):
    with pytest.raises(ValueError, match=r"counts no votes|fewer than zero"):
        Counts(table, names(2))


def test_no_votes_are_counted_as_none():
    empty = np.zeros(0, dtype=np.int64)
    counts = count_votes(Votes(empty, empty, empty, names(3)))
    assert (counts.n, counts.table.shape) == (0, (3, 3, 4))


def test_islands_are_what_votes_connect():
    counts = count_votes(votes_of((0, 3, "1"), (1, 4, "both_good"), (4, 1, "2"), systems=6))
    assert [places.tolist() for places in islands(counts.scores())] == [[0, 3], [1, 4], [2], [5]]


@each(
    "rows, expected",
    [
        pytest.param([(0, 1, "1")], False, id="one vote"),
        pytest.param([(0, 1, "1"), (0, 1, "2")], True, id="one each"),
        pytest.param([(0, 1, "both_bad")], True, id="a tie"),
        pytest.param([(0, 1, "1"), (1, 2, "1"), (2, 0, "1")], True, id="a circle"),
        pytest.param([(0, 1, "1"), (1, 0, "1"), (2, 0, "1"), (2, 1, "1")], False, id="one unbeaten"),
        pytest.param([(0, 1, "1"), (1, 0, "1"), (2, 3, "1"), (3, 2, "1"), (0, 2, "1")], False, id="one league above"),
    ],
)
def test_maximum_exists_where_each_group_took_something_from_the_rest(rows, expected):
    assert has_maximum(count_votes(votes_of(*rows)).scores()) is expected


def test_core_is_the_largest_group_in_which_everybody_took_from_everybody():
    rows = [(0, 1, "1"), (1, 2, "1"), (2, 0, "1"), (3, 4, "both_good"), (3, 0, "1"), (5, 0, "1")]
    scores = count_votes(votes_of(*rows)).scores()
    assert core(scores).tolist() == [True, True, True, False, False, False]


@each("rows", [[(0, 1, "1")], [(0, 1, "both_bad"), (2, 3, "both_bad"), (0, 2, "1")]])
def test_there_is_no_core_where_no_group_is_the_largest(rows):
    assert not core(count_votes(votes_of(*rows)).scores()).any()


def test_counts_among_some_keep_the_table_of_all():
    counts = count_votes(simulated_votes([0, 0.5, 1], 300))
    among = counts.among(np.array([True, False, True]))
    assert among.systems == counts.systems
    assert np.array_equal(among.table[0, 2], counts.table[0, 2])
    assert among.table[1].sum() == among.table[:, 1].sum() == 0


def test_ties_of_both_types_are_ties():
    counts = count_votes(votes_of((0, 1, "both_good"), (1, 0, "both_bad")))
    assert counts.tied(BOTH_GOOD).tolist() == counts.tied(BOTH_BAD).tolist() == [[0, 1], [1, 0]]
