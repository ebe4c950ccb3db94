from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment
from campaigns.models import Campaign, Membership
from corpus.models import Item, LabelSet, System


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
    """The ratings of systems at one time, with everything the board shows. Never edited; old ones are thinned.

    A board's standings are numbered from 1; the same votes twice in a row are one of them.
    """

    serial = models.PositiveIntegerField()
    aspect = models.CharField(max_length=60)
    category = models.CharField(max_length=100, blank=True)
    by = models.CharField(max_length=20, blank=True, help_text="whose answers; empty for all")
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
    """A subject with settings for which a board was requested, and the worker that updates it.

    `stamp` and `mark` name the votes that the latest standing was made of, so that a look tells whether there is
    anything new: a glance at the newest answers, and a count of all.
    """

    asked_at = models.DateTimeField(help_text="by a page, within some seconds")
    claimed_until = models.DateTimeField(null=True, help_text="a worker computes it, and no other does until then")
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


class ArenaSettings(models.Model):
    """A campaign in which pairs are drawn for each voter, instead of handed out from a list."""

    class Rule(models.TextChoices):
        A_OPTIMAL = "a_optimal", _("What is most informative about all ratings (A-optimal)")
        VARIANCE_REDUCTION = "variance_reduction", _("What narrows the pair’s own win rate most")
        BALANCED = "balanced", _("The pairs that met least often")
        CLOSEST_ELO = "closest_elo", _("The closest Elo ratings within a dimension")
        UNIFORM = "uniform", _("Every pair alike")

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="arena")
    rule = models.CharField(max_length=20, choices=Rule, default=Rule.A_OPTIMAL)
    is_public = models.BooleanField(default=False, help_text="all who have the address may vote")
    takes_guests = models.BooleanField(default=True, help_text="of a public arena: without an account")
    reveals_names = models.BooleanField(default=False, help_text="of both systems, once a vote is stored")
    votes_per_hour = models.PositiveIntegerField(default=60, help_text="of one person")
    votes_per_address = models.PositiveIntegerField(default=300, help_text="in an hour, of a public arena")
    guests_per_address = models.PositiveIntegerField(default=20, help_text="new ones in an hour, of a public arena")

    def __str__(self) -> str:
        return f"arena {self.campaign}"


class Entry(models.Model):
    """A person started to vote in a public arena. `origin` is as in an Annotation."""

    membership = models.OneToOneField(
        Membership, on_delete=models.CASCADE, related_name="+", help_text="who it is, until they withdraw their name"
    )
    origin = models.CharField(max_length=16)
    as_guest = models.BooleanField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["origin", "made_at"], name="entries_by_origin")]

    def __str__(self) -> str:
        return f"entry {self.pk}"


class Draw(models.Model):
    """How the pair of an assignment was drawn, stored before any vote. Never edited.

    `propensity` is the chance that this pair of systems had, of all those that this voter could still get; where
    pairs are drawn within a dimension, times the chance of the dimension. It goes with its assignment where that was
    a plan that was never shown.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draw")
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    one = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    forth = models.BooleanField(help_text="`one` is heard first")
    dimension = models.CharField(max_length=100, blank=True)
    propensity = models.FloatField()
    rule = models.CharField(max_length=20, choices=ArenaSettings.Rule)
    version = models.CharField(max_length=10, help_text="of the rules")
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "one", "other", "item", "forth"], name="draws_of_pairs")]
        constraints = [
            models.CheckConstraint(condition=Q(propensity__gt=0, propensity__lte=1), name="a_drawn_pair_had_a_chance")
        ]

    def __str__(self) -> str:
        return f"draw for {self.assignment_id}"
