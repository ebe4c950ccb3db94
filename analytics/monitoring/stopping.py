"""The rule of stopping that reads the agreement so far: it is known within a width."""

from collections.abc import Mapping

from analytics.monitoring.agreement import agreement_so_far
from campaigns.launch.stopping import Look
from campaigns.models import Campaign
from campaigns.reasons import AGREEMENT_KNOWN, AGREEMENT_NOT_YET


def known_agreement(campaign: Campaign, said: Mapping[str, float]) -> Look:
    """Whether the interval of the first question's α, of every look, reaches at most `width` to a side."""
    found = agreement_so_far(campaign)
    interval = found.aspects[0].found.interval if found.aspects and not found.people else None
    if interval is None:
        return Look(False, AGREEMENT_NOT_YET())
    reach = (interval.high - interval.low) / 2
    return Look(reach <= said["width"], AGREEMENT_KNOWN(reach=f"{reach:.3f}", width=f"{said['width']:g}"))
