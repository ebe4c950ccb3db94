"""Metrics that need a model which no package carries: how it is found, loaded and asked.

None of this was run against the real weights here: they are not to be had without a hub. What is tested is the way to
them (folder, cache, hub when allowed) and what is said where they are not there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from measurements.metrics.contract import Audio, Metric, ModelExtra
from measurements.metrics.vectors import (
    cosine,
    phoneme_error_rate,
    phoneme_f1,
    phoneme_perplexity,
    phoneme_similarity,
)

_ESPEAK = "facebook/wav2vec2-lv-60-espeak-cv-ft"


class Places(Protocol):
    """Where models may come from, in this order: a folder, the hub's cache, the hub itself."""

    @property
    def folder(self) -> Path | None: ...
    @property
    def cache(self) -> Path | None: ...
    @property
    def may_download(self) -> bool: ...


@dataclass(frozen=True)
class NoPlaces:
    folder: Path | None = None
    cache: Path | None = None
    may_download: bool = False


class Unavailable(Exception):
    """The metric cannot be computed on this installation; the message says what is missing."""


def why_unavailable(metric: Metric, places: Places) -> str:
    """What is missing for this metric; empty where it can be computed. Loads nothing."""
    if metric.is_imported_only:
        return "Its scores are imported; nothing here computes it."
    if metric.model is None:
        return ""
    try:
        _where(metric.model, places)
    except Unavailable as unavailable:
        return str(unavailable)
    return ""


def loaded(metric: Metric, places: Places) -> Any:
    """The metric's model, loaded once per process; None for a metric without one. Raises Unavailable."""
    if metric.model is None:
        return None
    return _load(metric.model, _where(metric.model, places))


def _where(extra: ModelExtra, places: Places) -> str:
    """A path, or the name that the hub knows. Raises Unavailable."""
    if find_spec(extra.module) is None:
        raise Unavailable(f"The package {extra.package} is not installed.")
    found = [places.folder / extra.weights.rsplit("/", 1)[-1]] if places.folder else []
    if places.cache:
        found += sorted(places.cache.glob(f"models--{extra.weights.replace('/', '--')}/snapshots/*"))
    for place in found:
        if place.is_dir():
            return str(place)
    if places.may_download:
        return extra.weights
    raise Unavailable(
        f"The weights {extra.weights} are neither in the folder of models nor in the cache, and fetching them from "
        f"a hub is not allowed (MODELS_FOLDER, MODELS_CACHE, MODELS_FROM_HUB)."
    )


@lru_cache(maxsize=4)
def _load(extra: ModelExtra, where: str) -> Any:
    return extra.load(where)


def _load_comet(where: str) -> Any:
    comet = import_module("comet")
    checkpoint = Path(where) / "checkpoints" / "model.ckpt"
    return comet.load_from_checkpoint(str(checkpoint) if checkpoint.exists() else comet.download_model(where))


def _load_utmos(where: str) -> Any:
    weights = next(iter(sorted(Path(where).glob("*.pth"))), None)
    return import_module("utmosv2").create_model(pretrained=True, checkpoint_path=weights)


def _load_sonar(where: str) -> Any:
    pipeline = import_module("sonar.inference_pipelines.speech").SpeechToEmbeddingModelPipeline
    return pipeline(encoder=where.rsplit("/", 1)[-1])


def _load_phonemes(where: str) -> tuple[Any, Any]:
    transformers = import_module("transformers")
    return transformers.AutoProcessor.from_pretrained(where), transformers.AutoModelForCTC.from_pretrained(where)


COMET_DA = ModelExtra("unbabel-comet", "comet", "Unbabel/wmt22-comet-da", _load_comet)
COMET_KIWI = ModelExtra("unbabel-comet", "comet", "Unbabel/wmt22-cometkiwi-da", _load_comet)
UTMOS = ModelExtra("utmosv2", "utmosv2", "sarulab-speech/UTMOSv2", _load_utmos)
SONAR = ModelExtra("sonar-space", "sonar", "facebook/sonar_speech_encoder_eng", _load_sonar)
PHONEMES = ModelExtra("transformers", "transformers", _ESPEAK, _load_phonemes)


def comet_da(model: Any, hypothesis: str, source: str, reference: str) -> float:
    return _predicted(model, {"src": source, "mt": hypothesis, "ref": reference})


def comet_kiwi(model: Any, hypothesis: str, source: str) -> float:
    return _predicted(model, {"src": source, "mt": hypothesis})


def utmos(model: Any, response: Audio) -> float:
    return float(model.predict(data=response.samples.astype(np.float32), sr=response.rate))


def blaser(model: Any, response: Audio, source: Audio) -> float:
    """1 − cosine of two SONAR embeddings, as the paper prints it. One encoder hears both sides: the English one."""
    torch = import_module("torch")
    tensors = [torch.as_tensor(side.samples, dtype=torch.float32)[None] for side in (response, source)]
    embeddings = [np.asarray(vector, dtype=np.float64) for vector in model.predict(tensors)]
    return 1.0 - cosine(embeddings[0], embeddings[1])


def phonemes_f1(model: Any, response: Audio, source: Audio) -> float:
    return phoneme_f1(_phonemes(model, response), _phonemes(model, source))


def phonemes_similarity(model: Any, response: Audio, source: Audio) -> float:
    return phoneme_similarity(_phonemes(model, response), _phonemes(model, source))


def phonemes_error_rate(model: Any, response: Audio, source: Audio) -> float:
    return phoneme_error_rate(_phonemes(model, response), _phonemes(model, source))


def intelligibility(model: Any, response: Audio) -> float:
    torch = import_module("torch")
    return phoneme_perplexity(torch.softmax(_logits(model, response), dim=-1).double().numpy())


def _predicted(model: Any, sample: dict[str, str]) -> float:
    return float(model.predict([sample], batch_size=1, gpus=0, progress_bar=False).scores[0])


def _phonemes(model: tuple[Any, Any], audio: Audio) -> Sequence[str]:
    ids = _logits(model, audio).argmax(dim=-1)
    return str(model[0].batch_decode(ids[None])[0]).split()


def _logits(model: tuple[Any, Any], audio: Audio) -> Any:
    torch = import_module("torch")
    processor, network = model
    wanted = processor(audio.samples, sampling_rate=audio.rate, return_tensors="pt")
    with torch.inference_mode():
        return network(wanted.input_values).logits[0]
