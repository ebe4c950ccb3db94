from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from corpus.models.datasets import Dataset, Item, System


class ItemFigures(models.Model):
    """What is kept of an item for its dataset's table: of all its responses, or of those of one system."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="figures")
    system = models.ForeignKey(
        System, on_delete=models.CASCADE, null=True, related_name="+", help_text="none: of all"
    )
    seconds = models.FloatField(null=True, help_text="of the longest response")
    lufs = models.FloatField(null=True, help_text="of the loudest")
    n_warnings = models.PositiveSmallIntegerField(default=0)
    words = models.TextField(
        blank=True, help_text="of all: its key, category, prompts and responses, in small letters, to search in"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system"], name="one_row_of_figures_per_item_and_system"),
            models.UniqueConstraint(
                fields=["item"], condition=Q(system=None), name="one_row_of_figures_per_item_of_all"
            ),
        ]

    def __str__(self) -> str:
        return f"figures of item {self.item_id}"


class ItemWarning(models.Model):
    """Something about a prompt or a response that a person should look at before it is evaluated."""

    class Kind(models.TextChoices):
        SILENT = "silent", _("silent from end to end")
        CLIPPED = "clipped", _("clipped in 1 of 100 samples or more")
        LOUD = "loud", _("far too loud: true peak above 0 dBTP, or more than −5 LUFS")
        NO_AUDIO = "no_audio", _("without audio, where the system has audio")
        LONG = "long", _("much longer than the system’s others")
        SHORT = "short", _("much shorter than the system’s others")
        LOUDER = "louder", _("much louder than the system’s others")
        QUIETER = "quieter", _("much quieter than the system’s others")
        PEAK_HIGH = "peak_high", _("a much higher peak than the system’s others")
        PEAK_LOW = "peak_low", _("a much lower peak than the system’s others")
        PAUSES = "pauses", _("much more silence at its ends than the system’s others")
        LONG_PAUSE = "long_pause", _("a much longer pause than the system’s others")
        FAST = "fast", _("much faster speech than the system’s others")
        SLOW = "slow", _("much slower speech than the system’s others")
        SAME_SOUND = "same_sound", _("the same sound elsewhere")
        SAME_TEXT = "same_text", _("the same words as another system")

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="warnings")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="warnings")
    system = models.ForeignKey(
        System, on_delete=models.CASCADE, null=True, related_name="+", help_text="none: the prompt"
    )
    kind = models.CharField(max_length=10, choices=Kind)
    same_as = models.CharField(max_length=16, blank=True, help_text="shared by all that sound the same")

    class Meta:
        indexes = [models.Index(fields=["dataset", "kind", "system", "item"], name="warnings_by_kind")]

    def __str__(self) -> str:
        return f"{self.kind} of item {self.item_id}"


class DatasetFigures(models.Model):
    """What is kept of a dataset as a whole: hours, and how lengths and levels are distributed in each system."""

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, primary_key=True, related_name="figures")
    document = models.JSONField(help_text="`corpus.figures.distributions.Document`")

    def __str__(self) -> str:
        return f"figures of {self.dataset}"
