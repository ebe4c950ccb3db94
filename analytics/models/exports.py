import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.people.members import withdrawals_in
from infrastructure.files.media import MediaFile, media_file
from infrastructure.models import Job
from infrastructure.wording.reason_field import ReasonsField


class Export(models.Model):
    """A file with a campaign's answers, created by a job and deleted when it expires."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20, help_text="a name in analytics.exports.formats.registry")
    wanted = models.JSONField(help_text="what was asked for (analytics.exports.request)")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    file = models.CharField(max_length=200, blank=True, help_text="its name; empty until it is made")
    size = models.PositiveBigIntegerField(null=True, help_text="bytes")
    sha256 = models.CharField(max_length=64, blank=True)
    rows = models.PositiveBigIntegerField(null=True)
    withdrawals = models.PositiveIntegerField(
        default=0, db_default=0, help_text="how many people had withdrawn their answers when these were read"
    )
    dropped_at = models.DateTimeField(null=True, help_text="since when the file is gone, because more have since")
    left_out = ReasonsField(
        default=list, blank=True, help_text="what the format left out: how many, for which reason"
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(made_at=None) | ~Q(file="") & Q(size__isnull=False, expires_at__isnull=False),
                name="an_export_is_made_with_its_file",
            )
        ]

    def __str__(self) -> str:
        return f"{self.format} of {self.campaign}"

    @property
    def folder(self) -> MediaFile:
        return media_file("exports", str(self.pk))

    @property
    def path(self) -> MediaFile:
        return media_file("exports", str(self.pk), self.file)

    @property
    def is_ready(self) -> bool:
        """Whether the file may be given out."""
        made = self.made_at is not None and self.expires_at is not None and self.expires_at > timezone.now()
        return made and not self.is_outdated(withdrawals_in(self.campaign))

    def is_outdated(self, withdrawals: int) -> bool:
        """Whether answers that it may hold were withdrawn since; so many people have withdrawn theirs by now."""
        return self.made_at is not None and self.withdrawals < withdrawals
