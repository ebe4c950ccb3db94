import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.agreement.labels import LabelTable, label_table
from stats.intervals import Bootstrap
from stats.judges.ceiling import human_ceiling
from stats.judges.comparison import (
    accuracy,
    accuracy_difference,
    confusion_matrix,
    majority_baseline,
    mcnemar,
    random_baseline,
    soft_accuracy,
    without_gain,
)
from stats.proportions import wilson
from tests.cases import each

JUDGE = ["1", "2", "both_bad", None, "1", "2"]
OTHER = ["2", "2", "both_bad", "1", "1", None]
PEOPLE = ["1", "2", "both_good", "1", None, "1"]


def judged(n=300, right=0.7, seed=1, judges=1):
    """Judges that are right with that probability each, and the reference as the last column."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, n)
    columns = [np.where(rng.random(n) < right, true, (true + rng.integers(1, 4, n)) % 4) for _ in range(judges)]
    return LabelTable(np.stack([*columns, true], axis=1), ("1", "2", "both_good", "both_bad"))


def test_a_missing_answer_is_wrong_and_a_missing_reference_is_left_out():
    found = accuracy(label_table([JUDGE, PEOPLE]))
    assert (found.estimate, found.n) == (0.4, 5)
    assert found.interval == wilson(2, 5)
    assert [(it.n, it.why) for it in found.excluded] == [(1, "no reference label")]


def test_missing_answers_may_be_left_out_and_are_then_counted():
    found = accuracy(label_table([JUDGE, PEOPLE]), unanswered="left_out")
    assert (found.estimate, found.n) == (0.5, 4)
    assert [(it.n, it.why) for it in found.excluded] == [(1, "no reference label"), (1, "no answer")]


def test_accuracy_recovers_what_was_simulated_and_its_bootstrap_is_near_wilson():
    table = judged(4_000)
    found = accuracy(table)
    assert found.estimate == pytest.approx(0.7, abs=0.02)
    drawn = accuracy(table, bootstrap=Bootstrap(np.random.default_rng(1), resamples=5_000))
    assert (drawn.interval.low, drawn.interval.high) == pytest.approx(
        (found.interval.low, found.interval.high), abs=0.002
    )
    assert drawn.interval.method.startswith("percentile bootstrap")


def test_accuracy_over_items_is_less_sure_where_units_of_an_item_are_alike():
    right = np.repeat(np.random.default_rng(1).random(30) < 0.6, 10)
    table = LabelTable(np.stack([np.where(right, 0, 1), np.zeros(300, int)], axis=1), ("1", "2"))
    bootstrap = Bootstrap(np.random.default_rng(1), clusters=np.repeat(np.arange(30), 10))
    by_item, by_unit = accuracy(table, bootstrap=bootstrap).interval, accuracy(table).interval
    assert by_item.high - by_item.low > 2 * (by_unit.high - by_unit.low)


def test_accuracy_without_a_reference_is_undefined():
    found = accuracy(label_table([["1", "2"], [None, None]]))
    assert (found.estimate, found.n, found.reason) == (None, 0, "no unit to compare")
    assert accuracy(LabelTable(np.empty((0, 2), dtype=np.int64), ("1",))).estimate is None


def test_difference_of_accuracies_is_that_of_the_two_on_the_same_units():
    table = label_table([JUDGE, OTHER, PEOPLE])
    found = accuracy_difference(table)
    one, other = accuracy(table.raters(0, 2)), accuracy(table.raters(1, 2))
    assert found.estimate == pytest.approx(one.estimate - other.estimate)
    assert found.n == 5
    turned = accuracy_difference(table.raters(1, 0, 2))
    assert turned.estimate == -found.estimate


def test_paired_bootstrap_knows_that_judges_err_on_the_same_units():
    table = judged(500)
    twin = table.codes[:, 0].copy()
    twin[:10] = (twin[:10] + 1) % 4
    alike = LabelTable(np.column_stack([table.codes[:, 0], twin, table.codes[:, 1]]), table.categories)
    apart = judged(500, judges=2)
    narrow, wide = (
        accuracy_difference(it, bootstrap=Bootstrap(np.random.default_rng(1))).interval for it in (alike, apart)
    )
    assert narrow.high - narrow.low < 0.5 * (wide.high - wide.low)


def test_paired_bootstrap_covers_no_difference_about_nineteen_times_in_twenty():
    held = 0
    for seed in range(150):
        found = accuracy_difference(
            judged(200, seed=seed, judges=2), bootstrap=Bootstrap(np.random.default_rng(seed), resamples=500)
        )
        held += found.interval.low <= 0 <= found.interval.high
    assert 0.90 <= held / 150 <= 0.99


def test_mcnemar_is_the_binomial_test_of_the_units_that_one_alone_got_right():
    columns = [["1"] * 12 + ["2"] * 3 + ["1"] * 5, ["2"] * 12 + ["1"] * 8, ["1"] * 20]
    found = mcnemar(label_table(columns))
    assert (found.gain, found.loss, found.p.n) == (12, 3, 20)
    assert found.p.estimate == pytest.approx(stats.binomtest(12, 15).pvalue)
    turned = mcnemar(label_table([columns[1], columns[0], columns[2]]))
    assert (turned.gain, turned.loss, turned.p.estimate) == (3, 12, found.p.estimate)


def test_mcnemar_is_undefined_for_judges_right_on_the_same_units():
    found = mcnemar(label_table([JUDGE, JUDGE, PEOPLE])).p
    assert (found.estimate, found.reason) == (None, "the two were right and wrong on the same units")
    assert mcnemar(label_table([["1"], ["1"], [None]])).p.reason == "no unit to compare"


def test_confusion_counts_answers_by_reference_and_keeps_missing_answers():
    found = confusion_matrix(label_table([JUDGE, PEOPLE], categories=("1", "2", "both_good", "both_bad")))
    assert found.counts.tolist() == [[1, 1, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]
    assert (found.n, found.counts.sum()) == (5, 5)
    assert [(it.n, it.why) for it in found.excluded] == [(1, "no reference label")]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_diagonal_of_the_confusion_is_the_accuracy(seed):
    table = judged(60, seed=seed)
    assert np.trace(confusion_matrix(table).counts) / 60 == pytest.approx(accuracy(table).estimate)


def test_baselines_are_the_most_frequent_label_and_a_guess():
    reference = label_table([["1", "1", "2", None]], categories=("1", "2", "both_good", "both_bad"))
    assert (majority_baseline(reference).estimate, majority_baseline(reference).n) == (pytest.approx(2 / 3), 3)
    assert random_baseline(reference).estimate == 0.25
    assert majority_baseline(label_table([[None]], categories=("1",))).estimate is None


def test_soft_accuracy_is_the_chance_of_meeting_a_person_who_says_the_same():
    table = label_table([["1", "2", None, "1"], ["1", "1", "1", None], ["1", "2", "1", None], ["2", "2", "1", None]])
    found = soft_accuracy(table)
    assert (found.estimate, found.n) == (pytest.approx(2 / 3), 2)
    assert [(it.n, it.why) for it in found.excluded] == [(1, "no answer"), (1, "no reference label")]
    drawn = soft_accuracy(table, bootstrap=Bootstrap(np.random.default_rng(1)))
    assert drawn.reason == "two units alone say too little of how others would vary"
    assert soft_accuracy(label_table([[None], ["1"]])).reason == "no unit to compare"


def test_soft_accuracy_with_one_person_is_accuracy():
    table = judged(100)
    assert soft_accuracy(table).estimate == pytest.approx(accuracy(table).estimate)


@each("statistic", [accuracy, confusion_matrix, majority_baseline, mcnemar, accuracy_difference])
def test_other_numbers_of_columns_are_refused(statistic):
    with pytest.raises(ValueError, match="4 columns where"):
        statistic(label_table([["1"]] * 4))


def test_ceiling_compares_each_person_with_the_majority_of_the_others():
    table = label_table([["1", "1", "1"], ["1", "2", "2"], ["1", "2", None], ["2", "2", None]])
    found = human_ceiling(table)
    # Units one and two: three agree and one does not, ; unit three: one against one.
    assert (found.estimate, found.n) == (pytest.approx(6 / 10), 10)


def test_ceiling_leaves_out_labels_without_others_and_without_a_majority():
    table = label_table([["1", "1"], ["2", None], ["both_bad", None]])
    found = human_ceiling(table)
    assert (found.estimate, found.n) == (None, 0)
    assert [(it.n, it.why) for it in found.excluded] == [
        (1, "nobody else labelled it"),
        (3, "the others have no majority"),
    ]


def test_ceiling_recovers_how_often_people_know_the_answer():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 4, 3_000)
    codes = np.stack([np.where(rng.random(3_000) < 0.9, true, rng.integers(0, 4, 3_000)) for _ in range(9)], axis=1)
    found = human_ceiling(LabelTable(codes, tuple("abcd")), bootstrap=Bootstrap(rng, resamples=500))
    assert found.estimate == pytest.approx(0.925, abs=0.01)
    assert found.interval.low < 0.925 < found.interval.high


def test_ceiling_of_one_person_is_undefined():
    assert human_ceiling(label_table([["1", "2"]])).reason == "no label has others to be compared with"


def test_resamples_without_gain_are_as_many_as_when_drawn():
    drawn = np.random.default_rng(5).multinomial(60, [14 / 60, 8 / 60, 38 / 60], size=200_000)
    assert without_gain(14, 8, 60) == pytest.approx((drawn[:, 0] <= drawn[:, 1]).mean(), abs=0.003)
    assert (without_gain(0, 0, 5), without_gain(0, 0, 0)) == (1.0, None)
