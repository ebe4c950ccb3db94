from judges.models.imports import VerdictImport
from judges.models.judging import (
    ACTIVE,
    Call,
    Cause,
    Judge,
    Reservation,
    Run,
    Verdict,
    VerdictAnswer,
    VerdictCall,
    WorkerSlot,
)
from judges.models.language_models import PRICES_OF_KINDS, DraftReply, DraftRun, LanguageModel, Permit, Price
from judges.models.qualifying import JudgeQualification

__all__ = [
    "ACTIVE",
    "PRICES_OF_KINDS",
    "Call",
    "Cause",
    "DraftReply",
    "DraftRun",
    "Judge",
    "JudgeQualification",
    "LanguageModel",
    "Permit",
    "Price",
    "Reservation",
    "Run",
    "Verdict",
    "VerdictAnswer",
    "VerdictCall",
    "VerdictImport",
    "WorkerSlot",
]
