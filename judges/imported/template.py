"""A table of a campaign's units into which verdicts from elsewhere are filled."""

from collections.abc import Iterator

from campaigns.models import Campaign, CampaignUnit
from infrastructure.files.csv_files import csv_line

SYSTEMS = ("system_a", "system_b")


def verdict_template(campaign: Campaign) -> Iterator[str]:
    """CSV with a line for each unit of the study and question about it; a is heard first in a pair, as stored."""
    yield csv_line(("unit", "item", "order", "aspect", "verdict", *SYSTEMS))
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("unit__key")
    rows = study.values_list(
        "unit__key", "unit__item__key", "unit__kind", "unit__a__system__name", "unit__b__system__name"
    )
    aspects = [it.name for it in campaign.protocol.counted_aspects if not it.per_response]
    for unit, item, kind, *systems in rows.iterator(chunk_size=2000):
        order = "AB" if kind == "pair" else ""
        for aspect in aspects:
            yield csv_line((unit, item, order, aspect, "", *(name or "" for name in systems)))
