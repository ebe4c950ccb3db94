from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaigns import Campaign
from corpus.models.datasets import Item


class CriterionState(models.TextChoices):
    DRAFTED = "drafted", _("Drafted")
    ACCEPTED = "accepted", _("Accepted")
    EDITED = "edited", _("Edited")
    DROPPED = "dropped", _("Dropped")


class Criterion(models.Model):
    """A yes/no question about the responses to one item (MTalk-Bench App. C.2.2, level 3).

    `number` names it in answers and exports for good (`item_3`) and is never given again. `text` and `state` are what
    the last decision says.
    """

    class Source(models.TextChoices):
        HAND = "hand", _("Written by hand")
        CSV = "csv", _("From a table")
        LLM = "llm", _("Drafted by a model")

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="criteria")
    number = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500)
    drafted_text = models.CharField(max_length=500, help_text="as it came, whatever was made of it")
    state = models.CharField(max_length=8, choices=CriterionState, default=CriterionState.DRAFTED)
    source = models.CharField(max_length=4, choices=Source)
    model = models.CharField(max_length=200, blank=True, help_text="as the server named it")
    prompt_version = models.CharField(max_length=20, blank=True)
    prompt = models.TextField(blank=True, help_text="as it was rendered for this item")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["item", "number"]
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="one_criterion_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="criteria_are_counted_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.name}: {self.text}"

    @property
    def name(self) -> str:
        return f"item_{self.number}"


class CriterionDecision(models.Model):
    """A person's decision about a criterion. The last one counts; none is changed."""

    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="decisions")
    state = models.CharField(max_length=8, choices=CriterionState)
    text = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.state} {self.criterion}"


class NoCriteria(models.Model):
    """An item was marked as needing no criterion of its own."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="no_criteria")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"no criteria for {self.item}"


class FrozenRubric(models.Model):
    """The criteria of all items of a campaign at the time it opened."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="frozen_rubric")
    digest = models.CharField(max_length=64, help_text="SHA-256 of items, numbers and texts")
    frozen_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"rubric of {self.campaign}"


class FrozenCriterion(models.Model):
    rubric = models.ForeignKey(FrozenRubric, on_delete=models.CASCADE, related_name="criteria")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500)

    class Meta:
        ordering = ["item", "number"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "item", "number"], name="one_frozen_criterion_per_number"),
        ]

    def __str__(self) -> str:
        return f"{self.item} item_{self.number}: {self.text}"
