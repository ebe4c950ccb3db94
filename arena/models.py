from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models import Campaign, LabelSet


class OfSubject(models.Model):
    """Of a campaign or of an imported label set, as its settings say."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, null=True, related_name="+")
    label_set = models.ForeignKey(LabelSet, on_delete=models.CASCADE, null=True, related_name="+")
    settings = models.JSONField(help_text="which answers, and how they are rated")
    settings_digest = models.CharField(max_length=64, help_text="SHA-256 of the settings")

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(campaign__isnull=False, label_set=None) | Q(campaign=None, label_set__isnull=False),
                name="%(class)s_of_one_subject",
            )
        ]

    @property
    def subject(self) -> Campaign | LabelSet:
        found = self.campaign or self.label_set
        if found is None:
            raise ValueError("a row of no subject")
        return found


class Standing(OfSubject):
    """How systems stood at a moment, with everything the board shows. Never edited; old ones are thinned.

    A board's standings are numbered from 1; the same votes twice in a row are one of them.
    """

    serial = models.PositiveIntegerField()
    aspect = models.CharField(max_length=60)
    category = models.CharField(max_length=100, blank=True)
    by = models.CharField(max_length=20, blank=True, help_text="whose answers; empty for everybody's")
    counts_sha256 = models.CharField(max_length=64)
    votes_sha256 = models.CharField(max_length=64, help_text="of each vote with its voter and item, in their order")
    method = models.CharField(max_length=30)
    version = models.CharField(max_length=10, help_text="of the arithmetic and of the table")
    n = models.PositiveIntegerField(help_text="votes")
    created_at = models.DateTimeField(auto_now_add=True)
    table = models.JSONField()

    class Meta(OfSubject.Meta):
        constraints = [
            *OfSubject.Meta.constraints,
            models.UniqueConstraint(fields=["campaign", "settings_digest", "serial"], name="one_standing_per_serial"),
            models.UniqueConstraint(
                fields=["label_set", "settings_digest", "serial"], name="one_standing_of_labels_per_serial"
            ),
        ]

    def __str__(self) -> str:
        return f"standing {self.serial} of {self.subject}: {self.aspect}"


class Board(OfSubject):
    """What is asked for of late, and who is at the work: one row for a subject with its settings.

    `stamp` and `mark` name the votes that the latest standing was made of, so that a look tells whether there is
    anything new: a glance at the newest answers, and a count of all.
    """

    asked_at = models.DateTimeField(help_text="by a page, within some seconds")
    claimed_until = models.DateTimeField(null=True, help_text="somebody computes, and nobody else does until then")
    stamp = models.CharField(max_length=120, blank=True)
    mark = models.CharField(max_length=64, blank=True)

    class Meta(OfSubject.Meta):
        indexes = [models.Index(fields=["asked_at"], name="boards_asked_for")]
        constraints = [
            *OfSubject.Meta.constraints,
            models.UniqueConstraint(fields=["campaign", "settings_digest"], name="one_board_per_settings"),
            models.UniqueConstraint(fields=["label_set", "settings_digest"], name="one_board_of_labels_per_settings"),
        ]

    def __str__(self) -> str:
        return f"board of {self.subject}"


class NameLock(models.Model):
    """Until the campaign closes its board shows codes for systems. It is never taken back, and its plan stays."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    plan = models.JSONField(
        default=dict, help_text="the settings of the board that were chosen then, and their context"
    )
    plan_sha256 = models.CharField(max_length=64, blank=True)
    names_were_shown = models.BooleanField(
        default=True, help_text="whether a board of votes had been made under names before"
    )

    def __str__(self) -> str:
        return f"names hidden in {self.campaign}"
