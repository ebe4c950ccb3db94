import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from infrastructure.models.claims import Claimable
from infrastructure.wording.reason_field import ReasonField


class Endpoint(models.Model):
    """An address of an external server that receives events; a higher app extends it with their kinds."""

    url = models.CharField(max_length=500)
    sealed_secret = models.TextField(help_text="encrypted; it signs what is sent")
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True, help_text="the first failure since the last success")
    failures = models.PositiveIntegerField(default=0, help_text="since the last success")
    paused_until = models.DateTimeField(null=True, help_text="no requests to an unresponsive server until then")
    disabled_at = models.DateTimeField(null=True)
    disabled_because = ReasonField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url


class Delivery(Claimable):
    """One event for one endpoint, written in the transaction of its cause."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given_up", _("Abandoned")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=20, help_text="of the event, by the name it has in the body")
    body = models.TextField(help_text="JSON, as it is signed and sent at every try")
    created_at = models.DateTimeField(auto_now_add=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    due_at = models.DateTimeField(default=timezone.now, help_text="when it is tried next")
    tried_at = models.DateTimeField(null=True)
    response_status = models.PositiveSmallIntegerField(null=True, help_text="of the last try, if there was an answer")
    took_ms = models.PositiveIntegerField(null=True)
    message = ReasonField(help_text="what went wrong at the last try")

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="waiting"), name="deliveries_that_wait"),
            models.Index(fields=["endpoint", "-created_at"], name="deliveries_of_endpoint"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}: {self.status}"
