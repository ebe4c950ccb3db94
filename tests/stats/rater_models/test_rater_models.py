"""Severity, variance components, intraclass correlations: against statsmodels, dense algebra and print."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.formula.api import mixedlm, ols

from stats import reasons
from stats.rater_models.components import Components, facet_groups, variance_components
from stats.rater_models.intraclass import intraclass, of_mean
from stats.rater_models.rated import Rated, groups
from stats.rater_models.severity import adjusted_means
from stats.systems.means import two_way_mean

#: Table 2 of Shrout & Fleiss (1979): six targets, four judges.
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)

#: Bitterness of wine (Randall 1989; `wine` of R's package ordinal): nine judges, each of whom tasted the same eight
#: bottles, two of each of four treatments.
BITTERNESS = (
    "36 48 47 67 77 60 83 90 17 22 14 50 30 51 90 70 36 50 42 23 80 81 73 62 46 27 48 32 57 37 84 58 "
    "26 45 61 41 48 41 58 55 46 30 54 37 32 60 88 73 13 19 31 29 22 43 32 49 25 32 39 40 51 45 42 67 "
    "12 29 47 28 47 38 72 65"
)


def wine() -> Rated:
    """Treatments as systems, bottles as items, judges as raters."""
    judge, bottle = (it.reshape(-1) for it in np.indices((9, 8)))
    return Rated(np.array(BITTERNESS.split(), float), bottle // 2, bottle, judge)


def wine_in_parts() -> Rated:
    """As if each judge had tasted about two bottles of three, some treatments more than others."""
    rated = wine()
    return rated.where((rated.items * 5 + rated.raters * 3) % 8 < 4 + rated.raters % 3)


def crossed(rng: np.random.Generator, *, systems: int = 4, items: int = 6, raters: int = 5) -> Rated:
    """Every rater rates every response."""
    s, i, r = (it.reshape(-1) for it in np.indices((systems, items, raters)))
    values = (
        rng.normal(0, 1, systems)[s] - rng.normal(0, 0.6, raters)[r] + rng.normal(0, 0.4, (systems, items))[s, i]
        + rng.normal(0, 0.3, items)[i] + rng.normal(0, 0.3, (systems, raters))[s, r] + rng.normal(0, 0.7, len(s)) + 3
    )  # fmt: skip
    return Rated(values, s, i, r)


def some_of(rng: np.random.Generator, rated: Rated, share: float) -> Rated:
    return rated.where(rng.random(len(rated)) < share)


def frame_of(rated: Rated) -> pd.DataFrame:
    return pd.DataFrame({"y": rated.values, "s": rated.systems, "i": rated.items, "r": rated.raters})


# Variance components


def test_components_of_balanced_data_are_those_of_the_analysis_of_variance():
    rated = crossed(np.random.default_rng(1))
    table = sm.stats.anova_lm(ols("y ~ C(s) * C(i) + C(s) * C(r) + C(i) * C(r)", frame_of(rated)).fit())
    squares = (table["sum_sq"] / table["df"]).to_dict()
    rest, n_s, n_i, n_r = squares["Residual"], 4, 6, 5
    si, sr, ir = squares["C(s):C(i)"], squares["C(s):C(r)"], squares["C(i):C(r)"]

    found = variance_components(rated).variances

    assert found == pytest.approx({
        "system": (squares["C(s)"] - si - sr + rest) / (n_i * n_r),
        "item": (squares["C(i)"] - si - ir + rest) / (n_s * n_r),
        "rater": (squares["C(r)"] - sr - ir + rest) / (n_s * n_i),
        "response": (si - rest) / n_r,
        "system_rater": (sr - rest) / n_i,
        "item_rater": (ir - rest) / n_s,
        "residual": rest,
    })  # fmt: skip


def test_components_of_unbalanced_data_solve_the_expectations_of_their_quadratic_forms():
    """A second way: each total is yᵀAy, whose expectation is the trace of A times the covariance."""
    rng = np.random.default_rng(2)
    rated = some_of(rng, crossed(rng), 0.6)
    of = facet_groups(rated)
    ones = {name: np.eye(it.max() + 1)[it] for name, it in of.items()}
    ones |= {"residual": np.eye(len(rated))}
    mean = np.ones((len(rated), 1))
    forms = [z @ np.linalg.inv(z.T @ z) @ z.T for z in (mean, *ones.values())]
    expectations = [[np.sum(a), *(np.trace(a @ z @ z.T) for z in ones.values())] for a in forms]
    totals = [rated.values @ a @ rated.values for a in forms]

    found = variance_components(rated)

    assert found.within == {}
    assert list(found.variances.values()) == pytest.approx(np.linalg.solve(expectations, totals)[1:].tolist())


def test_components_of_balanced_data_are_those_of_restricted_maximum_likelihood():
    rng = np.random.default_rng(3)
    items, raters = (it.reshape(-1) for it in np.indices((30, 12)))
    values = rng.normal(0, 0.8, 30)[items] + rng.normal(0, 0.5, 12)[raters] + rng.normal(0, 0.7, len(items))
    rated = Rated(values, np.zeros(len(values), int), items, raters)
    frame = frame_of(rated).assign(one=1)
    fit = mixedlm("y ~ 1", frame, groups="one", vc_formula={"i": "0 + C(i)", "r": "0 + C(r)"}).fit(reml=True)

    found = variance_components(rated).variances

    assert [found["item"], found["rater"]] == pytest.approx(fit.vcomp.tolist(), rel=1e-3)
    assert found["residual"] == pytest.approx(fit.scale, rel=1e-3)


def test_components_of_unbalanced_data_have_no_bias():
    """The mean over 400 studies, within three of its standard errors."""
    true = {"system": 1.0, "item": 0.09, "rater": 0.36, "response": 0.16, "system_rater": 0.09, "residual": 0.49}
    rng = np.random.default_rng(16)
    found = []
    for _ in range(400):
        rated = some_of(rng, crossed(rng), 0.5)
        found.append([variance_components(rated).variances[name] for name in true])

    errors = np.std(found, axis=0) / 20
    assert (np.abs(np.mean(found, axis=0) - list(true.values())) < 3 * errors).all()


def test_components_do_not_hang_on_order_names_or_the_level():
    rng = np.random.default_rng(4)
    rated = some_of(rng, crossed(rng), 0.7)
    order = rng.permutation(len(rated))
    other = Rated(
        rated.values[order] + 100, rated.systems[order] * 7, rated.items[order] + 3, 9 - rated.raters[order]
    )

    assert variance_components(other).variances == pytest.approx(variance_components(rated).variances)


def test_what_the_design_does_not_separate_is_named():
    """Each item heard from one system only, each response rated once by each of three."""
    items, raters = (it.reshape(-1) for it in np.indices((8, 3)))
    found = variance_components(Rated(np.arange(24.0) % 7, items % 2, items, raters))

    assert found.within == {"response": "item", "item_rater": "residual"}
    assert set(found.variances) == {"system", "item", "rater", "system_rater", "residual"}


def test_one_rating_each_has_no_components():
    n = np.arange(4)
    found = variance_components(Rated(n.astype(float), n, n, n))

    assert (found.variances, found.reason) == ({}, reasons.NOTHING_TO_SEPARATE())


def test_rater_who_is_the_system_cannot_be_separated():
    systems = np.repeat([0, 1, 2], 4)
    found = variance_components(Rated(np.arange(12.0) ** 2, systems, np.tile([0, 1], 6), systems))

    assert found.within["rater"] == "system"


# Adjusted means


def dense_fit(rated: Rated, found: Components) -> tuple[np.ndarray, np.ndarray]:
    """Generalized least squares and best linear unbiased predictors by the whole covariance matrix."""
    variance = found.at_least_zero
    of = {"item": groups(rated.items), "response": groups(rated.systems, rated.items)}
    ones = {name: np.eye(it.max() + 1)[it] for name, it in of.items()}
    z = np.eye(rated.raters.max() + 1)[rated.raters]
    x = np.eye(rated.systems.max() + 1)[rated.systems]
    covariance = (variance("residual") + variance("item_rater")) * np.eye(len(rated))
    covariance += sum(variance(name) * it @ it.T for name, it in ones.items()) + variance("rater") * z @ z.T
    inverse = np.linalg.inv(covariance)
    means = np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ rated.values)
    return means, -variance("rater") * z.T @ inverse @ (rated.values - x @ means)


def test_adjusted_means_are_generalized_least_squares_and_severities_the_best_predictors():
    rng = np.random.default_rng(5)
    rated = some_of(rng, crossed(rng), 0.4)
    means, severity = dense_fit(rated, variance_components(rated))

    found = adjusted_means(rated, n_systems=4, n_raters=5)

    assert found.means == pytest.approx(means)
    assert [found.severity_of(it).estimate for it in range(5)] == pytest.approx(severity.tolist())


def test_adjusted_means_without_other_variances_are_those_of_statsmodels_mixed_model():
    """Its own REML variances are put in, so that the estimates of the means can be compared to six digits."""
    rng = np.random.default_rng(6)
    rated = some_of(rng, crossed(rng, items=20), 0.3)
    frame = frame_of(rated).assign(one=1)
    fit = mixedlm("y ~ 0 + C(s)", frame, groups="one", vc_formula={"r": "0 + C(r)"}).fit(reml=True)
    means, severity = dense_fit(rated, Components({"rater": fit.vcomp[0], "residual": fit.scale}, {}, len(rated)))

    assert means == pytest.approx(fit.fe_params.to_numpy(), rel=1e-6)
    assert severity == pytest.approx(-fit.random_effects[1].to_numpy(), rel=1e-4)


def test_components_of_published_ratings_are_those_of_statsmodels():
    """Bottles and judges: restricted maximum likelihood of a complete study is the analysis of variance."""
    judge, bottle = (it.reshape(-1) for it in np.indices((9, 8)))
    rated = Rated(wine().values, bottle, np.zeros(72, int), judge)
    parts = {"r": "0 + C(r)", "s": "0 + C(s)"}
    model = mixedlm("y ~ 1", frame_of(rated).assign(one=1), groups="one", vc_formula=parts)
    fit = model.fit(reml=True, method=["powell"], maxiter=2_000)

    found = variance_components(rated).variances

    assert [found["rater"], found["system"], found["residual"]] == pytest.approx([*fit.vcomp, fit.scale], rel=2e-3)


def test_adjusted_means_of_published_ratings_are_those_of_statsmodels():
    """Its generalized least squares at the same variances."""
    rated = wine_in_parts()
    found = adjusted_means(rated, n_systems=4, n_raters=9)
    variance = found.components.at_least_zero
    residual = variance("residual") + variance("item_rater")
    model = mixedlm(
        "y ~ 0 + C(s)", frame_of(rated).assign(one=1), groups="one", vc_formula={"i": "0 + C(i)", "r": "0 + C(r)"}
    )
    theirs, _singular = model.get_fe_params(
        np.zeros((0, 0)), np.array([variance("item"), variance("rater")]) / residual
    )

    plain = [rated.values[rated.systems == it].mean() for it in range(4)]
    assert found.means == pytest.approx(theirs, rel=1e-8)
    assert max(abs(found.means - plain)) > 0.2


def test_where_every_rater_rates_all_nothing_is_adjusted():
    rated = crossed(np.random.default_rng(7))

    found = adjusted_means(rated, n_systems=4, n_raters=5)

    for system in range(4):
        own = rated.systems == system
        plain = two_way_mean(rated.values[own], rated.items[own], rated.raters[own])
        assert found.mean(system).estimate == pytest.approx(plain.estimate)


def test_severe_raters_of_one_system_are_taken_into_account():
    """The severe rater hears B more often; both systems are equally good."""
    rng = np.random.default_rng(8)
    items = np.repeat(np.arange(60), 2)
    systems = np.tile([0, 1], 60)
    raters = np.where(rng.random(120) < np.where(systems == 1, 0.6, 0.1), 0, rng.integers(1, 6, 120))
    values = 3 - 1.5 * (raters == 0) + rng.normal(0, 0.3, 120)

    found = adjusted_means(Rated(values, systems, items, raters), n_systems=2, n_raters=6)

    plain = values[systems == 0].mean() - values[systems == 1].mean()
    difference = found.difference(0, 1)
    assert plain > 0.5
    assert difference.interval.low < 0 < difference.interval.high
    assert abs(difference.estimate) < 0.15
    assert found.severity_of(0).estimate == max(found.severity_of(it).estimate for it in range(6))


def test_shifting_all_ratings_shifts_means_and_no_severity():
    rng = np.random.default_rng(9)
    rated = some_of(rng, crossed(rng), 0.5)
    other = Rated(rated.values + 2, rated.systems, rated.items, rated.raters)

    one, two = (adjusted_means(it, n_systems=4, n_raters=5) for it in (rated, other))

    assert two.means == pytest.approx(one.means + 2)
    assert two.severity == pytest.approx(one.severity)
    assert two.difference(0, 1).interval.low == pytest.approx(one.difference(0, 1).interval.low)


def test_systems_that_no_rater_links_are_undefined():
    rated = crossed(np.random.default_rng(10))
    apart = Rated(
        np.append(rated.values, [1.0, 2.0]), np.append(rated.systems, [4, 4]), np.append(rated.items, [0, 1]),
        np.append(rated.raters, [5, 5]),
    )  # fmt: skip

    found = adjusted_means(apart, n_systems=6, n_raters=6)

    assert (found.mean(4).estimate, found.mean(4).reason) == (None, reasons.NOT_LINKED())
    assert (found.mean(5).estimate, found.mean(5).reason) == (None, reasons.NOBODY_RATED())
    assert found.difference(0, 4).reason == reasons.NOT_LINKED()
    assert found.severity_of(5).reason == reasons.NOT_LINKED()
    assert found.mean(0).interval is not None


def test_two_raters_are_too_few_for_an_interval():
    rated = crossed(np.random.default_rng(11), raters=2)

    found = adjusted_means(rated, n_systems=4, n_raters=2)

    assert (found.mean(0).interval, found.mean(0).reason) == (None, reasons.FEW_FOR_SEVERITY())
    assert found.severity_of(0).reason == reasons.FEW_FOR_SEVERITY()


def test_nothing_rated_and_all_alike_have_reasons_and_no_numbers_that_are_none():
    nothing = Rated(np.zeros(0), *(np.zeros(0, dtype=np.int64) for _ in range(3)))
    alike = crossed(np.random.default_rng(12))
    alike = Rated(np.full(len(alike), 3.0), alike.systems, alike.items, alike.raters)

    assert adjusted_means(nothing, n_systems=2, n_raters=2).mean(0).reason == reasons.NOBODY_RATED()
    found = adjusted_means(alike, n_systems=4, n_raters=5)
    assert (found.mean(0).estimate, found.mean(0).interval) == (pytest.approx(3.0), None)
    assert found.mean(0).reason is not None
    assert found.severity_of(0).reason == reasons.NO_SEVERITY_SEEN()


# Intraclass correlations


def test_intraclass_correlations_are_those_of_shrout_and_fleiss():
    """Their Table 4: .17, .44, .29, .62, with the interval of ICC(2,1) from .02 to .76 (pingouin's documentation)."""
    found = intraclass(SHROUT_FLEISS.reshape(-1), np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6))
    four = (found.one_way, found.one_way_mean, found.two_way, found.two_way_mean)

    assert [round(it.estimate, 2) for it in four] == [0.17, 0.44, 0.29, 0.62]
    assert [(round(it.interval.low, 2), round(it.interval.high, 2)) for it in four] == [
        (-0.13, 0.72), (-0.88, 0.91), (0.02, 0.76), (0.07, 0.93),
    ]  # fmt: skip


def test_incomplete_ratings_have_the_intraclass_correlation_of_two_way_sums_of_squares():
    """Type II sums of squares of statsmodels, and the coefficients from traces."""
    rng = np.random.default_rng(14)
    responses, raters = (it.reshape(-1) for it in np.indices((15, 6)))
    values = rng.normal(0, 1, 15)[responses] + rng.normal(0, 0.5, 6)[raters] + rng.normal(0, 0.6, 90)
    kept = rng.random(90) < 0.5
    frame = pd.DataFrame({"y": values[kept], "t": responses[kept], "r": raters[kept]})
    table = sm.stats.anova_lm(ols("y ~ C(t) + C(r)", frame).fit(), typ=2)
    squares = (table["sum_sq"] / table["df"]).to_dict()
    t, r = (np.eye(it.max() + 1)[it] for it in (groups(frame["t"].to_numpy()), groups(frame["r"].to_numpy())))
    left = {name: np.eye(len(frame)) - z @ np.linalg.inv(z.T @ z) @ z.T for name, z in (("t", t), ("r", r))}
    per_t = np.trace(t.T @ left["r"] @ t) / table["df"]["C(t)"]
    per_r = np.trace(r.T @ left["t"] @ r) / table["df"]["C(r)"]
    of_t = (squares["C(t)"] - squares["Residual"]) / per_t
    of_r = (squares["C(r)"] - squares["Residual"]) / per_r

    found = intraclass(*(frame[name].to_numpy() for name in ("y", "t", "r")))

    assert found.two_way.estimate == pytest.approx(of_t / (of_t + of_r + squares["Residual"]))
    assert found.two_way_mean.estimate == pytest.approx(of_mean(found.two_way.estimate, found.k))
    assert found.two_way.interval.low < found.two_way.estimate < found.two_way.interval.high


@pytest.mark.parametrize(
    ("values", "responses", "raters", "reason"),
    [
        ([1.0, 2, 3], [0, 1, 2], [0, 1, 0], reasons.NO_REPEATED_RATINGS()),
        ([1.0, 2, 3], [0, 0, 0], [0, 1, 2], reasons.ONE_RESPONSE()),
        ([2.0, 2, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1], reasons.SAME_VALUES()),
    ],
)
def test_intraclass_correlation_is_undefined_with_a_reason(values, responses, raters, reason):
    found = intraclass(*map(np.array, (values, responses, raters)))

    assert [(it.estimate, it.reason) for it in (found.one_way, found.two_way_mean)] == [(None, reason)] * 2


def test_one_rater_twice_has_a_one_way_correlation_only():
    responses = np.repeat(np.arange(5), 2)
    found = intraclass(responses + np.tile([0.0, 0.5], 5), responses, np.zeros(10, int))

    assert found.one_way.estimate > 0.9
    assert found.two_way.reason == reasons.ONE_RATER()


def test_unlinked_raters_have_no_two_way_correlation():
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3)]
    responses, raters = np.array(pairs).T
    found = intraclass(np.array([1.0, 2, 3, 4, 2, 2, 5, 4]), responses, raters)

    assert found.two_way.reason == reasons.FACETS_MIXED()
