"""What Krippendorff's α is called by the distance between labels that it is taken by."""

from collections.abc import Iterable

from infrastructure.wording.phrases import Phrase

#: Krippendorff's α is another number by each distance between labels, so its name never stands without one.
ALPHAS: dict[str, str] = {
    "nominal": Phrase("Krippendorff’s α (nominal)"),
    "ordinal": Phrase("Krippendorff’s α (ordinal)"),
    "interval": Phrase("Krippendorff’s α (interval)"),
    "typed_tie": Phrase("Krippendorff’s α (typed-tie distance)"),
}
#: The distances by themselves, for a column beside that of α.
DISTANCES: dict[str, str] = {
    "nominal": Phrase("nominal"),
    "ordinal": Phrase("ordinal"),
    "interval": Phrase("interval"),
    "typed_tie": Phrase("typed ties"),
}


def alpha_title(distances: str | Iterable[str]) -> str:
    """The name of α by this distance; of several, one that sends to the column of `DISTANCES` beside it.

    >>> alpha_title("typed_tie")
    'Krippendorff’s α (typed-tie distance)'
    >>> alpha_title(["ordinal", "ordinal"]), alpha_title(["nominal", "ordinal"])
    ('Krippendorff’s α (ordinal)', 'Krippendorff’s α (by the distance of each scale)')
    """
    found = {distances} if isinstance(distances, str) else set(distances)
    return ALPHAS[found.pop()] if len(found) == 1 else Phrase("Krippendorff’s α (by the distance of each scale)")
