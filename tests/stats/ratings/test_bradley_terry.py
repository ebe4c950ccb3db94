import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from stats.ratings.bradley_terry import NoMaximum, bradley_terry
from stats.ratings.connectivity import has_maximum
from stats.ratings.votes import count_votes
from tests.cases import each
from tests.stats.simulation import simulated_votes, votes_of

randomly = settings(deadline=None, max_examples=30)
# Agresti (2002), Categorical Data Analysis, table 10.10: American League baseball, 1987; wins of the row.
BASEBALL = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ],
    dtype=float,
)
# Milwaukee … Cleveland against Baltimore, as the R package BradleyTerry2 prints them.
PRINTED = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]


@st.composite
def score_tables(draw):
    """Tables whose likelihood has a maximum."""
    size = draw(st.integers(2, 5))
    halves = draw(st.lists(st.integers(0, 8), min_size=size * size, max_size=size * size))
    scores = np.array(halves, dtype=float).reshape(size, size) / 2
    np.fill_diagonal(scores, 0)
    assume(has_maximum(scores))
    return scores


def likelihood(scores, log_odds):
    return -(scores * np.log1p(np.exp(log_odds - log_odds[:, np.newaxis]))).sum()


def test_log_odds_of_the_baseball_league_are_those_of_the_textbook():
    found = bradley_terry(BASEBALL).log_odds
    assert found - found[-1] == pytest.approx(PRINTED, abs=1e-4)


@randomly
@given(score_tables())
def test_log_odds_are_the_maximum_that_scipy_finds(scores):
    found = bradley_terry(scores).log_odds
    slope = scores.sum(axis=1) - ((scores + scores.T) / (1 + np.exp(found - found[:, np.newaxis]))).sum(axis=1)
    assert np.abs(slope).max() < 1e-8
    other = minimize(lambda it: -likelihood(scores, it), np.zeros(len(scores)), method="BFGS").x
    assert likelihood(scores, found) >= likelihood(scores, other) - 1e-9


@randomly
@given(score_tables(), st.data())
def test_log_odds_go_with_the_names_of_systems(scores, data):
    order = list(data.draw(st.permutations(range(len(scores)))))
    assert bradley_terry(scores[np.ix_(order, order)]).log_odds == pytest.approx(
        bradley_terry(scores).log_odds[order], abs=1e-8
    )


@randomly
@given(score_tables(), st.integers(2, 7))
def test_log_odds_do_not_change_when_every_vote_is_given_again(scores, times):
    assert bradley_terry(scores * times).log_odds == pytest.approx(bradley_terry(scores).log_odds, abs=1e-8)


@randomly
@given(score_tables())
def test_log_odds_change_sign_when_every_vote_is_turned_round(scores):
    assert bradley_terry(scores.T).log_odds == pytest.approx(-bradley_terry(scores).log_odds, abs=1e-8)


@randomly
@given(score_tables(), st.integers(0, 2**32 - 1))
def test_log_odds_do_not_depend_on_where_the_search_began(scores, seed):
    start = np.random.default_rng(seed).normal(0, 3, len(scores))
    assert bradley_terry(scores, start=start).log_odds == pytest.approx(bradley_terry(scores).log_odds, abs=1e-8)


def test_log_odds_recover_what_was_simulated():
    truth = np.linspace(-1.5, 1.5, 8)
    found = bradley_terry(count_votes(simulated_votes(truth, 200_000, ties=0)).scores()).log_odds
    assert found == pytest.approx(truth, abs=0.04)


@each("share", [1e-6, 0.5, 1 - 1e-6])
def test_search_arrives_however_uneven_the_votes(share):
    scores = np.array([[0, share], [1 - share, 0]]) * 1e6
    found = bradley_terry(scores).log_odds
    assert found[0] - found[1] == pytest.approx(np.log(share / (1 - share)), abs=1e-7)


def test_one_vote_has_no_maximum_and_under_the_prior_one_that_is_worked_out_by_hand():
    scores = np.array([[0.0, 1], [0, 0]])
    with pytest.raises(NoMaximum):
        bradley_terry(scores)
    found = bradley_terry(scores, prior_sd=2).log_odds
    # The slope of the posterior is nil: 1 − p = θ / 4, with p = 1 / (1 + exp(−2θ)).
    assert 1 - 1 / (1 + np.exp(-2 * found[0])) == pytest.approx(found[0] / 4)
    assert found.sum() == pytest.approx(0)


def test_prior_fades_as_votes_come():
    scores = np.array([[0.0, 3], [1, 0]])
    gaps = [np.ptp(bradley_terry(scores * times, prior_sd=2).log_odds) for times in (1, 10, 1000)]
    assert gaps[0] < gaps[1] < gaps[2] < np.log(3)
    assert gaps[2] == pytest.approx(np.log(3), abs=1e-3)


def test_all_ties_put_everybody_level():
    scores = count_votes(votes_of((0, 1, "both_bad"), (1, 2, "both_good"))).scores()
    assert bradley_terry(scores).log_odds.tolist() == [0, 0, 0]
