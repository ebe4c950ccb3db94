import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.elo import POINTS
from stats.ratings.errors import OverClusters, OverVotes
from stats.ratings.sandwich import by_votes
from stats.ratings.table import rate, rate_votes
from stats.ratings.votes import Counts, Votes, count_votes
from stats.results import Estimate
from tests.stats.simulation import names, simulated_votes, votes_of


def points(table):
    return [it.rating.estimate for it in table.ratings]


def widths(table):
    return np.array([it.rating.interval.high - it.rating.interval.low for it in table.ratings])


@pytest.fixture(scope="module")
def votes():
    return simulated_votes([0, 0.1, 1, 2], 2_000)


def test_ratings_are_log_odds_in_points_around_1000(votes):
    (table,) = rate_votes(votes)
    fit = bradley_terry(count_votes(votes).scores())
    assert points(table) == pytest.approx(1000 + 400 / np.log(10) * fit.log_odds, abs=1e-9)
    assert np.mean(points(table)) == pytest.approx(1000)
    assert (table.n, table.provisional, table.reason) == (2000, False, None)


def test_interval_is_the_sandwich_error_around_the_rating(votes):
    (table,) = rate_votes(votes)
    counts = count_votes(votes)
    fit = bradley_terry(counts.scores())
    half = 1.959964 * POINTS * np.sqrt(by_votes(fit, counts).matrix.diagonal())
    assert widths(table) == pytest.approx(2 * half, rel=1e-6)
    assert table.ratings[0].rating.interval.method == "sandwich errors over votes"


def test_ranks_are_the_places_that_the_votes_leave_open(votes):
    (table,) = rate_votes(votes)
    assert [it.ranks for it in table.ratings] == [(3, 4), (3, 4), (2, 2), (1, 1)]


def test_two_systems_are_told_apart_by_the_interval_of_their_difference(votes):
    (table,) = rate_votes(votes)
    assert table.beats("S3", "S0") == "yes"
    assert table.beats("S0", "S3") == "no"
    assert table.beats("S0", "S1") == table.beats("S1", "S0") == "not enough data"
    there, back = table.difference("S3", "S2"), table.difference("S2", "S3")
    assert there.estimate == pytest.approx(-back.estimate)
    assert there.interval.low == pytest.approx(-back.interval.high)
    counts = count_votes(votes)
    covariance = by_votes(bradley_terry(counts.scores()), counts).matrix
    error = POINTS * np.sqrt(covariance[2, 2] + covariance[3, 3] - 2 * covariance[2, 3])
    assert there.interval.low == pytest.approx(there.estimate - 1.959964 * error, rel=1e-6)
    with pytest.raises(KeyError):
        table.difference("S3", "S9")


def test_ranks_and_differences_do_not_depend_on_the_centre(votes):
    (one,) = rate_votes(votes, established=[True, True, True, True])
    (other,) = rate_votes(votes, established=[True, False, False, False])
    assert [it.ranks for it in one.ratings] == [it.ranks for it in other.ratings]
    assert one.difference("S3", "S0") == other.difference("S3", "S0")
    assert points(other)[0] == pytest.approx(1000)
    assert widths(other)[0] == pytest.approx(0, abs=1e-6)


def test_a_newcomer_widens_nobodys_interval():
    old = simulated_votes(np.linspace(-1, 1, 6), 6_000)
    new = votes_of(*[(6, place, label) for place in range(6) for label in ("1", "2", "both_good")])
    joined = Votes(
        *(np.concatenate([getattr(old, it), getattr(new, it)]) for it in ("first", "second", "outcome")), names(7)
    )
    (before,), (after,) = rate_votes(old), rate_votes(joined)
    assert [it.established for it in after.ratings] == [True] * 6 + [False]
    assert widths(after)[:6] == pytest.approx(widths(before), rel=0.02)
    assert points(after)[:6] == pytest.approx(points(before), abs=3)
    (plain,) = rate_votes(joined, established=[True] * 7)
    assert (widths(plain)[:6] > 1.05 * widths(before)).all()


def test_islands_have_tables_of_their_own_and_a_system_without_votes_has_no_rating():
    votes = votes_of((0, 1, "1"), (1, 0, "1"), (2, 3, "both_good"), (3, 2, "1"), (2, 3, "1"), systems=5)
    one, other, lonely = rate_votes(votes)
    assert [[it.system for it in table.ratings] for table in (one, other, lonely)] == [
        ["S0", "S1"],
        ["S2", "S3"],
        ["S4"],
    ]
    assert [table.n for table in (one, other, lonely)] == [2, 3, 0]
    assert lonely.ratings[0].rating == Estimate(None, 0, "Bradley–Terry, ties as half wins", reason="no votes")
    assert lonely.ratings[0].ranks is None
    with pytest.raises(KeyError):
        one.difference("S0", "S2")
    with pytest.raises(KeyError):
        lonely.difference("S4", "S4")


def test_one_vote_gives_a_provisional_rating_from_the_stated_prior():
    (table,) = rate_votes(votes_of((0, 1, "1")))
    assert table.provisional
    assert table.ratings[0].rating.method.endswith("prior N(0, 2²) on log-odds")
    assert points(table)[0] > 1000 > points(table)[1]
    assert table.beats("S0", "S1") == "not enough data"
    assert [it.ranks for it in table.ratings] == [(1, 2), (1, 2)]


def test_an_unbeaten_system_is_provisional_and_finite():
    rows = [(0, 1, "1"), (0, 2, "1"), (0, 1, "1"), (1, 2, "1"), (2, 1, "1")]
    (table,) = rate_votes(votes_of(*rows))
    assert [it.provisional for it in table.ratings] == [True, False, False]
    assert "took everything" in table.reason
    assert 1000 < points(table)[0] < 2000


def test_an_unbeaten_newcomer_leaves_the_others_as_they_were(votes):
    voters = np.arange(2_000) % 50
    joined = Votes(
        np.append(votes.first, [4, 4]), np.append(votes.second, [0, 2]), np.append(votes.outcome, [0, 0]), names(5)
    )
    (before,), (after,) = rate_votes(votes, voters), rate_votes(joined, np.append(voters, [0, 1]))
    assert [it.provisional for it in after.ratings] == [False] * 4 + [True]
    assert points(after)[:4] == pytest.approx(points(before), abs=1)
    assert widths(after)[:4] == pytest.approx(widths(before), rel=0.01)
    assert widths(after)[4] > 300
    assert [it.ranks for it in after.ratings[:4]] == [(3, 5), (3, 5), (2, 3), (1, 2)]
    assert after.ratings[0].rating.interval.method == "sandwich errors, 50 clusters, and curvature of the posterior"


def test_provisional_intervals_have_the_level_that_was_asked_for():
    (narrow,), (wide,) = (rate_votes(votes_of((0, 1, "1")), level=level) for level in (0.5, 0.95))
    assert widths(wide) == pytest.approx(widths(narrow) * 1.959964 / 0.674490, rel=1e-5)


def test_two_leagues_of_which_one_always_wins_are_all_provisional():
    rows = [(0, 1, "1"), (1, 0, "1"), (2, 3, "1"), (3, 2, "1"), (0, 2, "1"), (1, 3, "1")]
    (table,) = rate_votes(votes_of(*rows))
    assert [it.provisional for it in table.ratings] == [True] * 4
    assert min(points(table)[:2]) > max(points(table)[2:])


def test_prior_does_not_grow_with_the_number_of_votes():
    few, many = (rate_votes(votes_of(*[(0, 1, "1")] * times))[0] for times in (1, 200))
    assert points(many)[0] - points(many)[1] > 3 * (points(few)[0] - points(few)[1])


def test_all_ties_put_everybody_level_and_leave_every_rank_open():
    (table,) = rate_votes(votes_of((0, 1, "both_bad"), (1, 2, "both_good"), (0, 2, "both_bad")))
    assert points(table) == [1000] * 3
    assert [it.rating.interval for it in table.ratings] == [None] * 3
    assert {it.rating.reason for it in table.ratings} == {
        "all its votes were ties, which say nothing of how far they could vary"
    }
    assert [it.ranks for it in table.ratings] == [(1, 3)] * 3
    assert table.beats("S0", "S1") == "not enough data"


def test_a_system_with_ties_alone_has_no_interval_and_pushes_nobody_down():
    rows = [(0, 1, "1")] * 30 + [(0, 1, "2")] * 2 + [(2, 0, "both_good")] * 3
    (table,) = rate_votes(votes_of(*rows))
    assert table.ratings[2].rating.interval is None
    assert table.ratings[2].ranks == (1, 3)
    assert table.ratings[0].ranks == (1, 2)
    assert table.difference("S0", "S2").interval is None
    assert table.beats("S0", "S1") == "yes"


def test_two_systems_with_identical_records_are_rated_and_ranked_alike():
    rows = [(0, 2, "1"), (1, 2, "1"), (0, 2, "2"), (1, 2, "2"), (0, 2, "1"), (1, 2, "1"), (0, 1, "1"), (1, 0, "1")]
    one, other, _ = rate_votes(votes_of(*rows))[0].ratings
    assert one.rating.estimate == pytest.approx(other.rating.estimate, abs=1e-9)
    assert one.rating.interval.low == pytest.approx(other.rating.interval.low, abs=1e-9)
    assert one.ranks == other.ranks


def test_votes_of_a_system_against_itself_change_no_rating(votes):
    self_votes = Votes(
        np.append(votes.first, [2, 2]),
        np.append(votes.second, [2, 2]),
        np.append(votes.outcome, [0, 3]),
        votes.systems,
    )
    (table,), (plain,) = rate_votes(self_votes), rate_votes(votes)
    assert points(table) == pytest.approx(points(plain), abs=1e-9)
    assert widths(table) == pytest.approx(widths(plain), abs=1e-9)
    assert table.n == plain.n
    assert [(it.n, it.why) for it in table.ratings[0].rating.excluded] == [(2, "a system against itself")]


def test_ratings_need_no_votes_at_all():
    tables = rate(Counts(np.zeros((2, 2, 4), dtype=np.int64), names(2)))
    assert [table.ratings[0].rating.reason for table in tables] == ["no votes", "no votes"]
    assert rate(Counts(np.zeros((0, 0, 4), dtype=np.int64), ())) == ()


def test_errors_over_clusters_follow_their_votes_into_each_island():
    one = simulated_votes([0, 1], 80, seed=1)
    other = simulated_votes([0, 1], 80, seed=2)
    both = Votes(
        np.concatenate([one.first, other.first + 2]),
        np.concatenate([one.second, other.second + 2]),
        np.concatenate([one.outcome, other.outcome]),
        names(4),
    )
    voters = np.arange(160) % 10
    together = rate_votes(both, voters)
    apart = [rate_votes(one, voters[:80])[0], rate_votes(other, voters[80:])[0]]
    for found, expected in zip(together, apart, strict=True):
        assert [it.rating.interval for it in found.ratings] == [it.rating.interval for it in expected.ratings]


def test_errors_of_other_votes_than_the_counts_are_refused(votes):
    fewer = votes.where(np.arange(len(votes.first)) > 5)
    with pytest.raises(ValueError, match="errors from 1994 votes for ratings from 2000"):
        rate(count_votes(votes), errors=OverClusters(fewer, np.arange(1994)))


def test_one_voter_alone_has_ratings_without_intervals(votes):
    (table,) = rate_votes(votes, np.zeros(2000, dtype=np.int64))
    assert table.ratings[0].rating.interval is None
    assert table.ratings[0].rating.reason == "one cluster alone says nothing of how others would vary"
    assert [it.ranks for it in table.ratings] == [(1, 4)] * 4
    assert table.difference("S3", "S0").reason == table.ratings[0].rating.reason


@settings(deadline=None, max_examples=15)
@given(st.permutations(range(4)))
def test_ratings_go_with_the_names_of_systems(order):
    votes = simulated_votes([0, 0.1, 1, 2], 300)
    place = np.argsort(order)
    renamed = Votes(place[votes.first], place[votes.second], votes.outcome, tuple(votes.systems[at] for at in order))
    (table,), (other,) = rate_votes(votes), rate_votes(renamed)
    found = {it.system: (it.rating.estimate, it.rating.interval.low, it.ranks) for it in other.ratings}
    for it in table.ratings:
        estimate, low, ranks = found[it.system]
        assert (estimate, low) == pytest.approx((it.rating.estimate, it.rating.interval.low), abs=1e-8)
        assert ranks == it.ranks


def test_intervals_hold_the_truth_about_nineteen_times_in_twenty():
    truth = np.array([-0.8, -0.2, 0.3, 0.7])
    held = 0
    for seed in range(150):
        (table,) = rate_votes(simulated_votes(truth, 300, seed=seed, ties=0))
        for rating, log_odds in zip(table.ratings, truth - truth.mean(), strict=True):
            held += rating.rating.interval.low <= 1000 + POINTS * log_odds <= rating.rating.interval.high
    assert 0.93 <= held / 600 <= 0.97


def test_level_of_the_interval_is_an_argument(votes):
    (narrow,) = rate(count_votes(votes), errors=OverVotes(level=0.8))
    (wide,) = rate_votes(votes, level=0.99)
    assert (widths(narrow) < widths(wide)).all()
    assert narrow.ratings[0].rating.interval.level == 0.8
