"""Votes as narrow rows that can be added up, beside the answers that they follow from."""

from django.db import models
from django.db.models import Q

from campaigns.models import Campaign

#: No answer that compares two responses is longer; texts are no votes.
LONGEST = 20


class VoteChange(models.Model):
    """An answer about a pair starts (+1) or stops (−1) to count as a vote. Appended, never edited.

    Votes are the sum of these rows, in whatever order they were committed. Only `fold` is filled in later, once, by
    the code that adds the row to the stored counts. Except for the campaign and the annotation, which take their rows
    along when they go, keys are plain numbers: a row is written with every answer, and each index costs.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+", db_index=False)
    annotation = models.ForeignKey("annotation.Annotation", on_delete=models.CASCADE, related_name="vote_changes")
    aspect = models.CharField(max_length=60)
    category = models.CharField(max_length=100, blank=True, help_text="the item's")
    unit = models.PositiveBigIntegerField()
    item = models.PositiveBigIntegerField()
    a = models.PositiveBigIntegerField(help_text="the system of the pair's a")
    b = models.PositiveBigIntegerField(help_text="the system of the pair's b")
    first = models.CharField(max_length=1, help_text="the slot that was presented first")
    value = models.CharField(max_length=LONGEST)
    voter = models.PositiveBigIntegerField(help_text="the annotator's membership, which outlives their name")
    excluded = models.BooleanField(help_text="whether the vote is left out of the analysis")
    change = models.SmallIntegerField()
    fold = models.PositiveBigIntegerField(null=True, help_text="the fold that added it to the stored counts")

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "fold"], name="votes_by_fold"),
            # It holds all that is asked of these rows, so it is taken whatever a database believes of their number.
            models.Index(
                fields=["campaign", "aspect", "excluded", "category", "a", "b", "first", "value", "change"],
                condition=Q(fold=None),
                name="votes_not_yet_counted",
            ),
        ]
        constraints = [models.CheckConstraint(condition=Q(change__in=(-1, 1)), name="a_vote_comes_or_goes")]

    def __str__(self) -> str:
        return f"{self.change:+d} {self.aspect} {self.value}"
