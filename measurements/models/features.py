from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from corpus.models import Clip
from infrastructure.wording.reason_field import ReasonField


class ClipFeature(models.Model):
    """The result of one version of an extractor for one clip; stored once per content."""

    class Status(models.TextChoices):
        OK = "ok", _("there")
        UNDEFINED = "undefined", _("undefined")
        UNAVAILABLE = "unavailable", _("not available here")
        FAILED = "failed", _("failed")

    #: These stay as they are; the others may be tried again.
    FINAL = (Status.OK, Status.UNDEFINED)

    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="features")
    name = models.CharField(max_length=40)
    version = models.CharField(max_length=160)
    status = models.CharField(max_length=11, choices=Status)
    value = models.JSONField(null=True)
    reason = ReasonField()
    seconds = models.FloatField(default=0.0, help_text="how long it took")
    attempts = models.PositiveSmallIntegerField(default=1)
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["clip", "name", "version"], name="one_feature_per_clip_and_version"),
            models.CheckConstraint(
                condition=Q(status="ok", value__isnull=False) | ~Q(status="ok") & Q(value__isnull=True),
                name="a_feature_has_a_value_or_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.clip}: {self.status}"

    @property
    def is_final(self) -> bool:
        return self.status in self.FINAL
