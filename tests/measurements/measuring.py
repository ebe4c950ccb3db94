"""Datasets, clips and features for the tests of what is measured."""

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import soundfile

import judges.tasks  # noqa: F401 - its jobs are registered there
from corpus.clips.storage import examine_clip, keep_clip
from corpus.imports.files.audio_files import sha256_of
from corpus.models import Clip, Dataset, Response, ResponseTurn, Turn
from infrastructure.wording.reasons import TEXT
from tests.factories import DatasetFactory, make_unit

RATE = 16_000


def make_dataset(
    *, items: int = 3, facts: dict[str, Any] | None = None, with_audio: bool = True, **texts: str
) -> Dataset:
    """Two rarely named systems that answered every item with the text `said`; the prompt is `asked`."""
    dataset = DatasetFactory()
    for n in range(items):
        make_unit(dataset, f"item-{n}", with_audio=with_audio, facts=facts)
    Turn.objects.filter(item__dataset=dataset).update(text=texts.get("asked", "Good morning everybody"))
    ResponseTurn.objects.filter(response__item__dataset=dataset).update(text=texts.get("said", "Guten Morgen alle"))
    return dataset


def voice(seed: int, seconds: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    swell = np.abs(np.sin(np.linspace(0, rng.uniform(6, 12), round(seconds * RATE))))
    return 0.1 * rng.standard_normal(len(swell)) * swell


def kept_clip(samples: np.ndarray, rate: int = RATE) -> Clip:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    file.seek(0)
    sha256 = sha256_of(file)
    return keep_clip(file, examine_clip(file, name="", sha256=sha256))


def with_sound(dataset: Dataset) -> None:
    """Real files for every turn, of one second for prompts and of 1.1 for responses."""
    for turn in Turn.objects.filter(item__dataset=dataset):
        turn.clip = kept_clip(voice(turn.pk))
        turn.save()
    for answer in ResponseTurn.objects.filter(response__item__dataset=dataset):
        answer.clip = kept_clip(voice(1000 + answer.pk, 1.1))
        answer.save()


def responses(dataset: Dataset) -> list[Response]:
    return list(Response.objects.filter(item__dataset=dataset).order_by("pk"))


def feature(value: Any = None, reason: str = "") -> Any:
    return SimpleNamespace(value=value, reason=TEXT(text=reason) if reason else None)


def no_progress(_done: int, _total: int, _note: str) -> None:
    return None
