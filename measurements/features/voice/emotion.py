"""Emotion by emotion2vec+ (Ma et al., 2023), an extra: `funasr` and a model from a folder, a cache or a hub."""

from functools import lru_cache
from typing import Any

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import ClipSound, Earlier, Undefined, Value
from measurements.features.models.sources import Sources, carried, model_at, why_not_there

MODEL = "emotion2vec/emotion2vec_plus_large"
_HAS = "model.pt"


def missing(sources: Sources) -> Reason | None:
    if not carried("funasr"):
        return reasons.NO_FUNASR()
    return why_not_there(sources, MODEL, must_have=_HAS)


def emotion(clip: ClipSound, _earlier: Earlier, *, sources: Sources) -> Value:
    """A score of 0 to 1 per emotion, named as the model names them. Raises Undefined for silence."""
    if not clip.mono.any():
        raise Undefined(reasons.SILENCE_NO_EMOTION())
    (said,) = _model(sources).generate(clip.mono, granularity="utterance", extract_embedding=False)
    return {
        english(label): round(float(score), 3) for label, score in zip(said["labels"], said["scores"], strict=True)
    }


def english(label: str) -> str:
    """The model names emotions in Chinese and English.

    >>> english("开心/happy"), english("<unk>")
    ('happy', 'unknown')
    """
    return "unknown" if label == "<unk>" else label.rsplit("/", 1)[-1]


@lru_cache(maxsize=1)
def _model(sources: Sources) -> Any:
    from funasr import AutoModel  # noqa: PLC0415 - torch and much else: workers only

    place = model_at(sources, MODEL, must_have=_HAS)
    return AutoModel(model=place, hub="hf", device="cpu", ncpu=1, disable_update=True, disable_pbar=True)
