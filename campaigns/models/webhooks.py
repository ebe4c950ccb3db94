import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaigns import Campaign


class EventKind(models.TextChoices):
    """What may be told, by the name it has in the body."""

    ANSWER = "answer.recorded", _("An answer was recorded")
    UNIT = "unit.completed", _("A unit has all its answers")
    CLOSED = "campaign.closed", _("The campaign was closed")
    RUN = "run.finished", _("A judge's run has ended")
    ALARM = "quality.alarm", _("A signal of quality spoke up")
    TEST = "webhook.test", _("A test")


class Webhook(models.Model):
    """An address of somebody's server that is told of a campaign's events."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list, help_text="kinds of events that it is told of")
    sealed_secret = models.TextField(help_text="encrypted; it signs what is sent")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True, help_text="the first failure since the last success")
    failures = models.PositiveIntegerField(default=0, help_text="since the last success")
    rests_until = models.DateTimeField(null=True, help_text="a server that does not answer is left alone so long")
    disabled_at = models.DateTimeField(null=True)
    disabled_because = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event on its way to one address. The row is the truth; it is written with the deed that it tells of."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given_up", _("Given up")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=20, choices=EventKind)
    body = models.TextField(help_text="JSON, as it is signed and sent at every try")
    created_at = models.DateTimeField(auto_now_add=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(help_text="when it is tried next; while it is under way, when it counts as lost")
    tried_at = models.DateTimeField(null=True)
    response_status = models.PositiveSmallIntegerField(null=True, help_text="of the last try, if there was an answer")
    took_ms = models.PositiveIntegerField(null=True)
    message = models.CharField(max_length=200, blank=True, help_text="what went wrong at the last try")

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="waiting"), name="deliveries_that_wait"),
            models.Index(fields=["webhook", "-created_at"], name="deliveries_of_webhook"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}: {self.status}"
