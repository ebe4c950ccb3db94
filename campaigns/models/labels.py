from django.conf import settings
from django.db import models
from django.urls import reverse

from campaigns.models.datasets import Dataset, Unit


class LabelSet(models.Model):
    """Imported answers of one origin, comparable with any other label set over the same units."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="label_sets")
    name = models.CharField(max_length=200)
    rater = models.CharField(max_length=100, blank=True, help_text="pseudonym, where the source names one")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "rater"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "name", "rater"], name="one_label_set_per_name_and_rater")
        ]

    def __str__(self) -> str:
        return f"{self.name} · {self.rater}" if self.rater else self.name

    def get_absolute_url(self) -> str:
        return reverse("label-set", args=[self.pk])


class Label(models.Model):
    """One label in the a/b frame: `a`, `b`, `both_good`, `both_bad`, or `tie` where the source has no types."""

    label_set = models.ForeignKey(LabelSet, on_delete=models.CASCADE, related_name="labels")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="+")
    aspect = models.CharField(max_length=60)
    value = models.CharField(max_length=20)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["label_set", "unit", "aspect"], name="one_label_per_unit_and_aspect")
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value}"
