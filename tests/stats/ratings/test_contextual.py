import numpy as np
import pytest

from stats.ratings.contextual import rate_in_context
from stats.ratings.table import rate_votes
from stats.ratings.votes import Votes
from tests.stats.simulation import names, simulated_votes, votes_of


def votes_in_context(log_odds, effect, n, seed=1):
    """Votes swayed by a covariate of which better systems have more."""
    rng = np.random.default_rng(seed)
    log_odds = np.asarray(log_odds, dtype=float)
    first = rng.integers(len(log_odds), size=n)
    second = (first + rng.integers(1, len(log_odds), size=n)) % len(log_odds)
    longer = rng.normal(log_odds[first] - log_odds[second], 1)
    won = rng.random(n) < 1 / (1 + np.exp(log_odds[second] - log_odds[first] - effect * longer))
    return Votes(first, second, np.where(won, 0, 1), names(len(log_odds))), longer


def points(table):
    return np.array([it.rating.estimate for it in table.ratings])


def test_effects_and_log_odds_recover_what_was_simulated():
    truth = np.array([-0.6, 0.0, 0.6])
    votes, longer = votes_in_context(truth, 0.5, 40_000)
    (found,) = rate_in_context(votes, {"longer": longer})
    assert found.effects["longer"].estimate == pytest.approx(0.5, abs=0.03)
    assert found.effects["longer"].interval.low < 0.5 < found.effects["longer"].interval.high
    assert points(found.table) == pytest.approx(1000 + 400 / np.log(10) * truth, abs=6)
    (raw,) = rate_votes(votes)
    assert np.ptp(points(raw)) > 1.2 * np.ptp(points(found.table))


def test_without_covariates_the_ratings_are_those_of_bradley_terry():
    votes = simulated_votes([0, 0.5, 1], 400)
    (found,), (plain,) = rate_in_context(votes, {}), rate_votes(votes)
    assert points(found.table) == pytest.approx(points(plain), abs=1e-6)
    assert found.effects == {}


def test_position_is_a_column_of_ones():
    votes = simulated_votes([0, 0.3, 0.6], 40_000, pull=0.4, ties=0)
    (found,) = rate_in_context(votes, {"position": np.ones(40_000)})
    assert found.effects["position"].estimate == pytest.approx(0.4, abs=0.05)
    assert points(found.table) == pytest.approx(1000 + 400 / np.log(10) * np.array([-0.3, 0, 0.3]), abs=6)


def test_effects_turn_with_the_sign_of_the_covariate_and_scale_with_its_unit():
    votes, longer = votes_in_context([0, 0.5], 0.5, 800)
    (found,) = rate_in_context(votes, {"longer": longer})
    (turned,) = rate_in_context(votes, {"longer": -1000 * longer})
    assert turned.effects["longer"].estimate == pytest.approx(-found.effects["longer"].estimate / 1000, rel=1e-6)
    assert points(turned.table) == pytest.approx(points(found.table), abs=1e-5)


def test_presenting_the_other_first_turns_nothing_but_the_covariate():
    votes, longer = votes_in_context([0, 0.5, 1], 0.5, 600)
    turned = Votes(votes.second, votes.first, 1 - votes.outcome, votes.systems)
    (found,), (other,) = rate_in_context(votes, {"longer": longer}), rate_in_context(turned, {"longer": -longer})
    assert other.effects["longer"].estimate == pytest.approx(found.effects["longer"].estimate, abs=1e-8)
    assert points(other.table) == pytest.approx(points(found.table), abs=1e-5)


def test_intervals_of_effects_hold_the_truth_about_nineteen_times_in_twenty():
    held = 0
    for seed in range(120):
        votes, longer = votes_in_context([0, 0.4, 0.8], 0.5, 250, seed)
        (found,) = rate_in_context(votes, {"longer": longer})
        held += found.effects["longer"].interval.low <= 0.5 <= found.effects["longer"].interval.high
    assert 0.90 <= held / 120 <= 0.99


def test_errors_over_voters_are_wider_where_voters_differ():
    rng = np.random.default_rng(1)
    voter = np.repeat(np.arange(40), 50)
    pull = rng.normal(0, 1.5, 40)[voter]
    first = rng.integers(0, 2, 2_000)
    outcome = (rng.random(2_000) > 1 / (1 + np.exp(-pull))).astype(int)
    votes = Votes(first, 1 - first, outcome, names(2))
    (plain,), (wide,) = (rate_in_context(votes, {"position": np.ones(2_000)}, *it) for it in ((), (voter,)))
    widths = [
        np.ptp([it.effects["position"].interval.low, it.effects["position"].interval.high]) for it in (plain, wide)
    ]
    assert widths[1] > 2 * widths[0]


def test_votes_without_a_covariate_are_left_out_and_counted():
    votes, longer = votes_in_context([0, 0.5], 0.5, 300)
    longer[:40] = np.nan
    (found,) = rate_in_context(votes, {"longer": longer}, np.arange(300))
    (expected,) = rate_in_context(votes.where(np.arange(300) >= 40), {"longer": longer[40:]}, np.arange(260))
    assert found.effects["longer"].estimate == expected.effects["longer"].estimate
    assert [(it.n, it.why) for it in found.effects["longer"].excluded] == [(40, "a covariate is missing")]


def test_a_covariate_that_follows_from_the_systems_has_no_effect_of_its_own():
    votes, longer = votes_in_context([0, 0.5, 1], 0.5, 400)
    size = np.array([1.0, 2, 5])
    (found,) = rate_in_context(votes, {"size": size[votes.first] - size[votes.second], "longer": longer})
    assert (found.effects["size"].estimate, found.effects["longer"].estimate is None) == (None, False)
    assert found.effects["size"].reason == "it follows from which systems met, or from the covariates before it"


def test_the_second_of_two_covariates_that_say_the_same_has_no_effect_of_its_own():
    votes, longer = votes_in_context([0, 0.5, 1], 0.5, 400)
    (found,) = rate_in_context(votes, {"longer": longer, "twice": 2 * longer})
    assert found.effects["longer"].estimate is not None
    assert found.effects["twice"].estimate is None


def test_a_covariate_that_predicts_every_vote_makes_the_ratings_provisional():
    votes = simulated_votes([0, 0.2, 0.4], 100, ties=0)
    told = 1.0 - 2 * votes.outcome
    (found,) = rate_in_context(votes, {"told": told})
    assert found.table.provisional
    assert found.table.reason == "the votes leave a system or an effect without bounds"
    assert 1 < found.effects["told"].estimate < 20


def test_an_unbeaten_system_is_provisional():
    (found,) = rate_in_context(
        votes_of((0, 1, "1"), (1, 2, "1"), (2, 1, "1"), (0, 2, "1")), {"longer": [1.0, 0.5, -0.3, 0.1]}
    )
    assert found.table.provisional
    assert np.isfinite(points(found.table)).all()


def test_islands_and_lonely_systems_are_kept_apart():
    votes = votes_of((0, 1, "1"), (1, 0, "1"), (0, 1, "1"), (2, 2, "1"), systems=3)
    one, lonely = rate_in_context(votes, {"longer": [1.0, 2.0, -1.0, 0.0]})
    assert one.effects["longer"].estimate is not None
    assert [(it.n, it.why) for it in one.effects["longer"].excluded] == [(1, "a system against itself")]
    assert lonely.effects["longer"].reason == "no votes"
    assert lonely.table.ratings[0].rating.estimate is None


def test_one_voter_alone_gives_effects_without_intervals():
    votes, longer = votes_in_context([0, 0.5], 0.5, 300)
    (found,) = rate_in_context(votes, {"longer": longer}, np.zeros(300, dtype=np.int64))
    assert found.effects["longer"].interval is None
    assert found.effects["longer"].reason == "one cluster alone says nothing of how others would vary"


def test_a_covariate_of_another_length_is_refused():
    with pytest.raises(ValueError, match="a number for every vote"):
        rate_in_context(votes_of((0, 1, "1")), {"longer": [1.0, 2.0]})
