"""How far apart the used answers to each unit of a campaign lie, under the distance of each aspect's scale."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from analytics.data.inclusion import answers_in
from analytics.stats.agreement.coincidences import Level
from analytics.stats.agreement.disagreement import disagreement, label_distance
from annotation.models import Answer
from campaigns.control_units.checks import stored_values
from campaigns.models import Campaign
from protocols import Aspect

#: unit of the campaign, and the slot that is spoken of
Place = tuple[int, str]


@dataclass(frozen=True)
class FarApart:
    """The aspect in which the answers to a unit lie furthest apart, and how far: 0 alike to 1, the scale's ends."""

    aspect: str
    distance: float


def far_apart(campaign: Campaign) -> dict[int, FarApart]:
    """By unit of the campaign (its id), for units that two people or more answered. Texts are not compared."""
    aspects = {aspect.name: aspect for aspect in campaign.protocol.aspects}
    found: dict[int, FarApart] = {}
    for name, said in _values_by_aspect(campaign).items():
        if name in aspects and aspects[name].scale.is_text:
            continue
        for (unit, _slot), distance in _distances(said, aspects.get(name)).items():
            if unit not in found or distance > found[unit].distance:
                found[unit] = FarApart(name, distance)
    return found


def _values_by_aspect(campaign: Campaign) -> dict[str, dict[Place, list[str]]]:
    rows = Answer.objects.filter(annotation__in=answers_in(campaign).order_by().values("pk")).order_by("pk")
    found: dict[str, dict[Place, list[str]]] = {}
    for unit, aspect, slot, value in rows.values_list(
        "annotation__assignment__campaign_unit", "aspect", "slot", "value"
    ):
        found.setdefault(aspect, {}).setdefault((unit, slot), []).append(value)
    return found


def _distances(said: dict[Place, list[str]], aspect: Aspect | None) -> dict[Place, float]:
    """Criteria that items bring are no aspects of the protocol itself; like all names they are alike or not."""
    level = cast("Level", aspect.scale.measure if aspect else "nominal")
    known = stored_values(aspect.scale) if aspect else []
    categories = tuple(dict.fromkeys([*known, *(value for values in said.values() for value in values)]))
    place = {category: at for at, category in enumerate(categories)}
    counts = np.zeros((len(said), len(categories)), dtype=np.int64)
    for row, values in enumerate(said.values()):
        for value in values:
            counts[row, place[value]] += 1
    apart = disagreement(counts, label_distance(categories, level, counts))
    return {at: float(distance) for at, distance in zip(said, apart, strict=True) if not np.isnan(distance)}
