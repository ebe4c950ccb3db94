"""How far apart the used answers to each unit of a campaign lie, under the distance of each aspect's scale."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.data.labels import ByPlace
from protocols import Aspect, Protocol
from stats.agreement.disagreement import disagreement, label_distance


@dataclass(frozen=True)
class FarApart:
    """The aspect in which the answers to a unit lie furthest apart, and how far: 0 alike to 1, the scale's ends."""

    aspect: str
    distance: float


def far_apart(protocol: Protocol, said_of: Mapping[str, ByPlace]) -> dict[int, FarApart]:
    """By unit, for units with two answers or more. `said_of` has the answers by aspect; texts are not compared."""
    aspects = {aspect.name: aspect for aspect in protocol.aspects}
    found: dict[int, FarApart] = {}
    for name, said in said_of.items():
        if name in aspects and not aspects[name].scale.kind.is_counted:
            continue
        for (unit, _slot), distance in _distances(said, aspects.get(name)).items():
            if unit not in found or distance > found[unit].distance:
                found[unit] = FarApart(name, distance)
    return found


def _distances(said: ByPlace, aspect: Aspect | None) -> dict[tuple[int, str], float]:
    """Criteria that items bring are no aspects of the protocol itself; like all names they are alike or not."""
    kind = aspect.scale.kind if aspect else None
    level, known = (kind.distance, kind.stored_values) if kind else ("nominal", ())
    categories = tuple(dict.fromkeys([*known, *(value for values in said.values() for value in values)]))
    place = {category: at for at, category in enumerate(categories)}
    codes = np.fromiter((place[value] for values in said.values() for value in values), dtype=np.int64)
    rows = np.repeat(np.arange(len(said)), [len(values) for values in said.values()])
    counts = np.zeros((len(said), len(categories)), dtype=np.int64)
    np.add.at(counts, (rows, codes), 1)
    apart = disagreement(counts, label_distance(categories, level, counts))
    return {at: distance for at, distance in zip(said, apart.tolist(), strict=True) if distance == distance}  # noqa: PLR0124 - not NaN
