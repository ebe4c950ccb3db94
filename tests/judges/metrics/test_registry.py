"""Every entry of the registry, and the rules by which its functions are called."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from measurements.metrics.contract import (
    Audio,
    Evidence,
    Input,
    Metric,
    ModelExtra,
    Score,
    score_response,
    score_system,
)
from measurements.metrics.models import NoPlaces, Unavailable, loaded, why_unavailable
from measurements.metrics.registry import METRICS

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
COMPUTED = [metric for metric in METRICS.values() if metric.function and not metric.model]


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


@pytest.mark.parametrize("metric", COMPUTED, ids=lambda metric: metric.name)
def test_metric_has_a_value_where_everything_is_known(metric: Metric) -> None:
    assert score_response(metric, EVERYTHING).value is not None


@pytest.mark.parametrize("metric", COMPUTED, ids=lambda metric: metric.name)
def test_metric_says_what_is_missing(metric: Metric) -> None:
    for needed in metric.inputs:
        values = {name: value for name, value in EVERYTHING.values.items() if name != needed}
        assert score_response(metric, Evidence(values)) == Score(None, f"there is no {needed}")
        assert score_response(metric, Evidence(values, {needed: "the reason"})) == Score(None, "the reason")


@pytest.mark.parametrize("metric", [m for m in METRICS.values() if m.corpus], ids=lambda metric: metric.name)
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


@dataclass(frozen=True)
class Places:
    folder: Path | None = None
    cache: Path | None = None
    may_download: bool = False


EXTRA = ModelExtra("scipy", "scipy", "maker/weights", lambda where: f"loaded from {where}")


def test_model_comes_from_folder_then_cache_then_hub(tmp_path: Path) -> None:
    metric = some_metric(model=EXTRA)
    folder, cache = tmp_path / "models", tmp_path / "cache"
    snapshot = cache / "models--maker--weights" / "snapshots" / "abc"

    assert "neither in the folder of models nor in the cache" in why_unavailable(metric, Places(folder, cache))
    assert loaded(metric, Places(folder, cache, may_download=True)) == "loaded from maker/weights"
    snapshot.mkdir(parents=True)
    assert loaded(metric, Places(folder, cache)) == f"loaded from {snapshot}"
    (folder / "weights").mkdir(parents=True)
    assert loaded(metric, Places(folder, cache, may_download=True)) == f"loaded from {folder / 'weights'}"
    assert why_unavailable(metric, Places(folder)) == ""


def test_model_without_its_package_is_unavailable() -> None:
    metric = some_metric(model=replace(EXTRA, module="no_such_module", package="no-such"))

    assert why_unavailable(metric, Places(may_download=True)) == "The package no-such is not installed."
    with pytest.raises(Unavailable):
        loaded(metric, Places(may_download=True))


def test_model_is_given_to_the_function_first() -> None:
    metric = some_metric(model=EXTRA, function=lambda model, response_s, source_s: model + response_s + source_s)

    assert score_response(metric, EVERYTHING, model=10.0).value == pytest.approx(14.2)


def test_imported_metrics_are_not_computed() -> None:
    assert why_unavailable(METRICS["nisqa"], NoPlaces()) == "Its scores are imported; nothing here computes it."
    assert why_unavailable(METRICS["rde"], NoPlaces()) == ""
