from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from stats.proportions import wilson
from stats.ratings.acceptability import acceptability, decisive_share, meetings, win_rate_matrix, win_rates
from stats.ratings.votes import Votes, count_votes
from tests.cases import each
from tests.stats.simulation import names, simulated_votes, votes_of

ROWS = [(0, 1, "1"), (1, 0, "2"), (0, 1, "2"), (0, 1, "both_bad"), (1, 0, "both_good"), (2, 0, "2")]


def counts_of(*rows, **options):
    return count_votes(votes_of(*rows, **options))


def test_win_rates_are_exact_and_count_ties_half():
    found = win_rates(counts_of(*ROWS, systems=4))
    assert [it.exact for it in found] == [Fraction(2, 3), Fraction(2, 5), Fraction(0), None]
    assert [it.rate.n for it in found] == [6, 5, 1, 0]
    assert found[3].rate.reason == "no votes"


def test_win_rates_against_one_system_leave_the_others_out():
    found = win_rates(counts_of(*ROWS, systems=4), against="S0")
    assert [it.exact for it in found] == [None, Fraction(2, 5), Fraction(0), None]
    rows = [*ROWS, (1, 2, "1"), (2, 1, "both_bad")]
    assert win_rates(counts_of(*rows, systems=4), against="S0") == found
    with pytest.raises(KeyError):
        win_rates(counts_of(*ROWS), against="nobody")


def test_win_rate_without_ties_has_wilsons_interval():
    found = win_rates(counts_of(*[(0, 1, "1")] * 7, *[(0, 1, "2")] * 3))[0].rate
    assert found.interval == wilson(7, 10)


def test_ties_narrow_the_interval_of_a_win_rate_to_what_votes_vary():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        wins, losses, _ = rng.multinomial(200, [0.3, 0.1, 0.6])
        rows = [(0, 1, "1")] * wins + [(0, 1, "2")] * losses + [(0, 1, "both_good")] * (200 - wins - losses)
        interval = win_rates(counts_of(*rows))[0].rate.interval
        held += interval.low <= 0.6 <= interval.high
    assert held == pytest.approx(380, abs=3.5 * stats.binom(400, 0.95).std())


def test_win_rate_of_ties_alone_is_one_half_without_an_interval():
    found = win_rates(counts_of((0, 1, "both_bad"), (1, 0, "both_good")))[0].rate
    assert (found.estimate, found.interval, found.reason) == (0.5, None, "all votes were ties")


def test_win_rate_of_one_vote_has_an_interval_up_to_one():
    found = win_rates(counts_of((0, 1, "1")))[0].rate
    assert (found.estimate, found.interval.high) == (1.0, 1.0)
    assert 0 < found.interval.low < 0.5


def test_matrix_of_win_rates_is_undefined_where_two_never_met():
    found = win_rate_matrix(counts_of(*ROWS))
    assert found[0, 1] == pytest.approx(3 / 5)
    assert found[0, 1] + found[1, 0] == pytest.approx(1)
    assert np.isnan(found[1, 2])
    assert np.isnan(found.diagonal()).all()


def test_meetings_are_symmetric_and_count_every_vote_between_two():
    assert meetings(counts_of(*ROWS)).tolist() == [[0, 5, 1], [5, 0, 0], [1, 0, 0]]


def test_decisive_share_is_that_of_votes_with_a_winner():
    found = decisive_share(counts_of(*ROWS))
    assert (found.estimate, found.n) == (pytest.approx(4 / 6), 6)
    assert decisive_share(counts_of((0, 0, "1"))).reason == "no votes"


def test_acceptability_is_told_by_wins_and_ties_and_left_open_by_losses():
    one, two, three, none = acceptability(counts_of(*ROWS, systems=4))
    assert (one.acceptable.estimate, one.acceptable.n) == (0.8, 5)
    assert [(it.n, it.why) for it in one.acceptable.excluded] == [
        (1, "lost, which does not say whether it was acceptable")
    ]
    assert one.acceptable.interval == wilson(4, 5)
    assert (one.at_least, one.at_most) == (pytest.approx(4 / 6), pytest.approx(5 / 6))
    assert (one.both_bad.estimate, one.both_bad.interval) == (pytest.approx(1 / 6), wilson(1, 6))
    assert (two.acceptable.estimate, two.both_bad.n) == (pytest.approx(2 / 3), 5)
    assert three.acceptable.reason == "no vote says whether it was acceptable"
    assert (three.at_least, three.at_most) == (0, 1)
    assert (none.both_bad.reason, none.at_least, none.at_most) == ("no votes", None, None)


def test_relative_strength_and_acceptability_are_two_numbers():
    # Always better than the other, and never good enough but twice.
    rows = [(0, 1, "1")] * 2 + [(0, 1, "both_bad")] * 98
    better, worse = acceptability(counts_of(*rows))
    assert win_rates(counts_of(*rows))[0].exact > Fraction(1, 2)
    assert better.acceptable.estimate == pytest.approx(0.02)
    assert worse.acceptable.estimate == 0


def test_bounds_hold_how_often_a_system_was_good_enough():
    rng = np.random.default_rng(1)
    good = rng.random((20_000, 2)) < [0.7, 0.4]
    better = rng.random(20_000) < 0.5
    outcome = np.select(
        [good[:, 0] & ~good[:, 1], ~good[:, 0] & good[:, 1], ~good.any(axis=1), better], [0, 1, 3, 0], 2
    )
    first = np.zeros(20_000, dtype=np.int64)
    found = acceptability(count_votes(Votes(first, first + 1, outcome, names(2))))
    for it, truth in zip(found, good.mean(axis=0), strict=True):
        assert it.at_least <= truth <= it.at_most
        assert it.both_bad.estimate == (~good.any(axis=1)).mean()


@each("ties", ["untyped", "none"])
def test_acceptability_is_undefined_where_ties_have_no_type(ties):
    votes = Votes(np.array([0]), np.array([1]), np.array([0]), names(2), ties)
    found = acceptability(count_votes(votes))[0]
    assert found.acceptable.estimate is found.both_bad.estimate is None
    assert "have no type" in found.acceptable.reason


def test_counts_of_all_are_shared_among_pairs():
    counts = count_votes(simulated_votes([0, 0.5, 1], 300))
    assert meetings(counts).sum() == 2 * 300
    assert sum(it.rate.n for it in win_rates(counts)) == 600
    assert sum(it.exact * it.rate.n for it in win_rates(counts)) == 300
