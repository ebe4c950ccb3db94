from django.conf import settings
from django.db import models

from campaigns.models.campaigns import Campaign


class QualityRules(models.Model):
    """The quality rules that apply from a time on. The newest row counts.

    `rules` has those that differ from the defaults, by signal (campaigns.quality.rule).
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="quality_rules")
    rules = models.JSONField(default=dict)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"rules of {self.campaign}"
