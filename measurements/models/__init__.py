from measurements.models.features import ClipFeature
from measurements.models.metrics import (
    IdentityHit,
    IdentityScan,
    LikelihoodSequence,
    MetricRun,
    MetricScore,
    ScannedResponse,
)

__all__ = [
    "ClipFeature",
    "IdentityHit",
    "IdentityScan",
    "LikelihoodSequence",
    "MetricRun",
    "MetricScore",
    "ScannedResponse",
]
