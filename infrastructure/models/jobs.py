import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from infrastructure.models.claims import Claimable
from infrastructure.wording.reason_field import ReasonField


class Job(Claimable):
    """A piece of background work. The row is the truth; the broker's message is only a hint."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=64, help_text="id of the row that the work is about")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    note = ReasonField(help_text="what it is at")
    error = ReasonField(help_text="why it failed")
    input_refused = models.BooleanField(
        default=False,
        db_default=False,
        help_text="it failed at what it was given, such as a faulty file: no fault here",
    )
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="empty for what the installation starts by itself",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(default=timezone.now, help_text="when its last message was sent to the workers")
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
    def is_to_repeat(self) -> bool:
        """Whether it ended without its work done."""
        return self.status in {self.Status.FAILED, self.Status.CANCELLED}

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0
