from django.db import models

from campaigns.models import Campaign


class VoteFold(models.Model):
    """How far a campaign's vote changes were added to its counts; the row is also their lock."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="+")
    last = models.PositiveBigIntegerField(default=0, help_text="the newest fold; a number that never comes twice")

    def __str__(self) -> str:
        return f"fold {self.last} of {self.campaign}"


class VoteCount(models.Model):
    """The number of equal votes of a campaign about the same two systems: the sum of the folded changes."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+", db_index=False)
    aspect = models.CharField(max_length=60)
    category = models.CharField(max_length=100, blank=True)
    excluded = models.BooleanField()
    a = models.PositiveBigIntegerField()
    b = models.PositiveBigIntegerField()
    first = models.CharField(max_length=1)
    value = models.CharField(max_length=20)
    n = models.IntegerField()
    changes = models.PositiveIntegerField(help_text="of which it is the sum: other votes are never as many changes")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "aspect", "excluded", "category", "a", "b", "first", "value"],
                name="one_count_per_cell",
            )
        ]

    def __str__(self) -> str:
        return f"{self.n} × {self.aspect} {self.value}"
