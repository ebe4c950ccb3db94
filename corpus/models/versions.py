from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from corpus.models.datasets import Dataset
from corpus.models.imports import Import

#: What a version may have added.
PARTS = {
    "items": _("items: %(n)s"),
    "systems": _("systems: %(n)s"),
    "responses": _("responses: %(n)s"),
    "recordings": _("recordings: %(n)s"),
    "pairs": _("pairs: %(n)s"),
    "labels": _("labels: %(n)s"),
}


class Version(models.Model):
    """What one import added to a dataset. The first one made it."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    upload = models.ForeignKey(Import, on_delete=models.SET_NULL, null=True, related_name="+")
    file = models.CharField(max_length=255, blank=True)
    added = models.JSONField(help_text="how many items, systems, responses, recordings, pairs and labels")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="one_version_per_number")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.dataset}"

    @property
    def parts(self) -> list[str]:
        """What was added, in words."""
        return [PARTS[name] % {"n": n} for name, n in self.added.items() if name in PARTS]
