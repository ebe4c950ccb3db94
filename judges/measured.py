"""The extractors' findings about a sound, for judges that ask for them."""

from collections.abc import Callable, Mapping, Sequence

from judges.kinds.contract import Feature, Sound

#: Findings by the extractor's name, for the extractors that are named.
Measure = Callable[[Sound, Sequence[str]], Mapping[str, Feature]]
ABSENT = "This extractor is not part of this installation."


def measured(sound: Sound, names: Sequence[str]) -> Mapping[str, Feature]:
    """Every feature that is named; an absent one with its reason."""
    del sound
    return {name: Feature(name, "", None, ABSENT) for name in names}
