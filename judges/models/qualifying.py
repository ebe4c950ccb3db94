from django.db import models

from accounts.models import User
from campaigns.models import Campaign
from infrastructure.wording.reason_field import ReasonField
from judges.models.judging import Judge


class JudgeQualification(models.Model):
    """The result of testing a judge on prompts that people labelled. The last one counts."""

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="qualifications")
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="+")
    aspect = models.CharField(max_length=60)
    right = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    people = models.FloatField(null=True, help_text="how often people were right on the same prompts")
    qualified = models.BooleanField()
    reason = ReasonField(help_text="why it did not qualify")
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.judge}: {self.right} of {self.n}"
