"""What people answered, and what reviewers said of it: it goes with its campaign."""

from django.db.models import Q
from django.utils.translation import ngettext_lazy

from annotation.assignment.annotators import keep_times, times_at_work
from annotation.models import (
    AdjudicatedAnswer,
    Adjudication,
    Annotation,
    AnnotatorDecision,
    Answer,
    AnswerReview,
    Assignment,
    BulkDecision,
    DefectMark,
    ListeningLog,
    NamesShown,
    ReviewComment,
    UnitReview,
    UseDecision,
    VoteChange,
)
from campaigns.models import Campaign
from infrastructure.deletion.subjects import Counted, Files, Part, counts, goes_with, has_files, has_jobs


def register_deletion() -> None:
    goes_with(
        Campaign,
        Part(Assignment, "campaign"),
        Part(AnnotatorDecision, "campaign"),
        Part(VoteChange, "campaign"),
        Part(BulkDecision, "campaign"),
        *(Part(model, "campaign_unit__campaign") for model in (Adjudication, NamesShown, ReviewComment, UnitReview)),
        Part(AdjudicatedAnswer, "adjudication__campaign_unit__campaign"),
        Part(ListeningLog, "assignment__campaign"),
        Part(UseDecision, "assignment__campaign"),
        Part(Annotation, "assignment__campaign"),
        *(Part(model, "annotation__assignment__campaign") for model in (Answer, DefectMark, AnswerReview)),
    )
    has_files(Campaign, Files("last-seen", times_at_work, keep_times))
    has_jobs(BulkDecision, "bulk-decision")
    counts(
        Campaign,
        Counted(
            Annotation, "assignment__campaign", ngettext_lazy("%(n)s answered unit", "%(n)s answered units", "n")
        ),
        Counted(Answer, "annotation__assignment__campaign", ngettext_lazy("%(n)s answer", "%(n)s answers", "n")),
        Counted(VoteChange, "campaign", ngettext_lazy("%(n)s vote", "%(n)s votes", "n"), Q(change=1)),
        Counted(
            Adjudication,
            "campaign_unit__campaign",
            ngettext_lazy("%(n)s answer of a reviewer", "%(n)s answers of reviewers", "n"),
        ),
        Counted(
            Assignment,
            "campaign",
            ngettext_lazy(
                "agreement and scores of %(n)s annotator cannot be computed again",
                "agreement and scores of %(n)s annotators cannot be computed again",
                "n",
            ),
            Q(status=Assignment.Status.ANSWERED),
            "annotator",
            is_loss=True,
        ),
    )
