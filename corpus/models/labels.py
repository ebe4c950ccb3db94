from django.conf import settings
from django.db import models
from django.urls import reverse

from corpus.models.datasets import Dataset, Unit

#: Purposes of units whose answers are a study's own; where a source does not say, they are.
NO_CHECKS = ("", "study")


class LabelSet(models.Model):
    """Imported answers from one source, comparable with any other label set over the same units."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="label_sets")
    name = models.CharField(max_length=200)
    rater = models.CharField(max_length=100, blank=True, help_text="pseudonym, where the source names one")
    purpose = models.CharField(
        max_length=12, blank=True, help_text="what the units were there for, where the source says so: study, gold, …"
    )
    is_table = models.BooleanField(
        default=False, help_text="came as a table of answers, which says who answered, and when; else labels alone"
    )
    from_campaign = models.CharField(max_length=400, blank=True, help_text="as the table of answers named it")
    protocol = models.CharField(max_length=400, blank=True, help_text="name and version, as in the table of answers")
    protocol_digest = models.CharField(max_length=64, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "rater", "purpose"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "name", "rater", "purpose"], name="one_label_set_per_name_and_rater"
            )
        ]

    def __str__(self) -> str:
        check = "" if self.purpose in NO_CHECKS else self.purpose
        return " · ".join(part for part in (self.name, self.rater, check) if part)

    @property
    def is_of_checks(self) -> bool:
        return self.purpose not in NO_CHECKS

    def get_absolute_url(self) -> str:
        return reverse("label-set", args=[self.pk])


class ImportedAnnotation(models.Model):
    """What one rater of a label set said of one unit: its labels, and what a table of answers tells of them."""

    label_set = models.ForeignKey(LabelSet, on_delete=models.CASCADE, related_name="annotations")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="+")
    order = models.CharField(max_length=26, blank=True, help_text="the slot heard as 1, as 2, …")
    excluded = models.CharField(max_length=12, blank=True, help_text="why it was left out of the analysis")
    given = models.JSONField(default=dict, help_text="its other columns, as `corpus.tidy.given` stores them")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["label_set", "unit"], name="one_imported_annotation_per_unit")]

    def __str__(self) -> str:
        return f"{self.label_set} on {self.unit}"


class Label(models.Model):
    """One imported answer, about the unit or (with a slot) about one of its responses.

    Of a pair: `a`, `b`, `both_good`, `both_bad`, or `tie` where the source has no types.
    """

    annotation = models.ForeignKey(ImportedAnnotation, on_delete=models.CASCADE, related_name="labels")
    aspect = models.CharField(max_length=60)
    slot = models.CharField(max_length=1, blank=True)
    value = models.TextField()
    acceptable_a = models.BooleanField(null=True)
    acceptable_b = models.BooleanField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "aspect", "slot"], name="one_label_per_aspect_and_slot")
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value}"
