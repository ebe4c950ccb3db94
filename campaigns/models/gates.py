import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q, prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaigns import Campaign


class GateKind(models.TextChoices):
    """What an annotator may have to do before the first unit, in this order."""

    GUIDELINES = "guidelines", _("Guidelines")
    VOLUME = "volume", _("Volume")
    HEADPHONES = "headphones", _("Headphones")
    ENVIRONMENT = "environment", _("Surroundings")
    TRAINING = "training", _("Training")
    QUALIFICATION = "qualification", _("Qualification")


class Gate(models.Model):
    """An entry gate of a campaign. `settings` is particular to its kind."""

    class OnFailure(models.TextChoices):
        LET_IN = "let_in", _("Let them in, and record it")
        TURN_AWAY = "turn_away", _("Turn them away, with an explanation")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="gates")
    kind = models.CharField(max_length=13, choices=GateKind)
    settings = models.JSONField(default=dict, blank=True)
    on_failure = models.CharField(max_length=9, choices=OnFailure, default=OnFailure.LET_IN)
    tries = models.PositiveSmallIntegerField(default=1)
    valid_minutes = models.PositiveIntegerField(null=True, help_text="then it is asked again; empty for never")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "kind"], name="one_gate_of_a_kind"),
            models.CheckConstraint(condition=Q(tries__gte=1), name="a_gate_can_be_tried"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.campaign}"

    @property
    def place(self) -> int:
        """Where it stands among all kinds."""
        return GateKind.values.index(self.kind)


def gates_of(campaign: Campaign) -> list[Gate]:
    """The gates of a campaign in the order in which they are met; read once for one object."""
    prefetch_related_objects([campaign], "gates")
    return sorted(campaign.gates.all(), key=lambda gate: gate.place)


class GuidelinesText(models.Model):
    """What annotators of a campaign read before they start. A change is a new version."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="guidelines_texts")
    version = models.PositiveIntegerField()
    text = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "version"], name="one_guidelines_text_per_version"),
            models.CheckConstraint(condition=~Q(text=""), name="guidelines_say_something"),
        ]

    def __str__(self) -> str:
        return f"guidelines of {self.campaign}, version {self.version}"


class GateTry(models.Model):
    """One person's try at one entry gate: what was drawn, the answers, and the result.

    What was drawn never leaves the server. A check that could not run is neither passed nor failed; `details` has
    the reason. Once it has ended, a try is not touched any more.
    """

    class Outcome(models.TextChoices):
        OPEN = "", _("Under way")
        PASSED = "passed", _("Passed")
        FAILED = "failed", _("Not passed")
        COULD_NOT_RUN = "could_not_run", _("Could not run")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="gate_tries")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=13, choices=GateKind)
    number = models.PositiveSmallIntegerField(help_text="1 for the person's first try at this gate, and so on")
    drawn = models.JSONField(default=dict, blank=True)
    said = models.JSONField(default=list, blank=True)
    outcome = models.CharField(max_length=13, choices=Outcome, blank=True, default=Outcome.OPEN)
    score = models.FloatField(null=True)
    details = models.JSONField(default=dict, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["kind", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator", "kind", "number"], name="one_try_per_number"),
            models.UniqueConstraint(
                fields=["campaign", "annotator", "kind"], condition=Q(outcome=""), name="one_open_try_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(outcome="", ended_at=None) | ~Q(outcome="") & Q(ended_at__isnull=False),
                name="a_try_ends_with_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"try {self.number} at {self.kind} of {self.campaign}"
