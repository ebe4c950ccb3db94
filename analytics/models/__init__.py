from analytics.models.alarms import ExclusionAlarm
from analytics.models.asked import AskedReport
from analytics.models.exports import Export
from analytics.models.quality import QualityFlag, QualityLook, Rehearsal
from analytics.models.reports import Report, ReportShare
from analytics.models.votes import VoteCount, VoteFold

__all__ = [
    "AskedReport",
    "ExclusionAlarm",
    "Export",
    "QualityFlag",
    "QualityLook",
    "Rehearsal",
    "Report",
    "ReportShare",
    "VoteCount",
    "VoteFold",
]
