import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models import Campaign, CampaignUnit

#: Statuses of assignments that hold no seat any more.
GONE = ("expired", "returned")


class Assignment(models.Model):
    """One unit in the hands of one annotator, with the order in which the responses are heard."""

    class Status(models.TextChoices):
        RESERVED = "reserved"
        ANSWERED = "answered"
        EXPIRED = "expired"
        RETURNED = "returned"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments")
    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    order = models.CharField(max_length=26, help_text="the slot heard as 1, as 2, …: `ba` has b heard as 1")
    seat = models.PositiveSmallIntegerField(help_text="1 to the campaign's answers per unit")
    status = models.CharField(max_length=10, choices=Status, default=Status.RESERVED)
    return_reason = models.CharField(max_length=20, blank=True)
    reserved_at = models.DateTimeField()
    shown_at = models.DateTimeField(
        default=timezone.now, help_text="as reserved_at, or when the annotator came back after it had expired"
    )
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["campaign", "annotator", "status"], name="assignment_of_annotator")]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign_unit", "seat"],
                condition=~Q(status__in=GONE),
                name="one_assignment_per_seat",
            ),
            models.UniqueConstraint(
                fields=["campaign_unit", "annotator"],
                condition=~Q(status__in=GONE),
                name="a_unit_once_per_annotator",
            ),
            models.UniqueConstraint(
                fields=["campaign", "annotator"],
                condition=Q(status="reserved"),
                name="one_reservation_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_unit} for {self.annotator}"


class ListeningLog(models.Model):
    """What was played of each clip of an assignment, as the page reported it and the clock allowed it."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="listening")
    number = models.PositiveBigIntegerField(default=0, help_text="of the last report: milliseconds since 1970")
    clips = models.JSONField(default=dict, help_text="by place-turn: ranges in seconds, and how often it was begun")
    played_s = models.FloatField(default=0.0, help_text="seconds of sound, repetitions included")
    switches = models.PositiveIntegerField(default=0, help_text="from one clip to another")
    hidden_s = models.FloatField(default=0.0, help_text="seconds during which the page was not in view")

    def __str__(self) -> str:
        return f"listening of {self.assignment}"


class Annotation(models.Model):
    """One person's answers to one unit. Never edited, never deleted."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="annotation")
    idempotency_key = models.CharField(max_length=64)
    shown_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"annotation {self.pk}"


class Answer(models.Model):
    """The answer to one aspect, of the unit or (with a slot) of one of its responses, in the stored frame."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="answers")
    aspect = models.CharField(max_length=60)
    slot = models.CharField(max_length=1, blank=True)
    value = models.TextField()
    acceptable_a = models.BooleanField(null=True)
    acceptable_b = models.BooleanField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "aspect", "slot"], name="one_answer_per_aspect_and_slot")
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value}"
