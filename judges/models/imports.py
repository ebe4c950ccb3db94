import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from campaigns.models import Campaign
from infrastructure.files.media import at_hand
from infrastructure.wording.reason_field import ReasonsField


class VerdictImport(models.Model):
    """One table of verdicts, from its upload to its runs. The file is deleted when it ends.

    Its verdicts are in separate runs that no page shows (Run.Status.IMPORTING) until all of it is there.
    """

    class Status(models.TextChoices):
        MAPPING = "mapping", _("waiting for its columns to be mapped")
        CHECKING = "checking", _("being checked")
        WRITING = "writing", _("being written")
        #: All is written: it can only be completed now, and not be cancelled.
        COMPLETING = "completing", _("being completed")
        IMPORTED = "imported", _("imported")
        FAILED = "failed", _("refused")
        CANCELLED = "cancelled", _("cancelled")

    #: One at a time for each campaign.
    ACTIVE = (Status.CHECKING, Status.WRITING, Status.COMPLETING)
    CANCELLABLE = (Status.MAPPING, Status.CHECKING, Status.WRITING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="verdict_imports")
    table_name = models.CharField(max_length=255)
    options = models.JSONField(default=dict, help_text="judge, order, columns and settings, as they were chosen")
    status = models.CharField(max_length=10, choices=Status, default=Status.CHECKING)
    report = ReasonsField(default=dict, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=Q(status__in=["checking", "writing", "completing"]),
                name="one_import_of_verdicts_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"verdicts of {self.table_name} for {self.campaign}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def may_be_cancelled(self) -> bool:
        return self.status in self.CANCELLABLE

    def get_absolute_url(self) -> str:
        return reverse("verdict-import", args=[self.campaign.slug, self.pk])

    @property
    def folder(self) -> Path:
        return Path(settings.MEDIA_ROOT) / "verdict-imports" / str(self.pk)

    @property
    def table_path(self) -> Path:
        return at_hand(self.folder / "table")
