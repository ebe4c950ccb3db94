"""Exports, reports and counts: they go with their campaign."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import ngettext_lazy

from analytics.models import (
    AskedReport,
    ExclusionAlarm,
    Export,
    QualityFlag,
    QualityLook,
    Rehearsal,
    Report,
    ReportShare,
    VoteCount,
    VoteFold,
)
from campaigns.models import Campaign
from corpus.models import Import
from infrastructure.deletion.subjects import Counted, Files, Part, counts, goes_with, has_files, has_jobs


def register_deletion() -> None:
    plain = (AskedReport, ExclusionAlarm, QualityLook, Rehearsal, Report, VoteCount, VoteFold)
    goes_with(
        Campaign,
        *(Part(model, "campaign") for model in plain),
        Part(Export, "campaign", folder=lambda row: row.folder),
        Part(ReportShare, "report__campaign"),
        Part(QualityFlag, "membership__campaign"),
    )
    counts(
        Campaign,
        Counted(Export, "campaign", ngettext_lazy("%(n)s export", "%(n)s exports", "n")),
        Counted(Report, "campaign", ngettext_lazy("%(n)s report", "%(n)s reports", "n")),
        Counted(
            Report,
            "campaign",
            ngettext_lazy(
                "%(n)s report at a permanent address stops answering",
                "%(n)s reports at permanent addresses stop answering",
                "n",
            ),
            Q(kept_at__isnull=False),
            is_loss=True,
        ),
        Counted(
            ReportShare,
            "report__campaign",
            ngettext_lazy(
                "%(n)s link by which a report is shared stops answering",
                "%(n)s links by which reports are shared stop answering",
                "n",
            ),
            Q(revoked_at=None),
            is_loss=True,
        ),
    )
    has_files(Export, Files("exports", leaving=_leaving))
    has_jobs(Export, "make-export")
    has_jobs(AskedReport, "make-report")
    has_jobs(Import, "study-check", "study-write")


def _leaving(exports: QuerySet[Any]) -> list[tuple[QuerySet[Any], str]]:
    return [(exports.exclude(made_at=None).filter(dropped_at=None), "size")]
