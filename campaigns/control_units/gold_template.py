"""A table of a campaign's units for writing gold answers: only the values have to be filled in."""

from collections.abc import Iterator

from campaigns.models import Campaign, CampaignUnit
from corpus.models import Unit
from infrastructure.files.csv_files import csv_line
from protocols import Aspect

COLUMNS = ("unit", "aspect", "slot", "value", "tolerance", "item", "prompt", "system_a", "system_b")


def gold_template(campaign: Campaign) -> Iterator[str]:
    """CSV with a line for each question about each unit of the study. Lines without a value are passed over again."""
    yield csv_line(COLUMNS)
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("unit__key")
    rows = study.select_related("unit__item", "unit__a__system", "unit__b__system")
    for row in rows.prefetch_related("unit__item__turns", "unit__members"):
        for aspect in campaign.protocol.counted_aspects:
            yield from _lines(row.unit, aspect)


def _lines(unit: Unit, aspect: Aspect) -> Iterator[str]:
    prompt = " ".join(turn.text for turn in unit.item.turns.all())
    systems = [side.system.name if side else "" for side in (unit.a, unit.b)]
    for slot in _slots(unit) if aspect.per_response else [""]:
        yield csv_line((unit.key, aspect.name, slot, "", "", unit.item.key, prompt, *systems))


def _slots(unit: Unit) -> list[str]:
    sides = {"a": unit.a, "b": unit.b}
    return [slot for slot, side in sides.items() if side] or sorted(member.slot for member in unit.members.all())
