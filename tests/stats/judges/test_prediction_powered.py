import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm
from scipy.stats import t as student

from stats.judges.prediction_powered import FEWEST, corrected_mean, label_mean
from tests.cases import each


def judged(rng: np.random.Generator, n: int, *, accuracy: float, pull: float = 0.7, share: float = 0.4):
    """Labels that are 1 with this share, and a judge that is right so often, and else mostly says 1."""
    labels = (rng.random(n) < share).astype(float)
    said = np.where(rng.random(n) < accuracy, labels, (rng.random(n) < pull).astype(float))
    return labels, said


def test_the_point_estimate_is_the_human_mean_corrected_by_the_judges_bias():
    rng = np.random.default_rng(1)
    labels, said = judged(rng, 900, accuracy=0.8)
    found = corrected_mean(labels[:100], said[:100], said[100:])

    by_hand = labels[:100].mean() - found.weight * (said[:100].mean() - said[100:].mean())
    assert found.estimate.estimate == pytest.approx(by_hand)
    assert found.human.estimate == labels[:100].mean()
    assert found.judge_mean == pytest.approx(said.mean())


def test_the_weight_is_the_regression_slope_shrunk_by_how_many_labels_there_are():
    """λ = Cov(Y, F) / ((1 + n/N) Var(F)), Angelopoulos, Duchi & Zrnic 2023, §6; N large makes it the OLS slope."""
    rng = np.random.default_rng(2)
    labels, said = judged(rng, 40_100, accuracy=0.8)
    found = corrected_mean(labels[:100], said[:100], said[100:])

    slope = sm.OLS(labels[:100], sm.add_constant(said[:100])).fit().params[1]
    assert found.weight == pytest.approx(slope / (1 + 100 / 40_000), rel=0.02)


def test_with_no_end_of_verdicts_the_interval_is_that_of_a_regression_with_robust_errors():
    rng = np.random.default_rng(3)
    labels, said = judged(rng, 400_000, accuracy=0.85)
    found = corrected_mean(labels[:200], said[:200], said[200:])

    centred = sm.OLS(labels[:200], sm.add_constant(said[:200] - said[200:].mean())).fit(cov_type="HC3", use_t=True)
    low, high = centred.conf_int()[0]
    assert found.estimate.estimate == pytest.approx(centred.params[0], abs=2e-3)
    assert found.estimate.interval.high - found.estimate.interval.low == pytest.approx(high - low, rel=0.03)


@each("n, accuracy, clustered", [(50, 0.5, False), (200, 0.6, False), (240, 0.8, True)])
def test_intervals_cover_a_simulated_truth(n, accuracy, clustered):
    rng, hits, narrower = np.random.default_rng(4), 0, []
    truth = 1 - norm.cdf(0.3 / np.sqrt(2))
    for _trial in range(400):
        item = np.repeat(np.arange((n + 1200) // 4), 4) if clustered else np.arange(n + 1200)
        hard = rng.normal(size=len(item))[item]
        labels = (hard + rng.normal(size=len(item)) > 0.3).astype(float)
        said = np.where(rng.random(len(item)) < accuracy, labels, (rng.random(len(item)) < 0.8).astype(float))
        clusters = (item[:n], item[n:]) if clustered else None
        found = corrected_mean(labels[:n], said[:n], said[n:], clusters=clusters)
        if found.estimate.interval:
            interval, alone = found.estimate.interval, found.human.interval
            hits += interval.low <= truth <= interval.high
            narrower.append((interval.high - interval.low) / (alone.high - alone.low))

    assert len(narrower) > 300
    assert 0.925 <= hits / len(narrower) <= 0.975
    assert np.mean(narrower) < 0.95


def test_a_judge_that_guesses_is_refused():
    rng, refused = np.random.default_rng(5), []
    for _trial in range(50):
        labels, _said = judged(rng, 1200, accuracy=1)
        guesses = (rng.random(1200) < 0.5).astype(float)
        refused.append(corrected_mean(labels[:200], guesses[:200], guesses[200:]).estimate.reason)

    assert (
        sum(reason.startswith("the judge's verdicts narrow the interval by too little") for reason in refused) >= 45
    )


def test_the_saved_labels_are_those_that_would_have_given_the_same_interval():
    rng = np.random.default_rng(6)
    labels, said = judged(rng, 20_000, accuracy=0.9)
    found = corrected_mean(labels[:400], said[:400], said[400:])
    more = 400 + round(found.saved)
    alone = corrected_mean(labels[:more], said[:more], said[more:]).human.interval

    width = found.estimate.interval.high - found.estimate.interval.low
    assert alone.high - alone.low == pytest.approx(width, rel=0.05)


def test_the_order_of_units_does_not_matter():
    rng = np.random.default_rng(7)
    labels, said = judged(rng, 500, accuracy=0.8)
    turned = np.random.default_rng(8).permutation(100)
    one = corrected_mean(labels[:100], said[:100], said[100:])
    other = corrected_mean(labels[:100][turned], said[:100][turned], said[100:][::-1])

    assert other.estimate.estimate == pytest.approx(one.estimate.estimate)
    assert other.estimate.interval.low == pytest.approx(one.estimate.interval.low)


def test_a_judge_turned_round_is_not_believed():
    rng = np.random.default_rng(9)
    labels, said = judged(rng, 800, accuracy=0.9)
    found = corrected_mean(labels[:100], 1 - said[:100], 1 - said[100:])

    assert (found.weight, found.estimate.estimate) == (0.0, None)


@each(
    "labels, said, others, reason",
    [
        ([1, 0] * 24, [1, 0] * 24, [1, 0], f"48 items with human labels; at least {FEWEST} are needed"),
        ([1, 0] * 30, [1, 0] * 30, [], "the judge has no verdict on a unit without a human label"),
        ([1] * 60, [1, 0] * 30, [1, 0], "all human labels are the same"),
        ([1, 0] * 30, [1] * 60, [1, 0], "the judge always says the same"),
    ],
)
def test_what_cannot_be_corrected_says_why(labels, said, others, reason):
    assert corrected_mean(labels, said, others).estimate.reason == reason


def test_without_what_is_imagined_it_is_the_published_estimate():
    """Ratings imagine nothing: mean(Y) − λ(mean(F) − mean(F′)), Var(Y − λF)/n + λ² Var(F′)/N (PPI++, §§3, 6)."""
    rng = np.random.default_rng(10)
    labels = rng.normal(3, 1, 4_000)
    said = labels + rng.normal(0.4, 0.5, 4_000)
    found = corrected_mean(labels[:1000], said[:1000], said[1000:])

    n, rest = 1000, 3000
    slope = np.cov(labels[:n], said[:n])[0, 1] / ((1 + n / rest) * said.var())
    rectified = labels[:n] - slope * said[:n]
    mean = rectified.mean() + slope * said[n:].mean()
    half = norm.ppf(0.975) * np.sqrt(rectified.var() / n + slope**2 * said[n:].var() / rest)
    assert found.weight == pytest.approx(slope, rel=0.05)
    assert found.estimate.estimate == pytest.approx(mean, abs=2e-3)
    assert found.estimate.interval.low == pytest.approx(mean - half, abs=3e-3)
    assert found.estimate.interval.high == pytest.approx(mean + half, abs=3e-3)
    assert "imagined" not in found.estimate.interval.method


def test_one_win_and_one_loss_are_imagined_beside_labels():
    """As Agresti and Coull do with two of each: 57 of 62 and not 56 of 60, with Student's t."""
    found = label_mean([1.0] * 56 + [0.0] * 4, np.arange(60))

    share = 57 / 62
    assert found.estimate == pytest.approx(56 / 60)
    middle = (found.interval.low + found.interval.high) / 2
    half = student.ppf(0.975, 59) * np.sqrt(share * (1 - share) / 62)
    assert (middle, found.interval.high - middle) == (pytest.approx(share), pytest.approx(half, rel=0.02))
    assert found.interval.method.endswith("one win and one loss imagined")


def test_people_who_all_say_the_same_have_an_interval_within_what_can_be():
    always = label_mean([0.0] * 50, np.arange(50))
    assert (always.estimate, always.interval.low, always.reason) == (0.0, 0.0, None)
    assert 0.03 < always.interval.high < 0.1
    assert label_mean([3.0] * 50, np.arange(50)).interval is None
    assert label_mean([1.0] * 50, [7] * 50).interval is None


def test_a_judge_that_was_never_seen_to_err_is_not_taken_to_be_right_for_ever():
    labels = np.tile([1.0, 0.0], 30)
    found = corrected_mean(labels, labels, np.tile([1.0, 0.0], 5_000))

    assert found.estimate.estimate == pytest.approx(0.5)
    assert 0.04 < found.estimate.interval.high - found.estimate.interval.low < 0.12


@each("n, share, right", [(50, 0.4, 0.85), (80, 0.1, 0.9), (100, 0.9, 0.95)])
def test_what_a_reader_is_left_with_holds_the_truth(n, share, right):
    rng, hits = np.random.default_rng(11), 0
    for _trial in range(600):
        labels = (rng.random(1_500) < share).astype(float)
        said = np.where(rng.random(1_500) < right, labels, 1 - labels)
        found = corrected_mean(labels[:n], said[:n], said[n:])
        interval = (found.estimate if found.estimate.interval else found.human).interval
        hits += interval.low <= share <= interval.high
    assert 0.925 <= hits / 600 <= 0.98


def test_labels_and_verdicts_are_of_the_same_units():
    with pytest.raises(ValueError, match="2 labels and 3 verdicts"):
        corrected_mean([1, 0], [1, 0, 1], [1])
    with pytest.raises(ValueError, match="without its cluster"):
        corrected_mean([1, 0], [1, 0], [1], clusters=([0, 1], []))
