import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, CampaignUnit

#: Statuses of assignments that hold no seat: not yet, or not any more.
SEATLESS = ("planned", "expired", "returned")


class Assignment(models.Model):
    """One unit given to one annotator, with the order in which the responses are heard.

    A planned one is what the annotator will probably get next, so that its clips can be fetched ahead; it keeps
    no other annotator from the unit.
    """

    class Status(models.TextChoices):
        PLANNED = "planned"
        RESERVED = "reserved"
        ANSWERED = "answered"
        EXPIRED = "expired"
        RETURNED = "returned"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments")
    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    order = models.CharField(max_length=26, help_text="the slot heard as 1, as 2, …: `ba` has b heard as 1")
    seat = models.PositiveSmallIntegerField(help_text="1 to the campaign's answers per unit; 0 while it is planned")
    status = models.CharField(max_length=10, choices=Status, default=Status.RESERVED)
    return_reason = models.CharField(max_length=20, blank=True)
    return_comment = models.TextField(blank=True)
    reserved_at = models.DateTimeField()
    shown_at = models.DateTimeField(
        default=timezone.now, help_text="as reserved_at, or when the annotator came back after it had expired"
    )
    expires_at = models.DateTimeField()
    excluded = models.BooleanField(
        default=False, help_text="what the last UseDecision says; an excluded answer's seat is free for another"
    )
    reopened_at = models.DateTimeField(null=True, help_text="since when its answer is being changed by its annotator")
    round = models.PositiveSmallIntegerField(
        default=1, help_text="training and qualifying units may come again, with the next try"
    )

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "annotator", "status", "campaign_unit"], name="assignment_of_annotator"),
            models.Index(fields=["campaign", "status", "expires_at"], name="assignment_by_expiry"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign_unit", "seat"],
                condition=~Q(status__in=SEATLESS) & Q(excluded=False),
                name="one_assignment_per_seat",
            ),
            models.UniqueConstraint(
                fields=["campaign_unit", "annotator", "round"],
                condition=~Q(status__in=SEATLESS),
                name="a_unit_once_per_annotator_and_round",
            ),
            models.UniqueConstraint(
                fields=["campaign", "annotator"],
                condition=Q(status="reserved"),
                name="one_reservation_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["campaign", "annotator"],
                condition=Q(status="planned"),
                name="one_plan_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["campaign", "annotator"],
                condition=Q(reopened_at__isnull=False),
                name="one_answer_reopened_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_unit} for {self.annotator}"

    @property
    def is_in_hand(self) -> bool:
        """Whether its annotator may listen and answer at the moment."""
        return self.status == self.Status.RESERVED or self.reopened_at is not None


class Reason(models.TextChoices):
    """Why an answer is not used, or an annotator is paused."""

    GOLD = "gold", _("Gold units failed")
    TRAP = "trap", _("Traps failed")
    SPEED = "speed", _("Too fast")
    LISTENING = "listening", _("Not heard")
    SIDE = "side", _("Always the same side")
    PATTERN = "pattern", _("Always the same answers")
    TEXT = "text", _("Repeated reasons")
    AGREEMENT = "agreement", _("Unlike all others")
    FAVOUR = "favour", _("Favours one system")
    TECHNICAL = "technical", _("Something technical")
    WITHDRAWN = "withdrawn", _("Asked for by the person")
    OTHER = "other", _("Another reason")


class ByPersonOrRule(models.Model):
    """Who or what decided, why, and when."""

    reason = models.CharField(max_length=12, choices=Reason)
    comment = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    rule = models.CharField(max_length=100, blank=True, help_text="where no person decided")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(by__isnull=False, rule="") | Q(by__isnull=True) & ~Q(rule=""),
                name="%(class)s_by_a_person_or_a_rule",
            )
        ]


class UseDecision(ByPersonOrRule):
    """Whether an annotation is used in the analysis. The last decision counts."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="decisions")
    use = models.BooleanField()
    bulk = models.ForeignKey(
        "annotation.BulkDecision", on_delete=models.PROTECT, null=True, related_name="decisions",
        help_text="where it was made for many answers at once",
    )  # fmt: skip

    def __str__(self) -> str:
        return f"{'use' if self.use else 'leave out'} {self.assignment}"


class AnnotatorDecision(ByPersonOrRule):
    """Whether an annotator gets more units, or whether their work is accepted. The last of a kind counts."""

    class About(models.TextChoices):
        WORK = "work", _("Whether more units are given")
        PAY = "pay", _("Whether the work is accepted")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="annotator_decisions")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    about = models.CharField(max_length=4, choices=About)
    yes = models.BooleanField()

    class Meta(ByPersonOrRule.Meta):
        indexes = [models.Index(fields=["campaign", "annotator", "about"], name="decisions_about_annotator")]

    def __str__(self) -> str:
        return f"{self.about} {self.yes} for {self.annotator}"


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
    """One person's answers to one unit. Never edited or deleted; a later one supersedes it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="annotations")
    supersedes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    idempotency_key = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of what was sent under the key")
    shown_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    confidence = models.PositiveSmallIntegerField(null=True, help_text="1 guessing to 3 certain, where it was asked")
    flag = models.TextField(blank=True, help_text="why the unit should be reviewed")
    listening = models.JSONField(default=dict, help_text="at that time: what was heard, by slot-turn")
    language = models.CharField(max_length=10, blank=True, help_text="of the page")
    origin = models.CharField(
        max_length=16, blank=True, help_text="a keyed hash of the day and the network address, where a campaign asks"
    )

    class Meta:
        indexes = [models.Index(fields=["origin", "recorded_at"], name="annotations_by_origin")]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(supersedes=None), name="one_first_annotation_per_assignment"
            ),
            models.UniqueConstraint(fields=["assignment", "idempotency_key"], name="one_annotation_per_key"),
        ]

    def __str__(self) -> str:
        return f"annotation {self.pk}"


class DayKey(models.Model):
    """The random key for one day's network address codes. Deleted a day later, so that they cannot be traced."""

    day = models.DateField(unique=True)
    key = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return f"key of {self.day}"


class DefectMark(models.Model):
    """A marked place in a clip where something is wrong; without a slot, in the prompt."""

    class Kind(models.TextChoices):
        GLITCH = "glitch", _("Glitch")
        NOISE = "noise", _("Noise")
        DISTORTION = "distortion", _("Distortion")
        MISPRONOUNCED = "mispronounced", _("Mispronounced")
        CUT_OFF = "cut_off", _("Cut off")
        OTHER = "other", _("Something else")

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="marks")
    slot = models.CharField(max_length=1, blank=True)
    turn = models.PositiveSmallIntegerField()
    start_s = models.FloatField()
    end_s = models.FloatField()
    kind = models.CharField(max_length=15, choices=Kind)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(start_s__gte=0, end_s__gte=models.F("start_s")), name="a_mark_runs_on")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.start_s}–{self.end_s} s"


class Answer(models.Model):
    """The answer to one aspect, of the unit or (with a slot) of one of its responses."""

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
