"""Every entry of the registry, and the rules by which its functions are called."""

from dataclasses import replace

import numpy as np
import pytest

from infrastructure.wording.reasons import TEXT
from measurements.metrics.contract import (
    Audio,
    Evidence,
    Input,
    Metric,
    Score,
    score_response,
    score_system,
)
from measurements.metrics.registry import METRICS
from measurements.reasons import INPUT_MISSING
from tests.cases import each

RATE = 16_000
SOUND = Audio(np.random.default_rng(0).standard_normal(2 * RATE) * np.linspace(0.01, 0.1, 2 * RATE), RATE)
EVERYTHING = Evidence(
    {
        Input.SOURCE_AUDIO: SOUND,
        Input.RESPONSE_AUDIO: SOUND,
        Input.SOURCE_TEXT: "Good morning everybody",
        Input.RESPONSE_TEXT: "Guten Morgen zusammen",
        Input.TRANSCRIPT: "guten morgen zusammen",
        Input.REFERENCE: "Guten Morgen zusammen",
        Input.LANGUAGE: "de",
        Input.SOURCE_SECONDS: 2.0,
        Input.RESPONSE_SECONDS: 2.2,
        Input.SOURCE_F0: np.linspace(100, 200, 20),
        Input.RESPONSE_F0: np.linspace(100, 180, 22),
        Input.SOURCE_SPEECH: [(0.0, 1.8)],
        Input.RESPONSE_SPEECH: [(0.1, 2.0)],
        Input.SOURCE_SPEAKER: np.array([1.0, 2.0]),
        Input.RESPONSE_SPEAKER: np.array([1.0, 2.1]),
        Input.SOURCE_EMOTION: {"happy": 0.7, "sad": 0.3},
        Input.RESPONSE_EMOTION: {"happy": 0.6, "sad": 0.4},
        Input.SOURCE_EMOTION_EMBEDDING: np.array([1.0, 2.0]),
        Input.RESPONSE_EMOTION_EMBEDDING: np.array([1.0, 2.1]),
        Input.DNSMOS: {"SIG": 3.5, "BAK": 4.0, "OVRL": 3.2, "P808": 3.7},
    }
)
COMPUTED = [metric for metric in METRICS.values() if metric.function]


def some_metric(**changes: object) -> Metric:
    return replace(METRICS["rde"], **changes)


def test_evidence_of_the_tests_has_every_input() -> None:
    assert set(EVERYTHING.values) == set(Input)


def test_every_entry_stands_under_its_name() -> None:
    assert all(name == metric.name for name, metric in METRICS.items())
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)


def test_the_catalogue_of_the_paper_is_there() -> None:
    """51 lines of COMPASS's Appendix B, which it counts as 46; beside them CER and four of DNSMOS."""
    assert len(METRICS) == 56


@each("metric", COMPUTED)
def test_metric_has_a_value_where_everything_is_known(metric: Metric) -> None:
    assert score_response(metric, EVERYTHING).value is not None


@each("metric", COMPUTED)
def test_metric_says_what_is_missing(metric: Metric) -> None:
    given = TEXT(text="the reason")
    for needed in metric.inputs:
        values = {name: value for name, value in EVERYTHING.values.items() if name != needed}
        assert score_response(metric, Evidence(values)) == Score(None, INPUT_MISSING(input=needed))
        assert score_response(metric, Evidence(values, {needed: given})) == Score(None, given)


@each("metric", [m for m in METRICS.values() if m.corpus])
def test_metric_of_a_system_counts_what_it_used(metric: Metric) -> None:
    lacking = Evidence({Input.LANGUAGE: "de"})
    varied = [
        Evidence({**EVERYTHING.values, Input.SOURCE_SPEECH: [(0, n)], Input.RESPONSE_SPEECH: [(0, n + 1)]})
        for n in (1, 2, 3)
    ]

    score, n = score_system(metric, [*varied, lacking])

    assert (score.value is not None, n) == (True, 3)


def test_system_without_inputs_has_a_reason() -> None:
    assert score_system(METRICS["wer"], [Evidence({})]) == (Score(None, "there is no transcript of the response"), 0)
    assert score_system(METRICS["wer"], []) == (Score(None, "there is no response"), 0)


def test_undefined_and_infinite_values_become_reasons() -> None:
    silent = Evidence({Input.RESPONSE_SECONDS: 1.0, Input.SOURCE_SECONDS: 0.0})

    assert score_response(METRICS["rde"], silent).reason == "the source has no duration"
    infinite = some_metric(function=lambda *_: float("inf"))
    assert score_response(infinite, EVERYTHING) == Score(None, "the value is not finite")


def test_score_is_a_number_or_a_reason() -> None:
    with pytest.raises(ValueError, match="reason"):
        Score(None)
    with pytest.raises(ValueError, match="no value"):
        Score(float("nan"))


def test_metrics_for_systems_only_have_no_value_per_response() -> None:
    with pytest.raises(TypeError):
        score_response(METRICS["sr-word-spearman"], EVERYTHING)
    with pytest.raises(TypeError):
        score_system(METRICS["rde"], [EVERYTHING])
