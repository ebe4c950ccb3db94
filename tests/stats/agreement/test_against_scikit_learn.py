"""The same statistics from scikit-learn, on random data."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, cohen_kappa_score
from sklearn.metrics import confusion_matrix as sklearn_confusion

from stats.agreement.coefficients import cohen_kappa, percent_agreement
from stats.agreement.labels import LabelTable, kinds_of
from stats.judges.ceiling import human_ceiling
from stats.judges.coherence import _fitted, _one_hot, coherence
from stats.judges.comparison import accuracy, confusion_matrix
from stats.ratings.bradley_terry import bradley_terry
from stats.ratings.contextual import fit_in_context
from stats.ratings.votes import count_votes
from tests.cases import each
from tests.stats.simulation import simulated_votes

LABELS = ("1", "2", "both_good", "both_bad")


def two_raters(seed, n=200):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, n)
    return LabelTable(np.stack([true, np.where(rng.random(n) < 0.6, true, rng.integers(0, 4, n))], axis=1), LABELS)


@each("weights", ["none", "linear", "quadratic"])
@each("seed", range(5))
def test_cohen_kappa_is_that_of_scikit_learn(seed, weights):
    table = two_raters(seed)
    expected = cohen_kappa_score(*table.codes.T, weights=None if weights == "none" else weights)
    assert cohen_kappa(table, weights=weights).estimate == pytest.approx(expected, abs=1e-12)


@each("seed", range(5))
def test_accuracy_and_confusion_are_those_of_scikit_learn(seed):
    table = two_raters(seed)
    judge, reference = table.codes.T
    assert accuracy(table).estimate == pytest.approx(accuracy_score(reference, judge))
    assert np.array_equal(confusion_matrix(table).counts[:, :4], sklearn_confusion(reference, judge))


@each("seed", range(3))
def test_weights_of_the_coherence_model_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    dimensions = rng.integers(0, 4, (250, 3))
    overall = np.where(rng.random(250) < 0.3, rng.integers(0, 4, 250), dimensions[:, 0])
    kinds = kinds_of(dimensions)
    design = _one_hot(kinds.rows, 4)
    counts = np.bincount(kinds.of_unit * 4 + overall, minlength=4 * len(design)).reshape(-1, 4)
    ours = _fitted(design, counts, 1.0, np.zeros((13, 4)))
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=20_000).fit(design[kinds.of_unit][:, :-1], overall)
    weights = ours[:-1].T
    assert weights == pytest.approx(model.coef_, abs=1e-4)
    assert ours[-1] - ours[-1].mean() == pytest.approx(model.intercept_ - model.intercept_.mean(), abs=1e-4)


def test_weights_that_coherence_tells_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    dimensions = rng.integers(0, 4, (250, 3))
    overall = np.where(rng.random(250) < 0.3, rng.integers(0, 3, 250), dimensions[:, 0] % 3)  # the last one never
    found = coherence(LabelTable(dimensions, LABELS), LabelTable(overall[:, np.newaxis], LABELS), rng=rng, repeats=1)
    hot = _one_hot(dimensions, 4)[:, :-1]
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=20_000).fit(hot, overall)
    assert found.weights.shape == (3, 4, 4)
    assert found.weights[..., :3].reshape(12, 3) == pytest.approx(model.coef_.T, abs=1e-4)
    assert np.isnan(found.weights[..., 3]).all()


@each("seed", range(3))
def test_agreement_of_two_raters_is_the_accuracy_of_scikit_learn(seed):
    table = two_raters(seed)
    expected = accuracy_score(*table.codes.T)
    assert percent_agreement(table).estimate == pytest.approx(expected, abs=1e-12)
    assert human_ceiling(table).estimate == pytest.approx(expected, abs=1e-12)


def test_leave_one_out_is_that_of_fitting_scikit_learn_without_each_unit():
    rng = np.random.default_rng(1)
    dimensions = rng.integers(0, 4, (60, 2))
    overall = np.where(rng.random(60) < 0.4, rng.integers(0, 4, 60), dimensions[:, 0])
    hot = _one_hot(dimensions, 4)[:, :-1]
    right = 0
    for unit in range(60):
        kept = np.arange(60) != unit
        model = LogisticRegression(C=1.0, tol=1e-8, max_iter=5_000).fit(hot[kept], overall[kept])
        right += int(model.predict(hot[[unit]])[0] == overall[unit])
    found = coherence(LabelTable(dimensions, LABELS), LabelTable(overall[:, np.newaxis], LABELS), rng=rng, repeats=1)
    assert round(found.leave_one_out.estimate * 60) == right


def test_log_odds_are_those_of_a_logistic_regression_on_the_votes():
    votes = simulated_votes([0, 0.5, 1, 1.5], 800, ties=0)
    design = np.zeros((800, 4))
    design[np.arange(800), votes.first], design[np.arange(800), votes.second] = 1, -1
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(design, votes.scores())
    expected = model.coef_[0] - model.coef_[0].mean()
    assert bradley_terry(count_votes(votes).scores()).log_odds == pytest.approx(expected, abs=1e-5)


def test_effects_in_context_are_those_of_a_logistic_regression_on_the_votes():
    votes = simulated_votes([0, 0.5, 1], 800, ties=0, pull=0.5)
    covariates = np.column_stack([np.ones(800), np.random.default_rng(1).normal(size=800)])
    design = np.zeros((800, 5))
    design[np.arange(800), votes.first], design[np.arange(800), votes.second] = 1, -1
    design[:, 3:] = covariates
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(design, votes.scores())
    found = fit_in_context(votes, covariates)
    assert found.effects == pytest.approx(model.coef_[0, 3:], abs=1e-5)
    assert found.log_odds == pytest.approx(model.coef_[0, :3] - model.coef_[0, :3].mean(), abs=1e-5)
