from annotation.models.answers import (
    SEATLESS,
    Annotation,
    AnnotatorDecision,
    Answer,
    Assignment,
    ByPersonOrRule,
    DayKey,
    DefectMark,
    ListeningLog,
    Reason,
    UseDecision,
)
from annotation.models.review import (
    AdjudicatedAnswer,
    Adjudication,
    AnswerReview,
    NamesShown,
    ReviewComment,
    UnitReview,
)
from annotation.models.votes import VoteChange

__all__ = [
    "SEATLESS",
    "AdjudicatedAnswer",
    "Adjudication",
    "Annotation",
    "AnnotatorDecision",
    "Answer",
    "AnswerReview",
    "Assignment",
    "ByPersonOrRule",
    "DayKey",
    "DefectMark",
    "ListeningLog",
    "NamesShown",
    "Reason",
    "ReviewComment",
    "UnitReview",
    "UseDecision",
    "VoteChange",
]
