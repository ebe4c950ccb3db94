import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import silhouette_score

from stats.metrics.redundancy import absolute_correlations, redundancy_clusters, silhouette
from stats.metrics.selection import MetricTable, n_representatives, select_metrics
from tests.cases import each


def simulated(rng: np.random.Generator, *, n_systems: int = 30, n_languages: int = 6) -> MetricTable:
    """Three signals: metrics of `text` and `sense` see the first, `prosody` the second, `length` the third."""
    signals = rng.normal(10, 2, size=(3, n_systems))
    plan = {"text": (0, 5, 0.2), "sense": (0, 3, 0.3), "prosody": (1, 4, 0.2), "length": (2, 4, 0.2)}
    metrics, dimensions, rows = [], [], []
    for dimension, (signal, n, noise) in plan.items():
        for number in range(n):
            metrics.append(f"{dimension} {number}")
            dimensions.append(dimension)
            rows.append(signals[signal] + rng.normal(0, noise, size=(n_languages, n_systems)))
    return MetricTable(tuple(metrics), tuple(dimensions), np.array(rows))


def test_dimensions_that_carry_one_signal_become_one_group():
    found = select_metrics(simulated(np.random.default_rng(1)))

    assert found.groups == (("text", "sense"), ("prosody",), ("length",))
    assert [(it.one, it.other) for it in found.merged] == [(("text",), ("sense",))]
    assert found.merged[0].correlation > 0.9
    assert sorted(name.split()[0] for name in found.chosen if name.split()[0] in ("prosody", "length")) == [
        "length",
        "prosody",
    ]
    assert found.most_correlated < 0.7


def test_metrics_that_carry_one_signal_are_one_cluster_and_have_one_representative():
    found = select_metrics(simulated(np.random.default_rng(2)))

    clusters = {(it.group, it.cluster) for it in found.metrics if it.dimension in ("text", "sense")}
    assert clusters == {(0, 0)}
    assert [it.dimension in ("text", "sense") for it in found.metrics if it.is_chosen].count(True) == 1


def test_the_representative_has_the_best_score_of_its_cluster():
    found = select_metrics(simulated(np.random.default_rng(3)))

    for it in found.metrics:
        if it.is_chosen:
            rivals = [other for other in found.metrics if (other.group, other.cluster) == (it.group, it.cluster)]
            assert it.score == max(other.score for other in rivals)


def test_the_four_criteria_by_hand():
    scores = np.array(
        [
            [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0]],
            [[10.0, 11.0, 10.5, 12.0], [12.0, 10.0, 11.0, 10.5]],
            [[5.0, 1.0, 9.0, 3.0], [5.0, 1.0, 9.0, 3.0]],
        ]
    )
    table = MetricTable(("m", "n", "o"), ("x", "x", "y"), scores, adoption=np.array([3.0, 1.0, 2.0]))
    found = {it.metric: it for it in select_metrics(table).metrics}

    level = scores.mean(axis=1)
    variation = level.std(axis=1, ddof=1) / level.mean(axis=1)
    stability = np.array([stats.spearmanr(*languages).statistic for languages in scores])
    rho = np.abs(stats.spearmanr(level, axis=1).statistic)
    independence = 1 - (rho.sum(axis=1) - 1) / 2
    columns = [variation, stability, independence, np.array([3.0, 1.0, 2.0])]
    by_hand = np.array([(column - column.min()) / np.ptp(column) for column in columns]).T
    assert [list(found[name].criteria.values()) for name in "mno"] == [pytest.approx(row) for row in by_hand.tolist()]
    assert [found[name].score for name in "mno"] == pytest.approx(by_hand.mean(axis=1).tolist())


def test_one_language_and_no_literature_leave_two_criteria():
    table = simulated(np.random.default_rng(4), n_languages=1)
    found = select_metrics(table).metrics[0]

    assert [name for name, value in found.criteria.items() if value is None] == ["stability", "adoption"]
    assert found.score == pytest.approx((found.criteria["discriminability"] + found.criteria["independence"]) / 2)


def test_a_metric_that_says_nothing_is_left_out_with_its_reason():
    scores = np.array([[[1.0, 2.0, 3.0]], [[4.0, 4.0, 4.0]], [[1.0, np.nan, 2.0]]])
    found = select_metrics(MetricTable(("m", "flat", "sparse"), ("x", "x", "y"), scores))

    assert found.left_out == (
        ("flat", "it is the same for every system"),
        ("sparse", "it is known of 2 systems, and 3 are needed"),
    )
    assert found.chosen == ("m",)


def test_neither_units_nor_the_order_of_metrics_or_systems_change_the_choice():
    table = simulated(np.random.default_rng(5))
    rng = np.random.default_rng(6)
    turned, systems = rng.permutation(len(table.metrics)), rng.permutation(30)
    scaled = table.scores[turned][:, :, systems] * rng.uniform(0.1, 10, size=(len(turned), 1, 1))
    other = MetricTable(
        tuple(table.metrics[at] for at in turned), tuple(table.dimensions[at] for at in turned), scaled
    )

    assert set(select_metrics(other).chosen) == set(select_metrics(table).chosen)


def test_a_metric_turned_upside_down_carries_the_same_signal():
    table = simulated(np.random.default_rng(7))
    flipped = table.scores.copy()
    flipped[0] = 30 - flipped[0]

    assert absolute_correlations(flipped.mean(axis=1)) == pytest.approx(
        absolute_correlations(table.scores.mean(axis=1))
    )


def test_the_ranking_holds_when_a_weight_changes_by_a_fifth():
    assert select_metrics(simulated(np.random.default_rng(8))).robustness > 0.8


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_silhouette_is_that_of_scikit_learn(seed, n_groups):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, size=12 - n_groups)])

    assert silhouette(distance, groups) == pytest.approx(silhouette_score(distance, groups, metric="precomputed"))


def test_silhouette_of_one_group_or_of_single_members_is_undefined():
    distance = 1 - np.eye(3)
    assert silhouette(distance, np.zeros(3, dtype=np.int64)) is None
    assert silhouette(distance, np.arange(3)) is None


def test_clusters_of_metrics_that_cannot_be_compared_are_their_own():
    rho = np.array([[1.0, np.nan], [np.nan, 1.0]])
    assert redundancy_clusters(rho).tolist() == [0, 1]


def test_correlations_are_those_of_scipy():
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(5, 20))
    assert absolute_correlations(scores) == pytest.approx(np.abs(stats.spearmanr(scores, axis=1).statistic))


@each("size, kept", [(1, 1), (4, 1), (5, 2), (10, 2), (11, 3), (46, 3)])
def test_larger_groups_keep_more(size, kept):
    assert n_representatives(size) == kept


def test_shapes_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="2 metrics with 1 dimensions"):
        MetricTable(("a", "b"), ("x",), np.zeros((2, 1, 3)))
    with pytest.raises(ValueError, match="1 metrics with 2 adoptions"):
        MetricTable(("a",), ("x",), np.zeros((1, 1, 3)), np.zeros(2))
