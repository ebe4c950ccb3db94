"""Reviewers' answers and decisions, stored beside annotators' answers, which they never replace."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models import Campaign, CampaignUnit


class ByReviewer(models.Model):
    """Who decided, and when."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["pk"]


class Adjudication(ByReviewer):
    """A reviewer's answers to a unit. Never edited or deleted; a later one supersedes it."""

    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="adjudications")
    supersedes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    idempotency_key = models.CharField(max_length=64)
    order = models.CharField(max_length=26, help_text="the slot that the reviewer heard as 1, as 2, …")
    comment = models.TextField(blank=True)

    class Meta(ByReviewer.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["campaign_unit"], condition=Q(supersedes=None), name="one_first_adjudication_per_unit"
            ),
            models.UniqueConstraint(fields=["campaign_unit", "idempotency_key"], name="one_adjudication_per_key"),
        ]

    def __str__(self) -> str:
        return f"adjudication of {self.campaign_unit}"


class AdjudicatedAnswer(models.Model):
    """A reviewer's answer to one aspect, of the unit or (with a slot) of one of its responses."""

    adjudication = models.ForeignKey(Adjudication, on_delete=models.CASCADE, related_name="answers")
    aspect = models.CharField(max_length=60)
    slot = models.CharField(max_length=1, blank=True)
    value = models.TextField()
    acceptable_a = models.BooleanField(null=True)
    acceptable_b = models.BooleanField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["adjudication", "aspect", "slot"], name="one_adjudicated_answer_per_aspect_and_slot"
            )
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value}"


class UnitReview(ByReviewer):
    """A reviewer has finished with a unit, or opens it again; the last row counts. A later answer opens it, too.

    Rows that were made at once have one `step`: they are undone together.
    """

    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="reviews")
    done = models.BooleanField(default=True)
    step = models.UUIDField(default=uuid.uuid4)

    class Meta(ByReviewer.Meta):
        indexes = [models.Index(fields=["by", "step"], name="unit_reviews_by_step")]

    def __str__(self) -> str:
        return f"review of {self.campaign_unit}"


class ReviewComment(ByReviewer):
    """A comment among the researchers; annotators do not see it."""

    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="comments")
    text = models.TextField()
    idempotency_key = models.CharField(max_length=64, help_text="SHA-256 of the form’s key and the text")

    class Meta(ByReviewer.Meta):
        constraints = [
            models.UniqueConstraint(fields=["campaign_unit", "by", "idempotency_key"], name="one_comment_per_key")
        ]

    def __str__(self) -> str:
        return self.text[:60]


class NamesShown(ByReviewer):
    """A reviewer was shown the system names of a unit, and is no longer blind to them."""

    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.PROTECT, related_name="names_shown")

    class Meta(ByReviewer.Meta):
        constraints = [models.UniqueConstraint(fields=["campaign_unit", "by"], name="names_shown_once_per_reviewer")]

    def __str__(self) -> str:
        return f"names of {self.campaign_unit} shown to {self.by}"


class AnswerReview(ByReviewer):
    """A reviewer accepts an annotation or not, with a message to the annotator. The last one counts.

    It decides neither whether the answer is used nor whether the work is paid.
    """

    annotation = models.ForeignKey("annotation.Annotation", on_delete=models.PROTECT, related_name="reviews")
    accepted = models.BooleanField()
    reason = models.CharField(max_length=12, blank=True, help_text="for which it was not accepted")
    message = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{'accepted' if self.accepted else 'not accepted'}: {self.annotation}"


class BulkDecision(ByReviewer):
    """A reviewer leaves out the answers to many units, or takes them in again; each answer has a decision of its own.

    One that `undoes` another turns round what that one changed and nobody decided about since.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="bulk_decisions")
    use = models.BooleanField()
    reason = models.CharField(max_length=12)
    comment = models.TextField(blank=True)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="whose answers alone",
    )
    units = models.JSONField(default=list, help_text="ids of the units of the campaign")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="undone_by")
    n_answers = models.PositiveIntegerField(null=True, help_text="how many it changed, when it is through")

    class Meta(ByReviewer.Meta):
        indexes = [models.Index(fields=["campaign", "by"], name="bulk_decisions_of_reviewer")]

    def __str__(self) -> str:
        return f"{'use' if self.use else 'leave out'} answers to {len(self.units)} units"
