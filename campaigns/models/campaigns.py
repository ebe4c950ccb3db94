import json

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from corpus.datasets.units import slots_of
from corpus.models.datasets import Dataset, System, Unit
from infrastructure.models import Archivable, Present
from infrastructure.wording.reason_field import ReasonField, ReasonsField
from protocols import Protocol, from_text

#: The page on which annotators work, unless a campaign names another.
LABEL = "label"


class Campaign(Archivable):
    """Items × systems × one frozen protocol, and the rules under which people answer."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        OPEN = "open", _("Open")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="campaigns")
    title = models.CharField(max_length=120)
    slug = models.SlugField(max_length=80, unique=True)
    protocol_document = models.JSONField()
    protocol_digest = models.CharField(max_length=64)
    target_lufs = models.FloatField(null=True, default=-23.0)
    delivery_rate = models.PositiveIntegerField(null=True, help_text="Hz; set when the audio is prepared")
    audio_problems = ReasonsField(default=list, blank=True, help_text="what kept the audio from being prepared")
    show_waveform = models.BooleanField(default=True)
    answers_per_unit = models.PositiveSmallIntegerField(default=1)
    check_every = models.PositiveSmallIntegerField(default=8, help_text="about so many units between two checks")
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    systems = models.ManyToManyField(System, blank=True, related_name="+", help_text="that take part; none means all")
    units_choice = models.JSONField(
        default=dict, blank=True, help_text="how the units were chosen (choosing.UnitsChoice)"
    )
    launch_steps = models.JSONField(default=list, blank=True, help_text="steps of the launch that were gone through")
    closes_at = models.DateTimeField(null=True, blank=True)
    closes_when_complete = models.BooleanField(default=False, help_text="once every unit has its answers")
    stops_when = models.JSONField(
        default=dict,
        blank=True,
        help_text="the rule by which it closes once its figures are settled (launch.stopping)",
    )
    stop_stands = ReasonField(help_text="how that rule stood at the last look")
    stop_reached_at = models.DateTimeField(null=True, blank=True)
    label_page = models.CharField(
        max_length=40, default=LABEL, help_text="where its annotators work; an app above may have its own page"
    )
    webhook_events = models.JSONField(
        default=list, blank=True, help_text="kinds of events with a subscriber, so that an answer needs no query"
    )
    dataset_version = models.PositiveIntegerField(
        default=0,
        help_text="of its dataset, up to which its units were chosen, or the offer to add more was declined",
    )
    adding_systems = models.JSONField(
        default=list, blank=True, help_text="the ids of the systems whose units are being added while it runs"
    )
    answers_are_final = models.BooleanField(
        default=False, help_text="none can be taken back, because something is shown after it"
    )

    objects = Present["Campaign"]()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.slug])

    @cached_property
    def protocol(self) -> Protocol:
        return from_text(json.dumps(self.protocol_document))

    @property
    def is_open_ended(self) -> bool:
        """Whether units are made as people come, so that there is no number of answers at which it is complete."""
        return self.label_page != LABEL

    @property
    def takes_answers(self) -> bool:
        """Whether it is open at this moment: its day may have come before the clock has closed the row."""
        return self.status == self.Status.OPEN and (self.closes_at is None or timezone.now() < self.closes_at)

    @property
    def has_closed(self) -> bool:
        """Whether no answer will ever be taken again: it was closed, or its day has come."""
        return self.status == self.Status.CLOSED or (self.status == self.Status.OPEN and not self.takes_answers)

    @property
    def is_archived(self) -> bool:
        """Whether it takes no new work: it is archived, or its dataset is."""
        return self.archived_at is not None or self.dataset.archived_at is not None

    @property
    def shown_status(self) -> "Campaign.Status":
        """What pages say: closed from its closing day on, although the row is closed some minutes later."""
        is_over = (
            self.status == self.Status.PAUSED and self.closes_at is not None and timezone.now() >= self.closes_at
        )
        return self.Status.CLOSED if is_over or self.has_closed else self.Status(self.status)

    @property
    def delivery_form(self) -> str:
        """The name under which this campaign's delivered clips are kept."""
        loudness = "as-is" if self.target_lufs is None else f"{self.target_lufs:g}LUFS"
        return f"{self.delivery_rate}Hz {loudness}"


class CampaignUnit(models.Model):
    """A unit of a campaign with its purpose: of the study, a control unit, or of an entry gate.

    Checks look like any other unit. `expected` has the values that pass, by aspect (`aspect.slot` for one response):
    those of a gold unit as set by a researcher, every tie for a pair that is the same response twice, what the voice
    in a spoken trap asks for. Training and qualifying units come before all others, in entry gates; `explanation` is
    what is shown after a training unit.
    """

    class Purpose(models.TextChoices):
        STUDY = "study"
        GOLD = "gold"
        IDENTICAL = "identical"
        REPEAT = "repeat"
        TRAINING = "training"
        QUALIFYING = "qualifying"
        TRAP = "trap"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="campaign_units")
    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text="a random order drawn once per campaign")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.STUDY)
    expected = models.JSONField(default=dict, blank=True)
    explanation = models.TextField(blank=True)
    seats_taken = models.PositiveIntegerField(
        default=0, help_text="how many people hold a seat: have the unit in hand, or answered it and are used"
    )

    class Meta:
        ordering = ["position"]
        indexes = [
            models.Index(fields=["campaign", "purpose", "seats_taken", "position"], name="units_by_seats_taken"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "unit", "purpose"], name="a_unit_once_per_purpose"),
            models.UniqueConstraint(fields=["campaign", "position"], name="one_unit_per_position"),
        ]

    def __str__(self) -> str:
        return f"{self.campaign} #{self.position}"

    @property
    def slots(self) -> str:
        """The slots of its responses, such as `ab`."""
        return "".join(sorted(slots_of(self.unit)))


#: Units of entry gates, before the first unit of the study.
BEFORE_FIRST_UNIT = (CampaignUnit.Purpose.TRAINING, CampaignUnit.Purpose.QUALIFYING)
#: Checks, mixed in among the units of the study. Ask for what is one of these: an index finds the few of a campaign,
#: and would pass over all of the study to find what is none of the others.
CHECKS = tuple(it for it in CampaignUnit.Purpose if it not in (CampaignUnit.Purpose.STUDY, *BEFORE_FIRST_UNIT))


class Role(models.TextChoices):
    ADMIN = "admin", _("Admin")
    RESEARCHER = "researcher", _("Researcher")
    REVIEWER = "reviewer", _("Reviewer")
    ANNOTATOR = "annotator", _("Annotator")
    VIEWER = "viewer", _("Viewer")


class Membership(models.Model):
    """What one person may do in one campaign; one row per role."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    pseudonym = models.CharField(max_length=20, blank=True, help_text="stands for an annotator in every export")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    answers_withdrawn_at = models.DateTimeField(
        null=True, help_text="since when the person does not want their answers to be used"
    )

    class Meta:
        ordering = ["role", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user", "role"], name="one_membership_per_role"),
            models.UniqueConstraint(
                fields=["campaign", "pseudonym"], condition=~Q(pseudonym=""), name="one_person_per_pseudonym"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.campaign}"
