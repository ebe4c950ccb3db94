from django.db import models
from django.db.models import Q

from campaigns.models import Campaign


class ExclusionAlarm(models.Model):
    """A period in which unusually many answers of a campaign were left out."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exclusion_alarms")
    began_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    rule = models.CharField(max_length=100, blank=True, help_text="that left most of them out; empty for people")
    recent = models.PositiveIntegerField(help_text="left out of the last answers, as it stands now")
    of_recent = models.PositiveIntegerField()
    before = models.PositiveIntegerField(help_text="left out of those before")
    of_before = models.PositiveIntegerField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(ended_at=None), name="one_exclusion_alarm_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"{self.recent} of the last {self.of_recent} answers left out of {self.campaign}"
