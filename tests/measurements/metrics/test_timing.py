import numpy as np
import pytest
from scipy import stats

from measurements.metrics import timing
from measurements.metrics.contract import Undefined
from tests.cases import each


def test_durations() -> None:
    assert timing.delta_duration(3.0, 4.0) == timing.delta_duration(5.0, 4.0) == 1.0
    assert timing.relative_duration_error(5.0, 4.0) == 0.25
    assert timing.duration_ratio(5.0, 4.0) == 1.25


@each("within, seconds, complies", [(0.2, 8, 100), (0.2, 7.9, 0), (0.4, 14, 100)])
def test_compliance_includes_its_edges(within: float, seconds: float, complies: float) -> None:
    assert timing.compliance(within)(seconds, 10.0) == complies


@each("metric", [timing.relative_duration_error, timing.duration_ratio, timing.compliance(0.2)])
def test_nothing_relates_to_a_source_without_duration(metric) -> None:
    with pytest.raises(Undefined, match="no duration"):
        metric(1.0, 0.0)


def test_overlap_counts_every_second_once() -> None:
    doubled = [(0.0, 1.0), (0.5, 2.0), (1.0, 1.0)]

    assert timing.speech_overlap(doubled, [(0.0, 2.0)], 4.0) == 0.5
    assert timing.speech_overlap([(0.0, 2.0)], doubled, 4.0) == 0.5
    assert timing.speech_overlap([], [(0.0, 2.0)], 4.0) == 0.0


def test_speech_seconds_do_not_count_pauses() -> None:
    assert timing.speech_seconds([(0, 1), (3, 4.5), (4, 5)]) == 3


@each("text, n", [("a", 1), ("hmm", 1), ("banana", 3), ("l'été à Paris", 5), ("Größe", 2), ("", 0)])
def test_syllables_are_groups_of_vowels(text: str, n: int) -> None:
    assert timing.n_syllables(text) == n


def test_syllables_of_another_script_are_undefined() -> None:
    with pytest.raises(Undefined, match="Latin"):
        timing.n_syllables("привет")


def test_speaking_rates_are_ranked_against_each_other() -> None:
    rng = np.random.default_rng(2)
    rows, ours, theirs = [], [], []
    for _ in range(20):
        n, seconds, n_source, source_seconds = rng.integers(1, 30, size=4).tolist()
        rows.append(("w " * n, "w " * n_source, [(0, seconds)], [(1, 1 + source_seconds)]))
        ours.append(n / seconds)
        theirs.append(n_source / source_seconds)

    value = timing.speaking_rate_spearman(timing.n_words)(rows)

    assert value == pytest.approx(stats.spearmanr(ours, theirs).statistic)


@each(
    "rows, reason",
    [
        ([("a", "b", [(0, 1)], [(0, 1)])] * 2, "fewer than 3"),
        ([("a", "b", [], [(0, 1)])] * 5, "fewer than 3"),
        ([("a", "b", [(0, 1)], [(0, 1)])] * 5, "same rate"),
    ],
)
def test_speaking_rates_that_cannot_be_ranked_are_undefined(rows: list, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        timing.speaking_rate_spearman(timing.n_words)(rows)
