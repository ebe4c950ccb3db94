"""English accents by CommonAccent (Zuluaga-Gomez et al., 2023), an extra: `speechbrain` and a model."""

from functools import lru_cache
from typing import Any

import numpy as np

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import ClipSound, Earlier, Undefined, Value
from measurements.features.models.sources import Sources, carried, model_at, why_not_there

MODEL = "Jzuluaga/accent-id-commonaccent_ecapa"
_HAS = "hyperparams.yaml"


def missing(sources: Sources) -> Reason | None:
    if not (carried("speechbrain") and carried("torchaudio")):
        return reasons.NO_SPEECHBRAIN()
    return why_not_there(sources, MODEL, must_have=_HAS)


def accent(clip: ClipSound, _earlier: Earlier, *, sources: Sources) -> Value:
    """The cosine similarity with each accent that the model knows. Raises Undefined for silence."""
    import torch  # noqa: PLC0415 - heavy: workers only

    if not clip.mono.any():
        raise Undefined(reasons.SILENCE_NO_ACCENT())
    model = _model(sources)
    with torch.inference_mode():
        scores, *_best = model.classify_batch(torch.from_numpy(clip.mono[np.newaxis].copy()))
    names = model.hparams.label_encoder.ind2lab
    return {names[i]: round(float(score), 3) for i, score in enumerate(scores.squeeze().tolist())}


@lru_cache(maxsize=1)
def _model(sources: Sources) -> Any:
    from speechbrain.inference.classifiers import EncoderClassifier  # noqa: PLC0415 - torch and much else: workers only

    place = model_at(sources, MODEL, must_have=_HAS)
    kept = str(sources.cache / "speechbrain") if sources.cache else None
    return EncoderClassifier.from_hparams(source=place, savedir=kept, run_opts={"device": "cpu"})
