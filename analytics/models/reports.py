import secrets
import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from campaigns.models import Campaign


class Report(models.Model):
    """The figures of one report, computed from certain data with certain settings. Never edited.

    The same data, settings and version are one row. A report that is kept or shared is never deleted.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=40)
    settings = models.JSONField(help_text="which answers, and the choices of the kind, as addresses have them")
    settings_digest = models.CharField(max_length=64, help_text="SHA-256 of the settings")
    data_sha256 = models.CharField(max_length=64, help_text="changes whenever what the figures depend on does")
    version = models.CharField(max_length=10, help_text="of the kind's figures")
    figures = models.JSONField()
    took_s = models.FloatField()
    computed_at = models.DateTimeField(auto_now_add=True)
    kept_at = models.DateTimeField(null=True, help_text="since when it is kept permanently")

    class Meta:
        ordering = ["-computed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "kind", "settings_digest", "data_sha256", "version"], name="one_report_of_each"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} report of {self.campaign}"


def new_share_token() -> str:
    return secrets.token_urlsafe(24)


class ReportShare(models.Model):
    """A link by which a report can be read without an account, until it expires or is revoked."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="shares")
    token = models.CharField(max_length=64, unique=True, default=new_share_token)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"link {self.pk} to {self.report}"

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())
