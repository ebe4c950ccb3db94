from functools import partial

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stats.agreement.coefficients import (
    _alpha_kernel,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from stats.agreement.coincidences import typed_tie_distance
from stats.agreement.labels import MISSING, LabelTable, label_table
from stats.intervals import Bootstrap
from tests.cases import each

TYPED = ("1", "2", "both_good", "both_bad")
LEVELS = ("nominal", "ordinal", "interval", "typed_tie")

# Krippendorff (2011), example C: four observers, twelve units, missing data.
KRIPPENDORFF = [
    [*"123321412", None, None, None],
    [*"1233224125", None, "3"],
    [None, *"3332342251", None],
    [*"12332441251", None],
]
# The textbook example of κ: two readers, fifty grant proposals, yes or no.
PROPOSALS = {"yy": 20, "yn": 5, "ny": 10, "nn": 15}
# Fleiss (1971), as printed in Fleiss, Levin & Paik (2003): ten units, fourteen raters, five categories.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

tables = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.integers(2, 4)), elements=st.integers(MISSING, len(TYPED) - 1)
).map(lambda codes: LabelTable(codes, TYPED))
randomly = settings(deadline=None, max_examples=25)


def numbered(table: LabelTable) -> LabelTable:
    """The same codes on a scale of numbers."""
    return LabelTable(table.codes, ("0", "1", "2", "3"))


def measure(level: str):
    """The level as the package wants it."""
    distance = typed_tie_distance(TYPED)
    return (lambda _v1, _v2, i1, i2, *_, **__: distance[i1, i2]) if level == "typed_tie" else level


def alpha(table: LabelTable, level: str):
    return krippendorff_alpha(numbered(table) if level == "interval" else table, level=level)


STATISTICS = {
    "percent 4-way": percent_agreement,
    "percent 3-way": lambda table: percent_agreement(table, ways=3),
    "percent 2-way": lambda table: percent_agreement(table, ways=2),
    "Fleiss": fleiss_kappa,
    "AC1": gwet_ac1,
    "Cohen": lambda table: cohen_kappa(table.raters(0, 1)),
    "Cohen, typed ties": lambda table: cohen_kappa(table.raters(0, 1), weights="typed_tie"),
} | {f"α {level}": partial(alpha, level=level) for level in LEVELS}

every_statistic = pytest.mark.parametrize("statistic", STATISTICS.values(), ids=STATISTICS)


def close(one, other):
    if one.estimate is None or other.estimate is None:
        return one.estimate is other.estimate
    return one.estimate == pytest.approx(other.estimate, abs=1e-12)


def test_cohen_kappa_is_that_of_the_textbook_example():
    table = label_table([[cell[side] for cell, n in PROPOSALS.items() for _ in range(n)] for side in (0, 1)])
    assert percent_agreement(table).estimate == pytest.approx(0.7)
    assert cohen_kappa(table).estimate == pytest.approx(0.4)


def test_fleiss_kappa_is_the_published_one():
    rows = [[category for category, n in enumerate(row) for _ in range(n)] for row in FLEISS]
    found = fleiss_kappa(LabelTable(np.array(rows), tuple("abcde")))
    assert found.estimate == pytest.approx(0.210, abs=5e-4)


@each("level, published", [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_alpha_is_that_of_his_example(level, published):
    found = krippendorff_alpha(label_table(KRIPPENDORFF), level=level)
    assert round(found.estimate, 3) == published
    assert (found.n, [(it.n, it.why) for it in found.excluded]) == (11, [(1, "fewer than two labels")])


def test_coefficients_with_missing_labels_are_those_of_gwets_handbook():
    # The data set cac.raw4raters of Gwet's R package irrCAC is Krippendorff's example.
    table = label_table(KRIPPENDORFF)
    assert gwet_ac1(table).estimate == pytest.approx(0.77544, abs=5e-6)
    assert fleiss_kappa(table).estimate == pytest.approx(0.76117, abs=5e-6)
    assert percent_agreement(table).estimate == pytest.approx(0.81818, abs=5e-6)


@pytest.mark.parametrize("level", LEVELS)
@randomly
@given(table=tables)
def test_alpha_and_its_kernel_are_those_of_the_krippendorff_package(level, table):
    counts = table.counts()
    used = counts.sum(axis=1) >= 2
    assume((counts[used].sum(axis=0) > 0).sum() > 1)
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement=measure(level))
    assert alpha(table, level).estimate == pytest.approx(expected, abs=1e-12)
    kernel, package = alpha_of_resamples(table, level)
    assert np.allclose(kernel, package, atol=1e-12, rtol=0, equal_nan=True)


def alpha_of_resamples(table, level):
    """α of resampled units by our kernel from their sums, and by the package from the units themselves."""
    rng = np.random.default_rng(7)
    measured = numbered(table) if level == "interval" else table
    parts, statistic = _alpha_kernel(measured, level)
    counts = measured.counts()[(measured.codes >= 0).sum(axis=1) >= 2]
    drawn = rng.integers(len(counts), size=(10, len(counts)))
    ours = statistic(parts(counts)[drawn].sum(axis=1))
    theirs = [
        krippendorff.alpha(value_counts=counts[places], level_of_measurement=measure(level))
        if (counts[places].sum(axis=0) > 0).sum() > 1
        else np.nan
        for places in drawn
    ]
    return ours, theirs


@every_statistic
@randomly
@given(table=tables, data=st.data())
def test_agreement_does_not_depend_on_the_order_of_units_or_raters(statistic, table, data):
    units = data.draw(st.permutations(range(table.n_units)))
    raters = data.draw(st.permutations(range(2))) + list(range(2, table.n_raters))
    assert close(statistic(table), statistic(LabelTable(table.codes[list(units)][:, raters], TYPED)))


@pytest.mark.parametrize("name", [name for name in STATISTICS if name not in {"α ordinal", "α interval"}])
@randomly
@given(table=tables)
def test_agreement_does_not_depend_on_which_winner_is_called_first(name, table):
    swapped = np.select([table.codes == 0, table.codes == 1], [1, 0], table.codes)
    assert close(STATISTICS[name](table), STATISTICS[name](LabelTable(swapped, TYPED)))


@pytest.mark.parametrize("name", ["α ordinal", "α interval"])
@randomly
@given(table=tables)
def test_agreement_on_a_scale_does_not_depend_on_which_end_is_called_the_lowest(name, table):
    turned = np.where(table.codes >= 0, len(TYPED) - 1 - table.codes, MISSING)
    assert close(STATISTICS[name](table), STATISTICS[name](LabelTable(turned, TYPED)))


@every_statistic
@randomly
@given(table=tables)
def test_a_unit_without_labels_changes_nothing_but_the_count_of_what_was_left_out(statistic, table):
    longer = LabelTable(np.vstack([table.codes, np.full(table.n_raters, MISSING)]), TYPED)
    before, after = statistic(table), statistic(longer)
    assert close(before, after)
    assert after.n == before.n
    assert sum(it.n for it in after.excluded) == sum(it.n for it in before.excluded) + 1


@pytest.mark.parametrize("name", ["percent 4-way", "percent 3-way", "percent 2-way", "Fleiss", "AC1", "Cohen"])
@randomly
@given(table=tables)
def test_duplicating_all_units_leaves_shares_and_kappas_as_they_are(name, table):
    doubled = LabelTable(np.vstack([table.codes, table.codes]), TYPED)
    assert close(STATISTICS[name](table), STATISTICS[name](doubled))


@every_statistic
@randomly
@given(table=tables)
def test_agreement_is_at_most_one_and_one_where_all_agree(statistic, table):
    found = statistic(table)
    assert found.estimate is None or found.estimate <= 1 + 1e-12
    same = LabelTable(np.repeat(table.codes[:, :1], 3, axis=1), TYPED)
    agreed = statistic(same)
    assert agreed.estimate is None or agreed.estimate == pytest.approx(1)


@each("name", [name for name in STATISTICS if not name.startswith("percent")])
def test_coefficients_beyond_chance_are_near_zero_for_random_labels(name):
    codes = np.random.default_rng(4).integers(0, 4, size=(20_000, 3))
    assert STATISTICS[name](LabelTable(codes, TYPED)).estimate == pytest.approx(0, abs=0.02)


@each("name", [name for name in STATISTICS if not name.startswith("percent")])
def test_coefficients_recover_how_often_raters_knew_the_answer(name):
    # Both raters know the label with probability .8 each, and else guess: agreement beyond chance is .64.
    rng = np.random.default_rng(4)
    true = rng.integers(0, 4, size=40_000)
    codes = np.stack([np.where(rng.random(40_000) < 0.8, true, rng.integers(0, 4, 40_000)) for _ in range(2)], axis=1)
    assert STATISTICS[name](LabelTable(codes, TYPED)).estimate == pytest.approx(0.64, abs=0.015)


def test_percent_agreement_counts_winners_three_kinds_and_four_kinds():
    table = label_table(
        [["1", "1", "2", "both_good", "both_good", None], ["1", "2", "both_bad", "both_bad", "both_good", "1"]]
    )
    four, three, two = (percent_agreement(table, ways=ways) for ways in (4, 3, 2))
    assert (four.estimate, four.n) == (0.4, 5)
    assert (three.estimate, three.n) == (0.6, 5)
    assert (two.estimate, two.n) == (0.5, 2)
    assert [(it.n, it.why) for it in two.excluded] == [
        (1, "fewer than two labels"),
        (3, "a tie, where only winners count"),
    ]
    assert two.interval.method == "Wilson"


def test_percent_agreement_of_three_raters_is_the_mean_over_pairs():
    table = label_table([["1", "1"], ["1", "1"], ["2", "1"]])
    found = percent_agreement(table)
    assert found.estimate == pytest.approx((1 / 3 + 1) / 2)
    assert found.interval is None


def test_typed_tie_distance_is_the_declared_one():
    found = typed_tie_distance(("a", "b", "both_good", "both_bad"))
    assert found.tolist() == [[0, 1, 0.5, 0.5], [1, 0, 0.5, 0.5], [0.5, 0.5, 0, 1], [0.5, 0.5, 1, 0]]


@each("categories", [("1", "2", "tie"), ("1", "2", "3", "both_bad")])
def test_typed_tie_distance_refuses_other_scales(categories):
    with pytest.raises(ValueError, match="two winners"):
        typed_tie_distance(categories)


def test_typed_tie_alpha_forgives_a_tie_more_than_the_other_winner():
    tie = label_table([[*"1212", "1"], [*"1212", "both_good"]], categories=TYPED)
    winner = label_table([[*"1212", "1"], [*"1212", "2"]], categories=TYPED)
    near, far = (krippendorff_alpha(it, level="typed_tie").estimate for it in (tie, winner))
    assert near > far


def test_linear_and_quadratic_kappa_forgive_neighbours():
    table = label_table([[*"1234512345"], [*"1234523454"]])
    plain, linear, quadratic = (cohen_kappa(table, weights=it).estimate for it in ("none", "linear", "quadratic"))
    assert plain < linear < quadratic


@each("statistic", [cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement])
def test_bootstrap_interval_holds_the_estimate_and_names_its_method(statistic):
    rng = np.random.default_rng(2)
    true = rng.integers(0, 3, 300)
    table = LabelTable(np.stack([true, np.where(rng.random(300) < 0.7, true, 2)], axis=1), ("x", "y", "z"))
    found = statistic(table, bootstrap=Bootstrap(np.random.default_rng(1), resamples=500))
    assert found.interval.low < found.estimate < found.interval.high
    assert found.interval.method == "percentile bootstrap over units, 500 resamples"


def test_bootstrap_of_alpha_is_that_of_resampling_units_with_the_package():
    rng = np.random.default_rng(2)
    true = rng.integers(0, 4, 150)
    codes = np.stack([np.where(rng.random(150) < 0.7, true, rng.integers(0, 4, 150)) for _ in range(3)], axis=1)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    table = LabelTable(codes, TYPED)
    found = krippendorff_alpha(table, bootstrap=Bootstrap(np.random.default_rng(1), resamples=4_000))
    counts = table.counts()
    values = [
        krippendorff.alpha(value_counts=counts[rng.integers(150, size=150)], level_of_measurement="nominal")
        for _ in range(4_000)
    ]
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(np.quantile(values, [0.025, 0.975])), abs=0.01
    )


def test_bootstrap_over_items_is_wider_where_units_of_an_item_are_alike():
    rng = np.random.default_rng(2)
    agrees = np.repeat(rng.random(40) < 0.7, 10)
    true = rng.integers(0, 2, 400)
    table = LabelTable(np.stack([true, np.where(agrees, true, 1 - true)], axis=1), ("x", "y"))
    by_unit = cohen_kappa(table, bootstrap=Bootstrap(np.random.default_rng(1))).interval
    items = np.repeat(np.arange(40), 10)
    by_item = cohen_kappa(table, bootstrap=Bootstrap(np.random.default_rng(1), clusters=items)).interval
    assert by_item.high - by_item.low > 2 * (by_unit.high - by_unit.low)


# What is undefined, and why.


@every_statistic
def test_agreement_of_one_rater_is_undefined(statistic):
    table = label_table([["1", "2", "both_bad"], [None, None, None]], categories=TYPED)
    found = statistic(table)
    assert (found.estimate, found.interval, found.n) == (None, None, 0)
    assert found.reason == "no unit has labels from two raters"


@every_statistic
def test_agreement_of_raters_who_never_met_is_undefined(statistic):
    table = label_table([["1", "2", None, None], [None, None, "1", "2"]], categories=TYPED)
    assert statistic(table).reason == "no unit has labels from two raters"


@every_statistic
def test_agreement_of_nothing_is_undefined(statistic):
    assert statistic(LabelTable(np.empty((0, 2), dtype=np.int64), TYPED)).estimate is None


@each(
    "statistic, why",
    [
        (cohen_kappa, "both raters gave one and the same label to every unit"),
        (fleiss_kappa, "every label is the same"),
        (krippendorff_alpha, "all labels are the same, so there is nothing to tell apart"),
        (
            lambda it: krippendorff_alpha(it, level="typed_tie"),
            "all labels are the same, so there is nothing to tell apart",
        ),
        (
            lambda it: krippendorff_alpha(it, level="ordinal"),
            "all labels are the same, so there is nothing to tell apart",
        ),
    ],
)
def test_coefficients_are_undefined_where_all_labels_are_the_same(statistic, why):
    found = statistic(label_table([["1"] * 5, ["1"] * 5], categories=TYPED))
    assert (found.estimate, found.n, found.reason) == (None, 5, why)


def test_interval_alpha_is_undefined_where_all_labels_are_the_same():
    found = krippendorff_alpha(label_table([["7"] * 5, ["7"] * 5], categories=("1", "7")), level="interval")
    assert (found.estimate, found.reason) == (None, "all labels are the same, so there is nothing to tell apart")


def test_percent_agreement_and_ac1_are_one_where_all_labels_are_the_same():
    table = label_table([["1"] * 5, ["1"] * 5], categories=TYPED)
    assert percent_agreement(table).estimate == 1
    assert gwet_ac1(table).estimate == 1


def test_ac1_of_a_scale_with_one_category_is_undefined():
    assert gwet_ac1(label_table([["1"], ["1"]])).reason == "a scale of one category leaves no choice"


@every_statistic
def test_agreement_on_one_unit_has_no_interval(statistic):
    table = label_table([["1"], ["2"]], categories=TYPED)
    assert statistic(table).n in {0, 1}
    found = krippendorff_alpha(table, bootstrap=Bootstrap(np.random.default_rng(0)))
    assert (found.estimate, found.interval) == (0.0, None)
    assert found.reason == "one unit alone says nothing of how others would vary"


def test_winner_agreement_without_winners_is_undefined_and_counts_the_ties():
    found = percent_agreement(label_table([["both_bad"] * 3, ["both_good"] * 3]), ways=2)
    assert found.estimate is None
    assert [(it.n, it.why) for it in found.excluded] == [(3, "a tie, where only winners count")]


def test_cohen_kappa_refuses_three_raters():
    with pytest.raises(ValueError, match="two raters, not 3"):
        cohen_kappa(label_table([["1"], ["1"], ["1"]]))


def test_interval_alpha_takes_a_fine_scale_and_others_refuse_it():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 101, 400)
    heard = np.clip(true + rng.integers(-5, 6, 400), 0, 100)
    table = LabelTable(np.stack([true, heard], axis=1), tuple(map(str, range(101))))
    found = krippendorff_alpha(table, level="interval", bootstrap=Bootstrap(np.random.default_rng(1), resamples=200))
    assert 0.97 < found.interval.low < found.estimate < found.interval.high < 1
    with pytest.raises(ValueError, match="101 categories are too many"):
        krippendorff_alpha(table, level="ordinal")


def test_alpha_of_more_units_than_the_package_can_hold_comes_from_the_kernel(monkeypatch):
    table = label_table(KRIPPENDORFF)
    expected = krippendorff_alpha(table, level="ordinal").estimate
    monkeypatch.setattr("stats.agreement.coefficients._MOST_CELLS", 1)
    monkeypatch.setattr("stats.agreement.coefficients._alpha_of_package", None)
    assert krippendorff_alpha(table, level="ordinal").estimate == pytest.approx(expected, abs=1e-12)
