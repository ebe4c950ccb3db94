"""All pairs at once are the pairs one by one."""

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from stats.agreement.coefficients import cohen_kappa, krippendorff_alpha
from stats.agreement.labels import MISSING, LabelTable
from stats.agreement.rater_pairs import alphas, jackknife_errors, kappas, pair_cells
from tests.cases import each

TYPED = ("1", "2", "both_good", "both_bad")
NUMBERS = ("1", "2", "3", "4")


@pytest.fixture
def codes():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 4, 80)
    said = np.where(rng.random((80, 6)) < 0.6, true[:, np.newaxis], rng.integers(0, 4, (80, 6)))
    said[rng.random(said.shape) < 0.2] = MISSING
    return said


@each("weights", ["none", "linear", "quadratic", "typed_tie"])
def test_kappas_are_those_of_each_pair(codes, weights):
    table = LabelTable(codes, TYPED)

    cells, found = kappas(table, weights=weights)

    alone = [cohen_kappa(table.raters(a, b), weights=weights) for a, b in zip(cells.first, cells.second, strict=True)]
    assert [it.estimate for it in found] == pytest.approx([it.estimate for it in alone], abs=1e-12)
    assert [it.n for it in found] == [it.n for it in alone]


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappas_are_those_of_scikit_learn(codes, weights):
    cells, found = kappas(LabelTable(codes, NUMBERS), weights=weights or "none")
    for first, second, it in zip(cells.first, cells.second, found, strict=True):
        both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
        expected = cohen_kappa_score(codes[both, first], codes[both, second], weights=weights)
        assert it.estimate == pytest.approx(expected, abs=1e-12)


def test_errors_over_clusters_are_those_of_leaving_out_each_by_hand(codes):
    codes, clusters = codes.copy(), np.repeat(np.arange(10), 8)
    codes[16:, 2] = MISSING
    table = LabelTable(codes, TYPED)

    cells, found = kappas(table, clusters=clusters)

    for first, second, it in zip(cells.first, cells.second, found, strict=True):
        met = [c for c in range(10) if (codes[clusters == c][:, [first, second]] >= 0).all(axis=1).any()]
        if len(met) == 2:
            assert it.reason == "two clusters alone say too little of how others would vary"
            continue
        left = [
            cohen_kappa(LabelTable(codes[clusters != c], TYPED).raters(int(first), int(second))).estimate for c in met
        ]
        error = np.sqrt((len(met) - 1) ** 2 / len(met) * np.var(left, ddof=1))
        reach = stats.t.isf(0.025, len(met) - 1) * error
        of_units = reach_of_units(table, int(first), int(second))
        low = max(it.estimate - max(reach, of_units), -1)
        assert (it.interval.low, it.interval.method) == (pytest.approx(low), "delete-one jackknife over clusters")


def reach_of_units(table, first, second):
    """How far the interval reaches with each unit for itself, by leaving out each by hand."""
    both = (table.codes[:, [first, second]] >= 0).all(axis=1)
    pair = table.codes[both][:, [first, second]]
    left = [cohen_kappa(LabelTable(np.delete(pair, it, axis=0), TYPED)).estimate for it in range(len(pair))]
    return stats.norm.isf(0.025) * np.sqrt((len(pair) - 1) * np.var(left))


def test_few_clusters_that_are_alike_by_chance_do_not_narrow_the_interval():
    codes = np.tile([[0, 0], [0, 0], [1, 1], [0, 1], [1, 0], [1, 1]], (4, 1))
    codes[0] = [1, 1]
    table = LabelTable(codes, ("1", "2"))

    (units,), (clusters,) = kappas(table)[1], kappas(table, clusters=np.repeat(np.arange(4), 6))[1]

    of_units, of_clusters = (it.interval.high - it.interval.low for it in (units, clusters))
    assert of_clusters == pytest.approx(of_units, rel=0.07)  # normal instead of Student's t


def test_alike_or_two_clusters_have_no_interval():
    codes = np.tile([[0, 0], [1, 1], [0, 1]], (4, 1))
    alike = kappas(LabelTable(codes, ("1", "2")), clusters=np.repeat(np.arange(4), 3))[1]
    two = kappas(LabelTable(codes, ("1", "2")), clusters=np.repeat([0, 1], 6))[1]
    assert alike[0].reason == "clusters that are all alike say nothing of how others would vary"
    assert two[0].reason == "two clusters alone say too little of how others would vary"


def test_units_as_clusters_are_units(codes):
    table = LabelTable(codes, TYPED)
    for measure in (kappas, alphas):
        plain, clustered = measure(table)[1], measure(table, clusters=np.arange(len(codes)))[1]
        assert [it.interval.high for it in clustered] == pytest.approx([it.interval.high for it in plain])


def test_one_cluster_has_no_interval(codes):
    found = kappas(LabelTable(codes, TYPED), clusters=np.zeros(len(codes), dtype=np.int64))[1]
    assert {it.reason for it in found} == {"one cluster alone says nothing of how others would vary"}


@each("level", ["nominal", "ordinal", "interval", "typed_tie"])
def test_alphas_are_those_of_each_pair(codes, level):
    table = LabelTable(codes, NUMBERS if level == "interval" else TYPED)

    cells, found = alphas(table, measure=level)

    alone = [
        krippendorff_alpha(table.raters(a, b), level=level) for a, b in zip(cells.first, cells.second, strict=True)
    ]
    assert [it.estimate for it in found] == pytest.approx([it.estimate for it in alone], abs=1e-12)


def test_alphas_are_those_of_the_krippendorff_package(codes):
    cells, found = alphas(LabelTable(codes, NUMBERS), measure="interval")
    for first, second, it in zip(cells.first, cells.second, found, strict=True):
        data = np.where(codes >= 0, codes + 1.0, np.nan)[:, [first, second]].T
        assert it.estimate == pytest.approx(krippendorff.alpha(data, level_of_measurement="interval"), abs=1e-12)


def test_jackknife_is_that_of_leaving_out_unit_by_unit(codes):
    table = LabelTable(codes[:, :2], TYPED)
    both = LabelTable(table.codes[(table.codes >= 0).all(axis=1)], TYPED)
    without = [
        cohen_kappa(LabelTable(np.delete(both.codes, unit, axis=0), TYPED)).estimate for unit in range(both.n_units)
    ]
    expected = np.sqrt((both.n_units - 1) * np.var(without))

    _, (found,) = kappas(table)

    reach = (found.interval.high - found.interval.low) / 2
    assert reach / expected == pytest.approx(1.9998, abs=0.03)  # Student's t of some fifty units


def test_jackknife_error_is_near_the_large_sample_error_of_statsmodels():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 5_000)
    said = [np.where(rng.random(5_000) < 0.7, true, rng.integers(0, 4, 5_000)) for _ in range(2)]
    table = LabelTable(np.stack(said, axis=1), TYPED)
    cells = pair_cells(table).cells.astype(float)

    (error,) = jackknife_errors(cells, lambda counts: np.array([kappa_of(it) for it in counts]))

    assert error == pytest.approx(cohens_kappa(cells[0]).std_kappa, rel=0.01)


def kappa_of(cells):
    return float(cohens_kappa(cells, return_results=False))


def test_pairs_do_not_depend_on_the_order_of_raters(codes):
    table = LabelTable(codes, TYPED)
    _, found = kappas(table)
    cells, turned = kappas(LabelTable(codes[:, ::-1], TYPED))

    by_pair = {(5 - b, 5 - a): it for a, b, it in zip(cells.first, cells.second, turned, strict=True)}
    forth = pair_cells(table)
    assert [by_pair[a, b].estimate for a, b in zip(forth.first, forth.second, strict=True)] == pytest.approx(
        [it.estimate for it in found], abs=1e-12
    )


def test_raters_who_never_met_and_raters_of_one_label_are_undefined():
    codes = np.array([[0, MISSING, 0], [0, MISSING, 0], [MISSING, 1, MISSING]])

    _, (apart, same, _other) = kappas(LabelTable(codes, TYPED))

    assert (apart.n, apart.reason) == (0, "no unit has labels from two raters")
    assert (same.n, same.reason) == (2, "both raters gave one and the same label to every unit")


def test_what_one_unit_alone_makes_defined_has_no_interval():
    _, (found,) = kappas(LabelTable(np.array([[0, 0], [0, 0], [1, 1]]), TYPED))

    assert (found.estimate, found.interval) == (1.0, None)
    assert found.reason == "without one of the units it is undefined"


def test_one_rater_has_no_pairs():
    assert kappas(LabelTable(np.zeros((3, 1), dtype=np.int64), TYPED))[1] == []
