"""Which loudness the clips of a campaign can be matched to, judged from what was measured when they were imported."""

import math

from django.db.models import Case, F, Min, Q, QuerySet, Value, When

from campaigns.models import Campaign
from corpus.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET
from corpus.models import Clip, ResponseTurn, Turn

CEILING_DBTP, STEP_LU = -1.0, 0.5
#: Spared for what resampling does to peaks (dB).
SPARED = 0.25
#: The mean of two equal channels is that much quieter than both together (LU), and peaks as high.
OF_TWO_CHANNELS = 10 * math.log10(2)


def highest_target(campaign: Campaign) -> float | None:
    """The loudest target (LUFS, in steps of 0.5) at which every clip should fit below −1 dBTP with one constant gain.

    Of the prompts and of the systems that take part. None where nothing was measured. In one query; whether a clip
    really fits is known once it is prepared.
    """
    loudness = Case(
        When(channels__gt=1, then=F("integrated_lufs") - Value(OF_TWO_CHANNELS)), default=F("integrated_lufs")
    )
    found = _clips_that_may_be_heard(campaign).aggregate(least=Min(loudness - F("true_peak_dbtp")))["least"]
    if found is None:
        return None
    highest: float = math.floor((found + CEILING_DBTP - SPARED) / STEP_LU) * STEP_LU
    return float(min(max(highest, QUIETEST_TARGET), LOUDEST_TARGET))


def proposed_target(campaign: Campaign, wanted: float, highest: float | None) -> float:
    """The target that was chosen; before one was, the usual one or as much as the clips allow."""
    if "launch-protocol" in campaign.launch_steps:
        return wanted if campaign.target_lufs is None else campaign.target_lufs
    return wanted if highest is None else min(wanted, highest)


def _clips_that_may_be_heard(campaign: Campaign) -> QuerySet[Clip]:
    said = ResponseTurn.objects.filter(response__item__dataset=campaign.dataset_id, clip__isnull=False)
    if systems := list(campaign.systems.values_list("pk", flat=True)):
        said = said.filter(response__system__in=systems)
    asked = Turn.objects.filter(item__dataset=campaign.dataset_id, clip__isnull=False)
    return Clip.objects.filter(Q(pk__in=said.values("clip")) | Q(pk__in=asked.values("clip")))
