from analytics.models.alarms import ExclusionAlarm
from analytics.models.quality import QualityFlag, QualityLook, Rehearsal
from analytics.models.votes import VoteCount, VoteFold

__all__ = ["ExclusionAlarm", "QualityFlag", "QualityLook", "Rehearsal", "VoteCount", "VoteFold"]
