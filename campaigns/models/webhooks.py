from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaigns import Campaign
from infrastructure.models import Endpoint


class EventKind(models.TextChoices):
    """The kinds of events, by their names in the body."""

    ANSWER = "answer.recorded", _("An answer was recorded")
    UNIT = "unit.completed", _("A unit has all its answers")
    CLOSED = "campaign.closed", _("The campaign was closed")
    RUN = "run.finished", _("A judge's run has ended")
    ALARM = "quality.alarm", _("A quality signal was raised")
    TEST = "webhook.test", _("A test")


class Webhook(Endpoint):
    """An address that receives a campaign's events."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    events = models.JSONField(default=list, help_text="kinds of events that it receives")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url
