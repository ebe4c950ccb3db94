from judges.models.features import ClipFeature
from judges.models.imports import VerdictImport
from judges.models.judging import (
    ACTIVE,
    Call,
    Cause,
    Judge,
    Lane,
    Reservation,
    Run,
    Verdict,
    VerdictAnswer,
    VerdictCall,
)
from judges.models.language_models import PRICES_OF_KINDS, DraftReply, DraftRun, LanguageModel, Permit, Price
from judges.models.metrics import (
    IdentityHit,
    IdentityScan,
    LikelihoodSequence,
    MetricRun,
    MetricScore,
    ScannedResponse,
)
from judges.models.qualifying import JudgeQualification

__all__ = [
    "ACTIVE",
    "PRICES_OF_KINDS",
    "Call",
    "Cause",
    "ClipFeature",
    "DraftReply",
    "DraftRun",
    "IdentityHit",
    "IdentityScan",
    "Judge",
    "JudgeQualification",
    "Lane",
    "LanguageModel",
    "LikelihoodSequence",
    "MetricRun",
    "MetricScore",
    "Permit",
    "Price",
    "Reservation",
    "Run",
    "ScannedResponse",
    "Verdict",
    "VerdictAnswer",
    "VerdictCall",
    "VerdictImport",
]
