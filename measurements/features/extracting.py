"""All the features of one clip, each with a value or the reason why there is none."""

from collections.abc import Iterable, Mapping

from measurements.features.contract import ClipSound, Extractor, Feature, Unavailable, Undefined


def extract(
    clip: ClipSound, wanted: Iterable[Extractor], *, there: Mapping[str, Feature] | None = None
) -> dict[str, Feature]:
    """Do `wanted` in their order; those among `there` are read and not done again. Other errors pass through."""
    found: dict[str, Feature] = dict(there or {})
    for extractor in wanted:
        if extractor.name not in found:
            found[extractor.name] = extract_one(clip, extractor, found)
    return found


def extract_one(clip: ClipSound, extractor: Extractor, earlier: Mapping[str, Feature]) -> Feature:
    name, version = extractor.name, extractor.version
    if reason := extractor.available():
        return Feature(name, version, "unavailable", reason=reason)
    try:
        return Feature(name, version, "ok", extractor.extract(clip, earlier))
    except Undefined as why:
        return Feature(name, version, "undefined", reason=why.reason)
    except Unavailable as why:
        return Feature(name, version, "unavailable", reason=why.reason)
