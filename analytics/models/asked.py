import uuid

from django.db import models

from accounts.models import User
from analytics.models.reports import Report
from campaigns.models import Campaign
from infrastructure.models import Job


class AskedReport(models.Model):
    """A request for a report, which a job computes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="asked_reports")
    kind = models.CharField(max_length=40)
    settings = models.JSONField()
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    report = models.ForeignKey(Report, on_delete=models.CASCADE, null=True, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-asked_at"]

    def __str__(self) -> str:
        return f"{self.kind} report of {self.campaign}, asked for"
