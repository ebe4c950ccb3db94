from django.db import models

from campaigns.models.campaigns import Campaign


class Retention(models.Model):
    """How long a campaign keeps identities and recordings after its close, and when they were deleted.

    Where a number is missing the installation's holds; nought is for ever.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="retention")
    identity_days = models.PositiveIntegerField(null=True, help_text="names, e-mail addresses, panels' numbers")
    audio_days = models.PositiveIntegerField(null=True, help_text="recordings, and what was made of them to be heard")
    identities_forgotten_at = models.DateTimeField(null=True)
    audio_deleted_at = models.DateTimeField(null=True)
    found_due_at = models.DateTimeField(null=True, help_text="when a night found it due; the next one carries it out")

    def __str__(self) -> str:
        return f"retention of {self.campaign}"
