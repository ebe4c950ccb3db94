import numpy as np
import pytest

from stats.ratings.elo import online_elo
from tests.cases import each
from tests.stats.simulation import names, simulated_votes, votes_of


def ratings(votes, **options):
    return [it.estimate for it in online_elo(votes, **options)]


def test_first_vote_between_equals_moves_both_by_half_of_k():
    assert ratings(votes_of((0, 1, "1"))) == [1002, 998]


def test_elo_follows_the_rule_of_mtalk_bench_vote_by_vote():
    votes = simulated_votes([0, 0.5, 1, 1.5], 500)
    expected = [1000.0] * 4
    for first, second, score in zip(votes.first, votes.second, votes.scores(), strict=True):
        chance = 1 / (1 + 10 ** ((expected[second] - expected[first]) / 400))
        expected[first] += 4 * (score - chance)
        expected[second] += 4 * ((1 - score) - (1 - chance))
    assert ratings(votes) == pytest.approx(expected, abs=1e-9)


def test_elo_keeps_the_sum_of_ratings():
    assert sum(ratings(simulated_votes([0, 1, 2], 300), initial=1500)) == pytest.approx(4500)


def test_elo_does_not_depend_on_who_was_presented_first_or_on_names():
    votes = simulated_votes([0, 1, 2], 300)
    flipped = np.select([votes.outcome == 0, votes.outcome == 1], [1, 0], votes.outcome)
    turned = type(votes)(votes.second, votes.first, flipped, votes.systems)
    assert ratings(turned) == pytest.approx(ratings(votes), abs=1e-9)


def test_elo_depends_on_the_order_and_takes_it_as_an_argument():
    votes = votes_of((0, 1, "1"), (0, 1, "2"), (0, 1, "2"), (1, 2, "1"))
    order = np.array([3, 2, 1, 0])
    turned = type(votes)(votes.first[order], votes.second[order], votes.outcome[order], votes.systems)
    assert ratings(votes, order=order) == ratings(turned) != ratings(votes)
    assert online_elo(votes, order=order)[0].method == "online Elo, K = 4, from 1000, in a given order"


@each("order", [[0, 0], [0], [0, 2]])
def test_elo_refuses_an_order_that_does_not_name_every_vote_once(order):
    with pytest.raises(ValueError, match="every vote once"):
        online_elo(votes_of((0, 1, "1"), (0, 1, "2")), order=np.array(order))


def test_elo_recovers_differences_that_were_simulated():
    truth = np.array([0.0, 0.6, 1.2])
    found = np.array(ratings(simulated_votes(truth, 60_000, ties=0), k=1.0))
    assert np.diff(found) == pytest.approx(np.diff(truth) * 400 / np.log(10), abs=25)


def test_system_without_votes_has_no_elo():
    lonely = online_elo(votes_of((0, 1, "1"), systems=3))[2]
    assert (lonely.estimate, lonely.n, lonely.reason) == (None, 0, "no votes")


def test_votes_of_a_system_against_itself_are_left_out_and_counted():
    votes = votes_of((0, 0, "1"), (0, 1, "1"))
    assert ratings(votes) == [1002, 998]
    assert [(it.n, it.why) for it in online_elo(votes)[0].excluded] == [(1, "a system against itself")]


def test_ties_of_either_type_are_half_a_win():
    assert ratings(votes_of((0, 1, "both_good"))) == ratings(votes_of((0, 1, "both_bad"))) == [1000, 1000]
    assert names(2) == ("S0", "S1")
