from django.conf import settings
from django.db import models

from campaigns.models.campaigns import Campaign


class NameLock(models.Model):
    """Hides the names of a campaign's systems on its board until it closes. Never removed."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="name_lock")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    plan = models.JSONField(
        default=dict, help_text="the settings of the board that were chosen then, and their context"
    )
    plan_sha256 = models.CharField(max_length=64, blank=True)
    names_were_shown = models.BooleanField(
        default=True, help_text="whether a board of votes had been made under names before"
    )

    def __str__(self) -> str:
        return f"names hidden in {self.campaign}"
