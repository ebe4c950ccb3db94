"""The extractors' findings about a sound, for judges that ask for them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from corpus.audio.reading import Sound as Decoded
from corpus.models import Clip
from judges import reasons
from judges.cases.case import sound_of
from judges.kinds.contract import Feature, Sound
from judges.kinds.text_models.transcripts import TRANSCRIPT, transcript_text
from judges.sounds.perturbations import Unperturbable
from measurements.clip_features.rows import ensure_features, features_of, sources
from measurements.features.contract import ClipSound
from measurements.features.contract import Feature as Extracted
from measurements.features.extracting import extract
from measurements.features.registry import extractors, with_needed

#: Features of perturbed sounds, which have no clip to be stored with; a run needs them again soon.
KEPT = 512


def measured(sound: Sound, names: Sequence[str]) -> Mapping[str, Feature]:
    """Every feature that is named, extracted now where it was not yet; an absent one with its reason."""
    known = [name for name in names if name in extractors(sources())]
    found = _of_clip(sound, known) if known else {}
    return {name: _as_feature(name, found.get(name)) for name in names}


def kept(sound: Sound, names: Iterable[str]) -> Mapping[str, Feature]:
    """What is there already, without listening to anything."""
    clip = Clip.objects.filter(sha256=sound.sha256).first()
    found = features_of(clip) if clip else {}
    return {name: _as_feature(name, found.get(name)) for name in names}


def recognised(clip: Clip) -> str:
    """The words heard in a clip as it was imported, recognised now where they were not yet. Raises Unperturbable."""
    feature = measured(sound_of(clip), [TRANSCRIPT])[TRANSCRIPT]
    if (text := transcript_text(feature)) is None:
        raise Unperturbable(reasons.NO_WORDS_OF_CLIP(why=feature.reason or ""))
    return text


def _of_clip(sound: Sound, names: Sequence[str]) -> Mapping[str, Extracted]:
    """Rows where the sound is a clip as it was imported; a perturbed one is listened to by itself."""
    if (clip := Clip.objects.filter(sha256=sound.sha256).first()) is None:
        return _of_perturbed(sound, tuple(names))
    ensure_features([clip], names)
    return features_of(clip)


@lru_cache(maxsize=KEPT)
def _of_perturbed(sound: Sound, names: tuple[str, ...]) -> Mapping[str, Extracted]:
    samples, rate = sound.read()
    mono = np.asarray(samples, dtype=np.float32).reshape(-1, 1)
    return extract(ClipSound(Decoded(mono, rate, "", "")), with_needed(names, sources()))


def _as_feature(name: str, found: Extracted | None) -> Feature:
    if found is None:
        return Feature(name, "", None, reasons.EXTRACTOR_ABSENT())
    return Feature(name, found.version, found.value, found.reason)
