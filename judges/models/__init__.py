from judges.models.judging import ACTIVE, Call, Judge, Lane, Run, Verdict, VerdictAnswer, VerdictCall
from judges.models.language_models import DraftReply, DraftRun, LanguageModel, Permit, Price
from judges.models.qualifying import JudgeQualification

__all__ = [
    "ACTIVE",
    "Call",
    "DraftReply",
    "DraftRun",
    "Judge",
    "JudgeQualification",
    "Lane",
    "LanguageModel",
    "Permit",
    "Price",
    "Run",
    "Verdict",
    "VerdictAnswer",
    "VerdictCall",
]
