"""Which agreement is reported for which kind of answer."""

from campaigns.protocols.protocol import Measure, Scale

#: By measure, the name of the metric of analytics; "" where no agreement is defined.
METRICS: dict[Measure, str] = {
    "typed_tie": "krippendorff_alpha_typed_tie",
    "nominal": "cohen_kappa",
    "ordinal": "krippendorff_alpha_ordinal",
    "interval": "krippendorff_alpha_interval",
    "text": "",
}


def agreement_metric(scale: Scale) -> str:
    """The metric that says how far raters agree on this scale.

    Typed ties have a distance of their own: a winner is nearer to a tie than to the other winner, and two good ones
    are far from two bad ones. Names are compared by Cohen's κ, ranks and equal steps by Krippendorff's α with the
    distance that fits them (COMPASS App. F.3). Texts are read, not counted.

    >>> from campaigns.protocols.scales import CCR, TEXT
    >>> agreement_metric(CCR), agreement_metric(TEXT)
    ('krippendorff_alpha_interval', '')
    """
    return METRICS[scale.measure]
