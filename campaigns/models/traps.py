from django.db import models

from campaigns.models.campaigns import Campaign, CampaignUnit
from corpus.models.clips import Clip
from infrastructure.wording.reason_field import ReasonsField


class SpokenTraps(models.Model):
    """How many spoken traps a campaign has, their seed, and the units that could not become one."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="spoken_traps")
    wanted = models.PositiveSmallIntegerField(default=0)
    seed = models.PositiveIntegerField(default=0)
    skipped = ReasonsField(default=list, blank=True, help_text="unit and reason, of those passed over")

    def __str__(self) -> str:
        return f"{self.wanted} spoken traps of {self.campaign}"


class TrapRecording(models.Model):
    """A recording of an instruction that replaces the packaged voice."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="trap_recordings")
    name = models.CharField(max_length=60, help_text="of the instruction: both_bad, 2, this, …")
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="one_recording_per_instruction"),
        ]

    def __str__(self) -> str:
        return f"{self.name} for {self.campaign}"


class TrapClip(models.Model):
    """The clip that is played in a spoken trap instead of the response's own.

    It belongs to the campaign's unit and to nothing of the dataset, so no system ever said it.
    """

    campaign_unit = models.ForeignKey(CampaignUnit, on_delete=models.CASCADE, related_name="trap_clips")
    slot = models.CharField(max_length=1)
    turn = models.PositiveSmallIntegerField()
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, related_name="+")
    sentence = models.TextField(help_text="what the voice says")
    start_s = models.FloatField(help_text="where the sentence begins")
    end_s = models.FloatField()

    class Meta:
        ordering = ["slot"]
        constraints = [
            models.UniqueConstraint(fields=["campaign_unit", "slot", "turn"], name="one_trap_clip_per_place"),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_unit} {self.slot}: {self.sentence}"
