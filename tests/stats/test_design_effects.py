import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from stats.design_effects import design_effects
from stats.judges.bias import preference
from stats.ratings.acceptability import Clustered, acceptability, decisive_share, win_rates
from stats.ratings.votes import count_votes
from tests.stats.simulation import simulated_votes


def votes_of_people(seed=1, n=240, voters=8, items=12):
    rng = np.random.default_rng(seed)
    voter, item = rng.integers(voters, size=n), rng.integers(items, size=n)
    taste, suits = rng.normal(0, 0.25, voters), rng.normal(0, 0.15, items)
    return (rng.random(n) < 0.5 + taste[voter] + suits[item]).astype(float), voter, item


def test_effect_of_voters_is_that_of_statsmodels():
    values, voter, _ = votes_of_people()
    (found,) = design_effects(values, np.zeros(240, dtype=int), 1, voter)
    robust = (
        sm.OLS(values, np.ones(240))
        .fit(cov_type="cluster", cov_kwds={"groups": voter, "use_correction": False})
        .bse[0]
        ** 2
        * 8
        / 7
    )
    own = values.var() / 240
    assert found == pytest.approx(robust / own * (stats.t.isf(0.025, 7) / stats.norm.isf(0.025)) ** 2)


def test_effect_of_voters_and_items_is_their_sum_less_that_of_votes():
    values, voter, item = votes_of_people()
    none = np.zeros(240, dtype=int)
    (both,) = design_effects(values, none, 1, voter, item)
    by_voter, by_item = (design_effects(values, none, 1, it)[0] for it in (voter, item))
    voters, items = ((stats.t.isf(0.025, df) / stats.norm.isf(0.025)) ** 2 for df in (7, 11))
    assert both == pytest.approx((by_voter / voters + by_item / items - 1) * voters)


def test_groups_are_taken_one_by_one():
    values, voter, item = votes_of_people()
    of = np.arange(240) % 3
    found = design_effects(values, of, 3, voter, item)
    alone = [
        design_effects(values[of == it], np.zeros(80, dtype=int), 1, voter[of == it], item[of == it])[0]
        for it in range(3)
    ]
    assert found == pytest.approx(alone)


def test_votes_that_hang_on_nothing_count_in_full():
    values = np.tile([0.0, 1.0], 60)
    voters = np.repeat(np.arange(60), 2)
    assert design_effects(values, np.zeros(120, dtype=int), 1, voters).tolist() == pytest.approx(
        [(stats.t.isf(0.025, 59) / stats.norm.isf(0.025)) ** 2]
    )
    assert design_effects(values, np.zeros(120, dtype=int), 1).tolist() == [1.0]


def test_one_voter_says_nothing_of_others_and_votes_all_alike_count_once_for_each():
    values, none = np.tile([0.0, 1.0], 30), np.zeros(60, dtype=int)
    assert design_effects(values, none, 1, none).tolist() == [1.0]
    (found,) = design_effects(np.ones(60), none, 1, np.repeat(np.arange(6), 10))
    assert 60 / found == pytest.approx(6)


def test_group_without_votes_has_no_effect():
    nothing = np.zeros(0, dtype=int)
    assert design_effects(np.zeros(0), nothing, 2, nothing, nothing).tolist() == [1.0, 1.0]
    assert design_effects(np.ones(4), np.zeros(4, dtype=int), 2, np.arange(4))[1] == 1.0


def test_votes_each_for_themselves_are_those_without_clusters():
    votes = simulated_votes([0.5, 0, -0.2, 0.1], 400)
    counts, among = count_votes(votes), Clustered(votes, ())
    assert acceptability(counts, among=among) == acceptability(counts)
    assert win_rates(counts, among=among) == win_rates(counts)
    assert win_rates(counts, against=votes.systems[1], among=among) == win_rates(counts, against=votes.systems[1])
    assert decisive_share(counts, among=among) == decisive_share(counts)


def test_preference_of_few_voters_is_less_certain():
    values, voter, item = votes_of_people()
    plain, clustered = preference(values > 0), preference(values > 0, voter, item)
    assert (plain.rate.estimate, plain.p) == (clustered.rate.estimate, clustered.p)
    assert clustered.rate.interval.low < plain.rate.interval.low
    assert clustered.other_rate.interval.high == pytest.approx(1 - clustered.rate.interval.low)


def test_clusters_of_one_vote_each_say_nothing_but_what_votes_say() -> None:
    values, of = np.random.default_rng(1).integers(0, 2, 50).astype(float), np.zeros(50, dtype=np.int64)

    assert design_effects(values, of, 1, np.arange(50)).tolist() == [1.0]
    voters = np.arange(50) // 10
    assert design_effects(values, of, 1, voters, np.arange(50)) == design_effects(values, of, 1, voters)
