"""A campaign as a design for planning: which systems stand in which unit."""

import numpy as np

from analytics.planning.precision.widths import Design
from campaigns.models import Campaign, CampaignUnit
from corpus.models import UnitMember


def design_of(campaign: Campaign) -> Design | None:
    """The units of the study, whole items as their responses one by one; None where there are none."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("position")
    rows: list[tuple[int, ...]]
    match campaign.protocol.unit:
        case "pair":
            rows = list(study.values_list("unit__a__system", "unit__b__system"))
        case "single":
            rows = [(system,) for system in study.values_list("unit__a__system", flat=True)]
        case _:
            members = UnitMember.objects.filter(unit__in=study.values("unit"))
            rows = [(system,) for system in members.values_list("response__system", flat=True)]
    if not rows:
        return None
    systems, places = np.unique(np.array(rows), return_inverse=True)
    return Design(places.reshape(len(rows), -1), len(systems))
