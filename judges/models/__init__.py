from judges.models.judging import Call, Judge, Run, Verdict, VerdictAnswer, VerdictCall
from judges.models.language_models import DraftReply, DraftRun, LanguageModel

__all__ = [
    "Call",
    "DraftReply",
    "DraftRun",
    "Judge",
    "LanguageModel",
    "Run",
    "Verdict",
    "VerdictAnswer",
    "VerdictCall",
]
