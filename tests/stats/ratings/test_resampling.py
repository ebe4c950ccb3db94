import numpy as np
import pytest

from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.resampling import ClusterBootstrap, MultinomialBootstrap, multinomials
from stats.ratings.table import rate, rate_votes
from stats.ratings.votes import Votes, count_votes
from tests.stats.simulation import names, simulated_votes, votes_of


@pytest.fixture(scope="module")
def votes():
    return simulated_votes([0, 0.4, 0.8, 1.5], 1_200)


def ends(table):
    return np.array([(it.rating.interval.low, it.rating.interval.high) for it in table.ratings])


def test_multinomial_intervals_are_near_those_of_the_sandwich(votes):
    (drawn,) = rate(count_votes(votes), errors=MultinomialBootstrap(np.random.default_rng(1), resamples=2_000))
    (sandwich,) = rate_votes(votes)
    assert ends(drawn) == pytest.approx(ends(sandwich), abs=5)
    assert [it.ranks for it in drawn.ratings] == [it.ranks for it in sandwich.ratings]
    assert drawn.ratings[0].rating.interval.method == "percentile bootstrap over votes, 2000 resamples"


def test_multinomial_intervals_are_those_of_drawing_the_votes_themselves(votes):
    (drawn,) = rate(count_votes(votes), errors=MultinomialBootstrap(np.random.default_rng(1), resamples=2_000))
    rng, values = np.random.default_rng(2), []
    for _ in range(1_000):
        places = rng.integers(1_200, size=1_200)
        chosen = Votes(votes.first[places], votes.second[places], votes.outcome[places], votes.systems)
        values.append(bradley_terry(count_votes(chosen).scores()).log_odds)
    expected = 1000 + 400 / np.log(10) * np.quantile(values, [0.025, 0.975], axis=0).T
    assert ends(drawn) == pytest.approx(expected, abs=6)


def test_same_seed_gives_the_same_interval(votes):
    one, other = (
        rate(count_votes(votes), errors=MultinomialBootstrap(np.random.default_rng(3), resamples=50))[0]
        for _ in range(2)
    )
    assert np.array_equal(ends(one), ends(other))


def test_differences_and_beats_come_from_the_draws(votes):
    (table,) = rate(count_votes(votes), errors=MultinomialBootstrap(np.random.default_rng(1)))
    (sandwich,) = rate_votes(votes)
    assert table.beats("S3", "S0") == "yes"
    found, expected = (it.difference("S1", "S0").interval for it in (table, sandwich))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=6)
    assert expected.high - expected.low > 40


def test_draws_of_counts_add_up_and_vary_as_multinomials_do():
    cells = np.array([0, 500, 300, 0, 200])
    drawn = np.concatenate(list(multinomials(cells, np.random.default_rng(1), 4_000)))
    assert (drawn.sum(axis=1) == 1_000).all()
    assert (drawn[:, [0, 3]] == 0).all()
    assert drawn.mean(axis=0) == pytest.approx(cells, abs=1)
    assert np.cov(drawn.T)[1, 2] == pytest.approx(-1_000 * 0.5 * 0.3, rel=0.1)


def test_cluster_intervals_are_near_those_of_the_clustered_sandwich():
    rng = np.random.default_rng(5)
    tastes = rng.normal(0, 1, (80, 3))
    voter = np.repeat(np.arange(80), 40)
    first = rng.integers(0, 3, 3_200)
    second = (first + rng.integers(1, 3, 3_200)) % 3
    gap = tastes[voter, first] - tastes[voter, second]
    votes = Votes(first, second, (rng.random(3_200) > 1 / (1 + np.exp(-gap))).astype(int), names(3))
    (drawn,) = rate(count_votes(votes), errors=ClusterBootstrap(votes, voter, rng, resamples=2_000))
    (sandwich,) = rate_votes(votes, voter)
    (careless,) = rate_votes(votes)
    assert ends(drawn) == pytest.approx(ends(sandwich), abs=8)
    assert (np.ptp(ends(drawn), axis=1) > 2 * np.ptp(ends(careless), axis=1)).all()


def test_clusters_of_one_vote_each_are_votes(votes):
    each = np.arange(len(votes.first))
    (drawn,) = rate(
        count_votes(votes), errors=ClusterBootstrap(votes, each, np.random.default_rng(1), resamples=2_000)
    )
    (plain,) = rate(count_votes(votes), errors=MultinomialBootstrap(np.random.default_rng(2), resamples=2_000))
    assert ends(drawn) == pytest.approx(ends(plain), abs=6)


def test_clusters_of_other_votes_are_refused(votes):
    fewer = votes.where(np.arange(1_200) > 1)
    with pytest.raises(ValueError, match="errors from 1198 votes"):
        rate(count_votes(votes), errors=ClusterBootstrap(fewer, np.arange(1_198), np.random.default_rng(1)))


def test_provisional_ratings_have_the_curvature_of_the_posterior_instead_of_a_bootstrap():
    rows = [(0, 1, "1"), (1, 0, "1"), (2, 0, "1")]
    (table,) = rate(count_votes(votes_of(*rows)), errors=MultinomialBootstrap(np.random.default_rng(1), resamples=50))
    assert table.provisional
    assert table.ratings[0].rating.interval.method == "curvature of the posterior"


def test_one_cluster_alone_gives_no_interval(votes):
    errors = ClusterBootstrap(votes, np.zeros(1_200, dtype=np.int64), np.random.default_rng(1))
    (table,) = rate(count_votes(votes), errors=errors)
    assert table.ratings[0].rating.interval is None
    assert table.ratings[0].rating.reason == "one cluster alone says nothing of how others would vary"


def test_resamples_without_a_maximum_are_counted():
    rows = [(0, 1, "1")] * 10 + [(0, 1, "2")] * 4
    (table,) = rate(
        count_votes(votes_of(*rows)), errors=MultinomialBootstrap(np.random.default_rng(1), resamples=2_000)
    )
    assert table.ratings[0].rating.interval.method.endswith("of them undefined")


def test_many_resamples_without_a_maximum_leave_no_interval():
    rows = [(0, 1, "1")] * 5 + [(0, 1, "2")]
    (table,) = rate(
        count_votes(votes_of(*rows)), errors=MultinomialBootstrap(np.random.default_rng(1), resamples=200)
    )
    assert table.ratings[0].rating.interval is None
    assert table.ratings[0].rating.reason.endswith("of 200 resamples had no finite maximum")
    assert [it.ranks for it in table.ratings] == [(1, 2), (1, 2)]
