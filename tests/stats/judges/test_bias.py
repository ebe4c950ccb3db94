import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.agreement.labels import label_table
from stats.judges.bias import (
    length_bias,
    permutation_test,
    position_bias,
    preference,
    sign_test,
    unchanged_share,
)
from stats.proportions import wilson


def test_preference_has_both_rates_their_intervals_and_their_difference():
    found = preference([True] * 30 + [False] * 10)
    assert (found.rate.estimate, found.other_rate.estimate, found.difference) == (0.75, 0.25, 0.5)
    assert (found.rate.interval, found.other_rate.interval) == (wilson(30, 40), wilson(10, 40))
    assert found.p.estimate == pytest.approx(stats.binomtest(30, 40).pvalue)


def test_preference_without_votes_is_undefined():
    found = preference([])
    assert found.rate.estimate is found.difference is found.p.estimate is None


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 80), st.integers(0, 80))
def test_sign_test_is_symmetric_and_that_of_scipy(one, other):
    found = sign_test(one, other)
    if one + other == 0:
        assert found.reason == "nothing fell to either side"
        return
    assert found.estimate == sign_test(other, one).estimate
    assert found.estimate == pytest.approx(stats.binomtest(one, one + other).pvalue)


def test_position_bias_tells_flipped_pairs_apart():
    both = [["1", "2", "1", "2", "tie", "both_bad", "1", None], ["2", "1", "1", "2", "1", "2", "both_good", "1"]]
    found = position_bias(label_table(both))
    assert (found.stable, found.first_twice, found.second_twice, found.tied) == (2, 1, 1, 3)
    assert found.of_all["stable"].estimate == pytest.approx(2 / 7)
    assert found.of_decided["stable"].estimate == 0.5
    assert found.p.estimate == 1.0
    assert (found.first_rate.estimate, found.first_rate.n) == (pytest.approx(6 / 11), 11)
    assert [(it.n, it.why) for it in found.p.excluded] == [(1, "no verdict in one of the orders")]


def test_position_bias_does_not_depend_on_which_order_is_called_the_first():
    table = label_table([["1", "1", "2", "1"], ["1", "2", "2", "1"]])
    one, other = position_bias(table), position_bias(table.raters(1, 0))
    assert (one.stable, one.first_twice, one.second_twice) == (other.stable, other.first_twice, other.second_twice)


def test_position_bias_recovers_a_simulated_pull():
    rng = np.random.default_rng(1)
    quality = rng.normal(0, 1, 4_000)
    orders = [
        np.where(rng.random(4_000) < 1 / (1 + np.exp(-(sign * quality + 1))), "1", "2").tolist() for sign in (1, -1)
    ]
    found = position_bias(label_table(orders))
    assert found.first_twice > 3 * found.second_twice
    assert found.p.estimate < 1e-6


def test_position_bias_of_a_steady_judge_is_nil_and_its_test_undefined():
    found = position_bias(label_table([["1", "2"], ["2", "1"]]))
    assert found.of_all["stable"].estimate == 1.0
    assert (found.p.estimate, found.p.reason) == (None, "nothing fell to either side")


def test_position_bias_without_pairs_is_undefined():
    found = position_bias(label_table([["1", None], [None, "2"]]))
    assert found.of_all["stable"].reason == "no pair to count"
    assert found.first_rate.reason == "no winner named"


def test_position_bias_refuses_labels_of_the_stored_frame():
    with pytest.raises(ValueError, match="'a' does not say which place won"):
        position_bias(label_table([["a"], ["b"]]))


def test_length_bias_counts_by_which_response_was_longer():
    found = length_bias(["1", "2", "1", "tie", "1", None, "2"], [9, 9, 1, 9, 5, 9, 1], [1, 1, 9, 1, 5, 1, 9])
    assert (found.longer, found.shorter, found.tied) == (2, 2, 1)
    assert found.difference == 0
    assert found.shares["longer"].estimate == 0.4
    assert [(it.n, it.why) for it in found.p.excluded] == [(1, "lengths too close"), (1, "no verdict")]


def test_length_bias_leaves_out_lengths_that_are_close():
    found = length_bias(["1", "1", "1"], [10, 10, 10], [5, 6, 4], least_gap=5)
    assert (found.longer, found.p.n) == (2, 2)


def test_length_bias_turns_with_the_sides():
    one = length_bias(["1", "1", "2", "both_bad"], [9, 1, 2, 3], [1, 9, 7, 1])
    other = length_bias(["2", "2", "1", "both_bad"], [1, 9, 7, 1], [9, 1, 2, 3])
    assert one == other


def test_length_bias_of_nothing_is_undefined_and_of_strange_labels_refused():
    found = length_bias([], [], [])
    assert found.difference is found.p.estimate is None
    with pytest.raises(ValueError, match="'a' does not say which response won"):
        length_bias(["a"], [1], [2])


def test_permutation_test_of_few_values_is_exact():
    found = permutation_test([3, 4, 5], [0, 1, 2], rng=np.random.default_rng(0))
    assert found.estimate == pytest.approx(2 / 20)


def test_permutation_test_is_uniform_where_groups_are_alike():
    rng = np.random.default_rng(0)
    p = [permutation_test(*rng.normal(size=(2, 12)), rng=rng, resamples=199).estimate for _ in range(200)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_permutation_test_of_an_empty_group_is_undefined():
    assert permutation_test([], [1.0], rng=np.random.default_rng(0)).reason == "a group is empty"


def test_unchanged_share_is_told_by_what_was_said_before():
    found = unchanged_share(label_table([["1", "1", "2", "tie", None], ["1", "2", "2", "tie", "1"]]))
    assert {name: it.estimate for name, it in found.items()} == {"": 0.75, "1": 0.5, "2": 1.0, "tie": 1.0}
    assert [(it.n, it.why) for it in found[""].excluded] == [(1, "fewer than two verdicts")]
    with pytest.raises(ValueError, match="3 columns where 2"):
        unchanged_share(label_table([["1"]] * 3))


def test_unchanged_share_leaves_out_what_hangs_on_the_order_by_a_reason_of_its_own():
    table = label_table([["1", None, None, "2"], ["1", "1", None, "1"]])
    found = unchanged_share(table, undecided=np.array([False, True, False, True]))[""]
    assert (found.estimate, found.n) == (0.5, 2)
    assert [(it.n, str(it.why)) for it in found.excluded] == [
        (1, "the answer hangs on the order in which the responses were heard"), (1, "fewer than two verdicts"),
    ]  # fmt: skip


def test_unchanged_share_of_what_was_never_said_is_undefined():
    assert unchanged_share(label_table([["1"], ["2"]]))["2"].reason == "this was never said"
