"""Dawid–Skene and GLAD: what is printed, what must not change them, and a truth that was planted.

tests/contact/consumers/test_rater_models.py holds both against crowd-kit.
"""

import numpy as np
import pytest

from stats import reasons
from stats.agreement.labels import label_table
from stats.rater_models.dawid_skene import Said, dawid_skene, said_of, with_intervals
from stats.rater_models.glad import glad
from tests.stats.rater_models.anaesthetists import said as anaesthetists

TYPED = ["a", "b", "both_good", "both_bad"]


def planted(rng: np.random.Generator, *, units: int = 600) -> tuple[Said, np.ndarray, np.ndarray]:
    """Typed labels of five of eight raters, one of whom takes every both_bad for both_good."""
    accuracy = np.array([0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5, 0.8])
    truth = rng.choice(4, p=[0.35, 0.25, 0.25, 0.15], size=units)
    of = np.repeat(np.arange(units), 5)
    raters = np.argsort(rng.random((units, 8)), axis=1)[:, :5].reshape(-1)
    other = (truth[of] + rng.integers(1, 4, len(of))) % 4
    labels = np.where(rng.random(len(of)) < accuracy[raters], truth[of], other)
    labels = np.where((raters == 7) & (truth[of] == 3), 2, labels)
    return Said(of, raters, labels, units, 8, 4), truth, accuracy


def known_labels(said: Said, accuracy: np.ndarray) -> np.ndarray:
    """The most probable labels where everything that was planted is known: nobody can do better on average."""
    confusion = np.array([np.where(np.eye(4), it, (1 - it) / 3) for it in accuracy])
    confusion[7, 3] = [0, 0, 1, 0]
    logs = np.tile(np.log([0.35, 0.25, 0.25, 0.15]), (said.n_units, 1))
    np.add.at(logs, said.units, np.log(np.maximum(confusion[said.raters, :, said.labels], 1e-12)))
    return logs.argmax(axis=1)


def test_anaesthetists_have_the_marginals_and_error_rates_in_print():
    """Dawid & Skene (1979), Table 2: the marginals, and the error rates of the first observer."""
    found = dawid_skene(anaesthetists())

    assert found.prevalence.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert found.confusion[0].round(2).tolist() == [
        [0.89, 0.11, 0.00, 0.00],
        [0.07, 0.88, 0.05, 0.00],
        [0.00, 0.34, 0.66, 0.00],
        [0.00, 0.00, 0.56, 0.44],
    ]


def test_planted_confusion_and_labels_are_recovered():
    said, truth, accuracy = planted(np.random.default_rng(1))

    found = dawid_skene(said)

    counts = np.zeros((said.n_units, 4))
    np.add.at(counts, (said.units, said.labels), 1)
    share, plain = ((it == truth).mean() for it in (found.labels, counts.argmax(axis=1)))
    assert share > plain
    assert share > (known_labels(said, accuracy) == truth).mean() - 0.02
    assert found.accuracy[:7] == pytest.approx(accuracy[:7], abs=0.06)
    assert found.confusion[7, 3, 2] > 0.9


def test_dawid_skene_does_not_hang_on_order_or_names():
    said, *_ = planted(np.random.default_rng(2), units=100)
    order = np.random.default_rng(3).permutation(len(said.units))
    other = Said(99 - said.units[order], 7 - said.raters[order], 3 - said.labels[order], 100, 8, 4)

    one, two = dawid_skene(said), dawid_skene(other)

    assert two.prevalence[::-1] == pytest.approx(one.prevalence, abs=1e-6)
    assert two.posterior[::-1, ::-1] == pytest.approx(one.posterior, abs=1e-4)
    assert two.accuracy[::-1] == pytest.approx(one.accuracy, abs=1e-5)


def test_the_likelihood_is_a_maximum():
    """By itself: no small change of the shares or of one rater's confusion makes the labels more probable."""
    said, *_ = planted(np.random.default_rng(4), units=80)
    found = dawid_skene(said)
    rng = np.random.default_rng(5)

    def likelihood(prevalence, confusion):
        logs = np.tile(np.log(prevalence), (80, 1))
        np.add.at(logs, said.units, np.log(confusion[said.raters, :, said.labels]))
        return np.logaddexp.reduce(logs, axis=1).sum()

    best = likelihood(found.prevalence, found.confusion)
    assert best == pytest.approx(found.log_likelihood, abs=1e-4)
    for _ in range(50):
        prevalence = found.prevalence * np.exp(rng.normal(0, 0.02, 4))
        confusion = found.confusion * np.exp(rng.normal(0, 0.02, found.confusion.shape))
        confusion /= confusion.sum(axis=2, keepdims=True)
        assert likelihood(prevalence / prevalence.sum(), confusion) < best


def test_intervals_are_over_items_and_need_twenty_of_them():
    said, *_ = planted(np.random.default_rng(6), units=200)
    found = dawid_skene(said)

    wide = with_intervals(said, found, np.arange(200) // 5)
    few = with_intervals(said, found, np.arange(200) // 20)

    assert all(it.interval.low < it.estimate < it.interval.high for it in (*wide.prevalence, *wide.accuracy))
    assert {it.reason for it in (*few.prevalence, *few.accuracy)} == {reasons.FEW_CLUSTERS(least=20)}


def test_glad_ranks_raters_and_finds_the_hard_units():
    rng = np.random.default_rng(7)
    truth, hard = rng.integers(3, size=300), np.arange(300) < 100
    units, raters = np.repeat(np.arange(300), 6), np.tile(np.arange(6), 300)
    right = np.where(hard[units], 0.45, np.linspace(0.95, 0.55, 6)[raters])
    labels = np.where(rng.random(1_800) < right, truth[units], (truth[units] + rng.integers(1, 3, 1_800)) % 3)

    found = glad(Said(units, raters, labels, 300, 6, 3))

    assert found.ability[:2].min() > found.ability[4:].max()
    assert found.easiness[hard].mean() < found.easiness[~hard].mean()
    assert (found.labels == truth)[~hard].mean() > 0.9


def test_glad_is_at_a_maximum():
    said = anaesthetists()
    found = glad(said)
    rng = np.random.default_rng(8)

    def posterior(ability, log_easiness):
        right = 1 / (1 + np.exp(-ability[said.raters] * np.exp(log_easiness[said.units])))
        logs = np.zeros((45, 4))
        for label in range(4):
            chance = np.where(said.labels == label, right, (1 - right) / 3)
            np.add.at(logs[:, label], said.units, np.log(chance))
        prior = ((ability - 1) ** 2).sum() + ((log_easiness - 1) ** 2).sum()
        return np.logaddexp.reduce(logs, axis=1).sum() - prior / 2

    best = posterior(found.ability, np.log(found.easiness))
    for _ in range(50):
        assert posterior(
            found.ability + rng.normal(0, 0.02, 5), np.log(found.easiness) + rng.normal(0, 0.02, 45)
        ) < best  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ([["a", None], [None, "b"]], reasons.NO_OVERLAP()),
        ([["a", "a"], ["a", "a"]], reasons.SAME_LABEL()),
        ([[None, None], [None, None]], reasons.NO_OVERLAP()),
    ],
)
def test_labels_that_say_nothing_are_not_fitted(columns, reason):
    said = said_of(label_table(columns, categories=TYPED))
    found = dawid_skene(said)

    assert (found.reason, glad(said).reason) == (reason, reason)
    assert {it.reason for it in with_intervals(said, found, np.arange(2)).prevalence} == {reason}
