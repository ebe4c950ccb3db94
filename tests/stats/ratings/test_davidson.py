import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from stats.ratings.bradley_terry import NoMaximum
from stats.ratings.davidson import davidson, rate_with_ties
from stats.ratings.table import rate_votes
from stats.ratings.votes import Counts, Votes, count_votes
from tests.cases import each
from tests.stats.simulation import names, simulated_votes, votes_of


def davidson_votes(log_odds, tie, n, seed=1):
    rng = np.random.default_rng(seed)
    log_odds = np.asarray(log_odds, dtype=float)
    first = rng.integers(len(log_odds), size=n)
    second = (first + rng.integers(1, len(log_odds), size=n)) % len(log_odds)
    half = (log_odds[first] - log_odds[second]) / 2
    weights = np.stack([np.exp(half), np.exp(-half), np.full(n, tie)])
    cumulative = np.cumsum(weights / weights.sum(axis=0), axis=0)
    outcome = (rng.random(n) > cumulative).sum(axis=0)
    return Votes(first, second, np.minimum(outcome, 2), names(len(log_odds)), "untyped")


def likelihood(counts, log_odds, log_tie):
    half = (log_odds[:, np.newaxis] - log_odds) / 2
    total = np.log(np.exp(half) + np.exp(-half) + np.exp(log_tie))
    wins, ties = counts.wins(), counts.tied()
    return (wins * (half - total)).sum() + (ties * (log_tie - total)).sum() / 2


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_fit_is_the_maximum_that_scipy_finds(seed):
    counts = count_votes(davidson_votes([0, 0.5, 1], 0.7, 200, seed))
    fit = davidson(counts)
    other = minimize(lambda it: -likelihood(counts, it[:3], it[3]), np.zeros(4), method="BFGS")
    assert likelihood(counts, fit.log_odds, fit.log_tie) >= -other.fun - 1e-9
    assert fit.log_tie == pytest.approx(other.x[3], abs=1e-3)


def test_fit_recovers_what_was_simulated():
    truth = np.array([-1.0, 0.0, 0.3, 0.7])
    fit = davidson(count_votes(davidson_votes(truth, 0.8, 100_000)))
    assert fit.log_odds == pytest.approx(truth, abs=0.03)
    assert np.exp(fit.log_tie) == pytest.approx(0.8, abs=0.02)


def test_intervals_hold_the_truth_about_nineteen_times_in_twenty():
    truth, held, ties_held = np.array([-0.5, 0.0, 0.5]), 0, 0
    for seed in range(100):
        (found,) = rate_with_ties(davidson_votes(truth, 0.8, 300, seed))
        for rating, log_odds in zip(found.table.ratings, truth, strict=True):
            interval = rating.rating.interval
            held += interval.low <= 1000 + 400 / np.log(10) * log_odds <= interval.high
        ties_held += found.tie.interval.low <= 0.8 <= found.tie.interval.high
    assert 0.91 <= held / 300 <= 0.985
    assert ties_held >= 89


def test_curvature_is_that_of_the_likelihood():
    counts = count_votes(davidson_votes([0, 0.5, 1], 0.7, 500))
    fit = davidson(counts)
    at, step = np.append(fit.log_odds, fit.log_tie), 1e-4

    def value(*moves):
        moved = at + step * sum(moves)
        return likelihood(counts, moved[:3], moved[3])

    unit = np.eye(4)
    for i in range(4):
        for j in range(4):
            second = (
                value(unit[i], unit[j])
                - value(unit[i], -unit[j])
                - value(-unit[i], unit[j])
                + value(-unit[i], -unit[j])
            ) / (4 * step**2)
            assert fit.information[i, j] == pytest.approx(-second, abs=0.02)


def test_doubling_the_votes_changes_nothing_and_names_do_not_matter():
    counts = count_votes(davidson_votes([0, 0.5, 1], 0.7, 200))
    fit = davidson(counts)
    assert davidson(Counts(counts.table * 2, counts.systems)).log_odds == pytest.approx(fit.log_odds, abs=1e-9)
    turned = counts.between([2, 1, 0])
    assert davidson(turned).log_odds[::-1] == pytest.approx(fit.log_odds, abs=1e-9)


def test_errors_over_voters_are_those_over_votes_where_each_votes_once():
    votes = davidson_votes([0, 0.5, 1], 0.7, 400)
    (plain,), (voters,) = rate_with_ties(votes), rate_with_ties(votes, np.arange(400))
    assert plain.tie.estimate == voters.tie.estimate
    assert plain.tie.interval.low == pytest.approx(voters.tie.interval.low, abs=0.01)


def test_both_types_of_ties_are_ties():
    typed = simulated_votes([0, 0.5, 1], 300, ties=0.4)
    untyped = Votes(typed.first, typed.second, np.minimum(typed.outcome, 2), typed.systems, "untyped")
    (one,), (other,) = rate_with_ties(typed), rate_with_ties(untyped)
    assert one.tie == other.tie


def test_without_a_tie_the_ratings_are_bradley_terry_and_the_parameter_is_nil():
    votes = simulated_votes([0, 0.5, 1], 300, ties=0)
    (found,) = rate_with_ties(votes)
    (plain,) = rate_votes(votes)
    assert [it.rating for it in found.table.ratings] == [it.rating for it in plain.ratings]
    assert (found.tie.estimate, found.tie.interval, found.tie.reason) == (0.0, None, "no vote was a tie")


def test_with_ties_alone_the_parameter_is_undefined_and_everybody_level():
    (found,) = rate_with_ties(votes_of((0, 1, "both_bad"), (1, 2, "both_good")))
    assert (found.tie.estimate, found.tie.n, found.tie.reason) == (None, 2, "every vote was a tie")
    assert {it.rating.estimate for it in found.table.ratings} == {1000}


def test_an_unbeaten_system_is_provisional():
    (found,) = rate_with_ties(votes_of((0, 1, "1"), (1, 2, "1"), (2, 1, "1"), (1, 2, "both_bad")))
    assert found.table.provisional
    assert 1000 < found.table.ratings[0].rating.estimate < 2000
    assert found.tie.estimate > 0


def test_islands_have_a_tie_parameter_each_and_a_lonely_system_none():
    votes = votes_of((0, 1, "1"), (1, 0, "1"), (0, 1, "both_bad"), (2, 3, "1"), (3, 2, "1"), systems=5)
    one, other, lonely = rate_with_ties(votes)
    assert one.tie.estimate == pytest.approx(1.0)
    assert other.tie.estimate == 0.0
    assert lonely.tie.reason == "no votes"


@each("rows", [[(0, 1, "1"), (1, 0, "1")], [(0, 1, "both_bad")], [(0, 1, "1"), (1, 2, "1"), (1, 2, "both_good")]])
def test_fit_says_when_there_is_no_maximum(rows):
    with pytest.raises(NoMaximum):
        davidson(count_votes(votes_of(*rows)))


def test_one_voter_alone_gives_ratings_without_intervals():
    votes = davidson_votes([0, 0.5, 1], 0.7, 200)
    (found,) = rate_with_ties(votes, np.zeros(200, dtype=np.int64))
    assert found.table.ratings[0].rating.interval is None
    assert found.tie.interval is None
    assert found.tie.reason == "one cluster alone says nothing of how others would vary"
