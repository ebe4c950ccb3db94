import numpy as np
import pytest
import statsmodels.api as sm

from stats.ratings import sandwich
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.sandwich import NoSpread, Scores, by_clusters, by_votes
from stats.ratings.spread import FromCovariance
from stats.ratings.table import rate_votes
from stats.ratings.votes import TIE, Votes, count_votes
from stats.results import Interval
from tests.cases import each
from tests.stats.simulation import names, simulated_votes


def fitted(votes):
    counts = count_votes(votes)
    return bradley_terry(counts.scores()), counts


def by_hand(fit, votes, clusters):
    """H⁺ Σ u uᵀ H⁺ over clusters, one vote at a time."""
    size = len(fit.log_odds)
    bread = np.linalg.pinv(fit.information)
    sums = {}
    for first, second, score, cluster in zip(votes.first, votes.second, votes.scores(), clusters, strict=True):
        chance = 1 / (1 + np.exp(fit.log_odds[second] - fit.log_odds[first]))
        contrast = np.zeros(size)
        contrast[first], contrast[second] = 1, -1
        lever = chance * (1 - chance) * contrast @ bread @ contrast
        sums[cluster] = sums.get(cluster, 0) + (score - chance) / np.sqrt(1 - lever) * contrast
    return bread @ sum(np.outer(it, it) for it in sums.values()) @ bread


@pytest.fixture(scope="module")
def votes():
    return simulated_votes([0, 0.5, 1, 1.5], 400)


@pytest.fixture(scope="module")
def voters():
    return np.random.default_rng(2).integers(0, 40, 400)


def test_errors_over_votes_are_those_of_a_sum_over_votes(votes):
    fit, counts = fitted(votes)
    assert by_votes(fit, counts).matrix == pytest.approx(by_hand(fit, votes, range(400)), abs=1e-12)


def test_errors_over_voters_are_those_of_a_sum_over_voters(votes, voters):
    fit, _ = fitted(votes)
    found = by_clusters(fit, votes, voters)
    assert found.matrix == pytest.approx(by_hand(fit, votes, voters) * 40 / 39, abs=1e-12)
    assert (found.freedom, found.method) == (39, "sandwich errors, 40 clusters")


def test_errors_over_voters_do_not_depend_on_how_many_cells_are_held_at_once(votes, voters, monkeypatch):
    fit, _ = fitted(votes)
    dense = by_clusters(fit, votes, voters).matrix
    monkeypatch.setattr(sandwich, "_DENSE_CELLS", 1)
    assert by_clusters(fit, votes, voters).matrix == pytest.approx(dense, abs=1e-12)


def test_errors_do_not_depend_on_the_numbers_of_voters(votes, voters):
    fit, _ = fitted(votes)
    renamed = voters * 1_000_003 - 5
    assert by_clusters(fit, votes, renamed).matrix == pytest.approx(by_clusters(fit, votes, voters).matrix, abs=1e-12)


def test_errors_over_voters_and_items_add_both_and_take_their_crossing_away(votes, voters):
    fit, _ = fitted(votes)
    items = np.random.default_rng(3).integers(0, 25, 400)
    crossing = voters * 25 + items
    n = len(np.unique(crossing))
    expected = (
        by_hand(fit, votes, voters) * 40 / 39
        + by_hand(fit, votes, items) * 25 / 24
        - by_hand(fit, votes, crossing) * n / (n - 1)
    )
    found = by_clusters(fit, votes, voters, items)
    assert found.matrix == pytest.approx(expected, abs=1e-12)
    assert (found.freedom, found.method) == (24, "sandwich errors, 40 and 25 crossed clusters")


def test_two_way_errors_have_no_negative_variance():
    votes = simulated_votes([0, 0.5, 1], 60)
    clusters = np.arange(60) % 3
    found = by_clusters(fitted(votes)[0], votes, clusters, (clusters + np.arange(60) // 3) % 3)
    assert np.linalg.eigvalsh(found.matrix).min() > -1e-12


def test_errors_are_those_of_the_model_where_votes_are_what_it_says():
    votes = simulated_votes([0, 0.5, 1, 1.5], 40_000, ties=0)
    fit, counts = fitted(votes)
    assert by_votes(fit, counts).matrix == pytest.approx(np.linalg.pinv(fit.information), rel=0.03, abs=2e-6)


def test_errors_are_smaller_where_votes_are_ties():
    votes = simulated_votes([0, 0.2, 0.4], 5_000, ties=0.8)
    fit, counts = fitted(votes)
    assert (by_votes(fit, counts).matrix.diagonal() < 0.4 * np.linalg.pinv(fit.information).diagonal()).all()


def test_one_cluster_has_no_errors(votes):
    with pytest.raises(NoSpread, match="one cluster alone"):
        by_clusters(fitted(votes)[0], votes, np.zeros(400, dtype=np.int64))


def test_three_kinds_of_clusters_are_refused(votes, voters):
    with pytest.raises(ValueError, match="one or two ways, not in 3"):
        by_clusters(fitted(votes)[0], votes, voters, voters, voters)


def test_few_clusters_have_students_quantile(votes, voters):
    found = by_clusters(fitted(votes)[0], votes, voters % 5)
    assert found.quantile(0.95) == pytest.approx(2.776, abs=1e-3)
    assert by_votes(*fitted(votes)).quantile(0.95) == pytest.approx(1.960, abs=1e-3)


def test_voters_with_tastes_widen_the_errors():
    rng = np.random.default_rng(5)
    tastes = rng.normal(0, 1.5, (30, 3))
    voter = np.repeat(np.arange(30), 60)
    first, second = rng.integers(0, 3, 1800), rng.integers(0, 3, 1800)
    gap = tastes[voter, first] - tastes[voter, second]
    outcome = (rng.random(1800) > 1 / (1 + np.exp(-gap))).astype(int)
    votes = Votes(first, second, outcome, names(3))
    fit, counts = fitted(votes)
    wider = by_clusters(fit, votes, voter).matrix.diagonal() / by_votes(fit, counts).matrix.diagonal()
    assert (wider > 4).all()


@each("n", [3, 4, 6, 8])
def test_intervals_over_few_clusters_are_never_narrower_than_those_of_the_votes_alone(n: int) -> None:
    voters, items = np.arange(8 * n * n) // 8 // n, np.arange(8 * n * n) // 8 % n
    narrower = 0
    for seed in range(40):
        votes = simulated_votes([0.4, 0.1, -0.1, -0.4], 8 * n * n, seed=seed)
        alone, over = rate_votes(votes), rate_votes(votes, voters, items)
        if len(alone) > 1 or alone[0].provisional:
            continue
        for one, other in zip(alone[0].ratings, over[0].ratings, strict=True):
            assert width(other.rating.interval) >= width(one.rating.interval) * (1 - 1e-9)
            narrower += width(other.rating.interval) <= width(one.rating.interval) * (1 + 1e-9)
        difference = over[0].difference(*votes.systems[:2]).interval
        assert width(difference) >= width(alone[0].difference(*votes.systems[:2]).interval) * (1 - 1e-9)
    assert narrower, "the votes' own interval was never needed, so this shows nothing"


def width(interval: Interval) -> float:
    return interval.high - interval.low


def test_the_meat_of_votes_is_that_of_clusters_of_one_vote_each() -> None:
    rng = np.random.default_rng(5)
    votes = simulated_votes([0.4, 0.1, -0.5], 50)
    scores = Scores(votes.first, votes.second, rng.normal(size=50), rng.normal(size=(50, 2)), 3)
    each = scores.by_cluster(np.arange(50), 50)

    assert scores.meat() == pytest.approx(each.T @ each)


def test_system_whose_only_vote_is_a_tie_has_an_interval_of_some_width_at_every_look() -> None:
    """It fits that vote exactly. Its difference from the other has no residual, and rounding would decide it."""
    rng = np.random.default_rng(3)
    first, outcome = rng.integers(3, size=60), rng.integers(3, size=60)
    second = (first + rng.integers(1, 3, size=60)) % 3
    votes = Votes(np.append(first, 3), np.append(second, 0), np.append(outcome, TIE), names(4))
    fit, counts = fitted(votes)

    for covariance in (by_votes(fit, counts), by_clusters(fit, votes, np.arange(61) % 7, np.arange(61) % 5)):
        at_every_look = FromCovariance(covariance, watched=True)
        low, high = at_every_look.between(fit.log_odds, 3, 0)
        assert (low, high) == pytest.approx((-high, -low)), "the tie says that they are equal"
        assert high > 2
        assert not at_every_look.ahead(fit.log_odds)[[0, 3], [3, 0]].any()


def test_dispersion_of_all_votes_is_nearly_that_of_pearsons_statistic() -> None:
    """Of statsmodels; the one is a ratio of sums over votes, the other a mean of ratios."""
    votes = simulated_votes([0, 0.4, 0.9], 2_000, ties=0.4)
    fit, counts = fitted(votes)
    design = np.zeros((2_000, 3))
    design[np.arange(2_000), votes.first], design[np.arange(2_000), votes.second] = 1, -1
    peer = sm.GLM(votes.scores(), design[:, 1:], family=sm.families.Binomial()).fit(scale="X2")

    found = by_votes(fit, counts).dispersed

    assert found is not None
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    assert contrast @ found @ contrast.T == pytest.approx(peer.cov_params(), rel=0.03)
