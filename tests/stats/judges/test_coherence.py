import numpy as np
import pytest

from stats.agreement.labels import MISSING, LabelTable, label_table
from stats.judges.coherence import coherence

LABELS = ("1", "2", "both_good", "both_bad")


def rated(n=300, noise=0.1, seed=1):
    """Dimensions, and an overall label that follows content but for some noise."""
    rng = np.random.default_rng(seed)
    dimensions = rng.integers(0, 4, (n, 3))
    overall = np.where(rng.random(n) < noise, rng.integers(0, 4, n), dimensions[:, 0])
    return LabelTable(dimensions, LABELS), LabelTable(overall[:, np.newaxis], LABELS)


def run(dimensions, overall, **options):
    return coherence(dimensions, overall, rng=np.random.default_rng(0), **{"repeats": 3, **options})


def test_overall_that_follows_from_one_dimension_is_predicted():
    found = run(*rated(noise=0))
    assert found.cross_validated.estimate == found.leave_one_out.estimate == found.in_sample.estimate == 1.0
    assert found.by_repeat == (1.0, 1.0, 1.0)


def test_noise_is_not_predicted():
    found = run(*rated(4_000, noise=0.4))
    assert found.cross_validated.estimate == pytest.approx(0.7, abs=0.02)
    assert found.leave_one_out.estimate == pytest.approx(0.7, abs=0.02)
    independent = run(*rated(2_000, noise=1.0))
    assert independent.cross_validated.estimate == pytest.approx(0.25, abs=0.04)


def test_what_the_model_has_seen_it_tells_better():
    found = run(*rated(150, noise=0.5))
    assert found.in_sample.estimate > found.cross_validated.estimate
    assert found.majority.estimate < found.cross_validated.estimate


def test_coherence_does_not_depend_on_the_order_of_units_or_on_names():
    dimensions, overall = rated()
    order = np.random.default_rng(2).permutation(300)
    names = np.array([2, 3, 0, 1])
    one = run(dimensions, overall)
    other = run(LabelTable(names[dimensions.codes[order]], LABELS), LabelTable(names[overall.codes[order]], LABELS))
    assert one.leave_one_out == other.leave_one_out
    assert one.in_sample == other.in_sample


def test_units_with_a_missing_label_are_left_out_and_counted():
    dimensions, overall = rated(100)
    dimensions.codes[:7, 1] = MISSING
    overall.codes[5:10, 0] = MISSING
    found = run(dimensions, overall)
    assert found.in_sample.n == 90
    assert [(it.n, it.why) for it in found.in_sample.excluded] == [(10, "a label is missing")]


def test_a_label_that_occurs_once_is_never_predicted_by_those_who_did_not_see_it():
    dimensions = label_table([["1", "2"] * 10 + ["both_bad"]], categories=LABELS)
    overall = label_table([["1", "2"] * 10 + ["both_bad"]], categories=LABELS)
    found = run(dimensions, overall)
    assert found.leave_one_out.estimate == pytest.approx(20 / 21)


def test_coherence_of_too_few_units_or_of_one_label_is_undefined():
    few = label_table([["1", "2", "1"]], categories=LABELS)
    assert run(few, few).cross_validated.reason == "fewer than 5 units with all labels"
    same = label_table([["1"] * 9], categories=LABELS)
    found = run(same, same)
    assert found.leave_one_out.reason == "all units have the same overall label"
    assert found.by_repeat == ()
