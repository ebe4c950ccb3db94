from judges.models.judging import ACTIVE, Call, Judge, Lane, Run, Verdict, VerdictAnswer, VerdictCall
from judges.models.language_models import DraftReply, DraftRun, LanguageModel, Permit, Price

__all__ = [
    "ACTIVE",
    "Call",
    "DraftReply",
    "DraftRun",
    "Judge",
    "Lane",
    "LanguageModel",
    "Permit",
    "Price",
    "Run",
    "Verdict",
    "VerdictAnswer",
    "VerdictCall",
]
