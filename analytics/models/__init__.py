from analytics.models.alarms import ExclusionAlarm
from analytics.models.quality import QualityFlag, QualityLook, Rehearsal

__all__ = ["ExclusionAlarm", "QualityFlag", "QualityLook", "Rehearsal"]
