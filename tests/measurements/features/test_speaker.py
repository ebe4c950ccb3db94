import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from measurements.features.extracting import extract
from measurements.features.registry import with_needed
from measurements.features.voice.speaker import embedding, part_starts
from tests.measurements.features.speech import TEXT, clip_of, said, said_by_another

OTHER_TEXT = "Blot it, don't rub. Then rinse with cold water and soak it in detergent for an hour."


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Resemblyzer itself, without the detector of voices that it would compile and that its encoder does not use."""
    monkeypatch.setitem(sys.modules, "webrtcvad", ModuleType("webrtcvad"))
    import resemblyzer  # noqa: PLC0415 - it needs the stand-in to be there

    return resemblyzer


def of(samples: np.ndarray) -> np.ndarray:
    found = extract(clip_of(samples), with_needed(["speaker"]))["speaker"]
    return np.array(found.value)


def test_one_voice_is_more_alike_than_two() -> None:
    one, same, other = (of(it) for it in (said(), said(OTHER_TEXT), said_by_another(TEXT)))

    assert np.linalg.norm(one) == pytest.approx(1.0, abs=1e-4)
    assert one @ same > 0.85
    assert one @ other < 0.75
    assert one @ same > one @ other + 0.15


def test_voice_is_the_same_at_another_level() -> None:
    assert of(said()) @ of(0.2 * said()) > 0.99


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seconds", [0.7, 1.6, 2.9, 7.3])
def test_embedding_is_the_packages(package: Any, seconds: float) -> None:
    speech = said()[: round(16_000 * seconds)]
    encoder = package.VoiceEncoder("cpu", verbose=False)
    at_level = package.audio.normalize_volume(speech, -30)

    assert embedding(speech) == pytest.approx(encoder.embed_utterance(at_level), abs=2e-5)
    slices = encoder.compute_partial_slices(len(speech), 1.3, 0.75)[1]
    assert part_starts(len(speech)) == [it.start for it in slices]


def test_less_than_half_a_second_of_speech_is_nobody() -> None:
    found = extract(clip_of(np.zeros(16_000)), with_needed(["speaker"]))["speaker"]

    assert (found.status, found.value) == ("undefined", None)
