"""Which agreement is reported for which kind of answer."""

from collections.abc import Iterable

from infrastructure.phrases import Phrase
from protocols.protocol import Measure, Scale

#: By measure, the name of the metric of analytics; "" where no agreement is defined.
METRICS: dict[Measure, str] = {
    "typed_tie": "krippendorff_alpha_typed_tie",
    "nominal": "cohen_kappa",
    "ordinal": "krippendorff_alpha_ordinal",
    "interval": "krippendorff_alpha_interval",
    "text": "",
}

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


def agreement_metric(scale: Scale) -> str:
    """The metric that says how far raters agree on this scale.

    Typed ties have a distance of their own: a winner is nearer to a tie than to the other winner, and two good ones
    are far from two bad ones. Names are compared by Cohen's κ, ranks and equal steps by Krippendorff's α with the
    distance that fits them (COMPASS App. F.3). Texts are read, not counted.

    >>> from protocols.scales.named import CCR, TEXT
    >>> agreement_metric(CCR), agreement_metric(TEXT)
    ('krippendorff_alpha_interval', '')
    """
    return METRICS[scale.measure]
