"""The same statistics from statsmodels, on random data."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.proportion import proportion_confint

from stats.agreement.coefficients import fleiss_kappa
from stats.agreement.labels import LabelTable
from stats.judges.comparison import mcnemar
from stats.proportions import wilson
from stats.ratings.contextual import rate_in_context
from stats.ratings.elo import POINTS
from tests.cases import each
from tests.stats.simulation import simulated_votes


@each("seed", range(5))
def test_fleiss_kappa_is_that_of_statsmodels(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (40, 5))
    codes[:, 1] = codes[:, 0]
    expected = statsmodels_fleiss(aggregate_raters(codes, n_cat=3)[0])
    assert fleiss_kappa(LabelTable(codes, tuple("xyz"))).estimate == pytest.approx(expected, abs=1e-12)


@each("seed", range(5))
def test_mcnemar_is_that_of_statsmodels(seed):
    codes = np.random.default_rng(seed).integers(0, 2, (60, 3))
    right = codes[:, :2] == codes[:, [2]]
    table = [[(right.all(axis=1)).sum(), (right[:, 0] & ~right[:, 1]).sum()], [(~right[:, 0] & right[:, 1]).sum(), 0]]
    expected = statsmodels_mcnemar(np.array(table), exact=True).pvalue
    assert mcnemar(LabelTable(codes, ("1", "2"))).p.estimate == pytest.approx(expected)


@each("hits, n", [(0, 5), (3, 5), (450, 497)])
def test_wilson_is_that_of_statsmodels(hits, n):
    found = wilson(hits, n, level=0.9)
    assert (found.low, found.high) == pytest.approx(proportion_confint(hits, n, alpha=0.1, method="wilson"))


@pytest.fixture(scope="module")
def logit():
    """Votes with two covariates, and the generalised linear model of them; the last system is the reference."""
    votes = simulated_votes([0, 0.4, 0.9], 600, ties=0.2, pull=0.3)
    covariates = {"position": np.ones(600), "longer": np.random.default_rng(1).normal(size=600)}
    design = np.zeros((600, 3))
    design[np.arange(600), votes.first], design[np.arange(600), votes.second] = 1, -1
    design = np.column_stack([design[:, :2], *covariates.values()])
    return votes, covariates, sm.GLM(votes.scores(), design, family=sm.families.Binomial())


def assert_same(found, *fits):
    """Each fit comes with its quantile; the widest of them counts."""
    fit = fits[0][0]
    for place, name in enumerate(("position", "longer"), start=2):
        effect = found.effects[name]
        assert effect.estimate == pytest.approx(fit.params[place], abs=1e-6)
        half = (effect.interval.high - effect.interval.low) / 2
        assert half == pytest.approx(max(quantile * it.bse[place] for it, quantile in fits), rel=1e-4)
    difference = found.table.difference("S0", "S1")
    assert difference.estimate / POINTS == pytest.approx(fit.params[0] - fit.params[1], abs=1e-6)
    half = (difference.interval.high - difference.interval.low) / 2 / POINTS
    contrast = np.array([1, -1, 0, 0])
    halves = [quantile * np.sqrt(contrast @ it.cov_params() @ contrast) for it, quantile in fits]
    assert half == pytest.approx(max(halves), rel=1e-4)


def test_errors_over_votes_are_those_of_statsmodels(logit):
    votes, covariates, model = logit
    (found,) = rate_in_context(votes, covariates)
    n = len(votes.first)
    assert_same(found, (model.fit(cov_type="HC0", tol=1e-12), 1.959964 * np.sqrt(n / (n - 1))))


def test_errors_over_voters_are_those_of_statsmodels(logit):
    votes, covariates, model = logit
    voters = np.random.default_rng(2).integers(0, 30, len(votes.first))
    (found,) = rate_in_context(votes, covariates, voters)
    # statsmodels corrects by G/(G−1) · (n−1)/(n−k); only the first part is ours.
    options = {"groups": voters, "use_correction": False}
    fit = model.fit(cov_type="cluster", cov_kwds=options, tol=1e-12)
    n = len(votes.first)
    own = model.fit(cov_type="HC0", tol=1e-12)  # never narrower than each vote for itself
    assert_same(found, (fit, 2.04523 * np.sqrt(30 / 29)), (own, 1.959964 * np.sqrt(n / (n - 1))))
