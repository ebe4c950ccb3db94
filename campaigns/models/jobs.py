import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class Job(models.Model):
    """Work done in the background. The row is the truth; the broker's message only says that it is there."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=64, help_text="id of the row that the work is about")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0, help_text="counts the workers that took it")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    input_refused = models.BooleanField(
        default=False,
        db_default=False,
        help_text="it failed at what it was given, such as a faulty file: no fault here",
    )
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(status__in=["queued", "running"]),
                name="one_active_job",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.status}"

    @property
    def topic(self) -> str:
        """What pages that show this job listen to."""
        return f"job:{self.pk}"

    @property
    def is_active(self) -> bool:
        return self.status in {self.Status.QUEUED, self.Status.RUNNING}

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0
