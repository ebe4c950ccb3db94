"""Answers on scales as arrays: what each rater gave each response, by question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from analytics.data.label_arrays import Group, LabelArrays, Place, table_of
from analytics.data.unit_facts import UnitFacts
from infrastructure.wording.phrases import phrased
from protocols import Aspect, Protocol
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Floats, Ints


def rated_aspects(protocol: Protocol) -> list[Aspect]:
    """The questions whose answers have an order or are yes or no, the overall one first; none without a scale."""
    asked = [it for it in protocol.aspects if it.scale.kind.is_ordered or it.scale.kind.is_yes_no]
    if not any(it.scale.kind.is_ordered for it in asked):
        return []
    return sorted((replace(it, title=phrased(it.title)) for it in asked), key=lambda it: it.name != "overall")


@dataclass(frozen=True, eq=False)
class Ratings:
    """One question, an entry per rating: its number, and the places of its system, item, rater and place.

    A comparison has two entries: what it says of one response, and the opposite of the other.
    """

    aspect: Aspect
    values: Floats
    systems: Ints
    items: Ints
    raters: Ints
    places: Ints

    def where(self, kept: Bools) -> "Ratings":
        columns = (it[kept] for it in (self.systems, self.items, self.raters, self.places))
        return Ratings(self.aspect, self.values[kept], *columns)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Those of the scale; None where there are none, or where imported ratings lie beyond them."""
        ends = self.aspect.scale.kind.ends
        if ends is None or not len(self.values):
            return ends
        return ends if ends[0] <= self.values.min() and self.values.max() <= ends[1] else None


@dataclass(frozen=True, eq=False)
class Frame:
    """What ratings are about: systems, items and places by number, and the category and response of each place.

    Units come by their keys, and items as they do: numbers of rows mean nothing.
    """

    systems: tuple[str, ...]
    items: tuple[int, ...]
    units: Mapping[int, UnitFacts]

    @property
    def categories(self) -> tuple[str, ...]:
        """The named ones, by name."""
        return tuple(sorted({facts.category for facts in self.units.values() if facts.category}))

    def category_of(self) -> tuple[str, ...]:
        """Of each item."""
        found = {facts.item: facts.category for facts in self.units.values()}
        return tuple(found[item] for item in self.items)


def frame_of(arrays: LabelArrays, units: Mapping[int, UnitFacts]) -> Frame:
    """Of the study's units."""
    ours = {unit: units[unit] for unit in arrays.units}
    systems = sorted({name for facts in ours.values() for name in facts.systems.values()})
    return Frame(tuple(systems), tuple(dict.fromkeys(facts.item for facts in ours.values())), ours)


def ratings_of(group: Group, aspect: Aspect, frame: Frame, places: list[Place]) -> Ratings:
    """What everybody of the group gave; what is no number is left out."""
    system_at = {name: at for at, name in enumerate(frame.systems)}
    item_at = {item: at for at, item in enumerate(frame.items)}
    about = {
        place: (at, item_at[frame.units[place[0]].item], _systems(frame.units[place[0]], place[1], aspect))
        for at, place in enumerate(places)
    }
    number = cache(aspect.scale.kind.number)
    rows: list[tuple[float, int, int, int, int]] = []
    for who, rater in enumerate(group.raters):
        for place, value in rater.said.get(aspect.name, {}).items():
            if (rating := number(value)) is not None:
                at, item, systems = about[place]
                rows += [(sign * rating, system_at[name], item, who, at) for sign, name in systems]
    found = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return Ratings(aspect, found[:, 0], *(np.ascontiguousarray(found[:, at], dtype=np.int64) for at in range(1, 5)))


def label_codes(group: Group, aspect: Aspect, places: list[Place], categories: tuple[str, ...]) -> LabelTable:
    """The answers side by side, a row per place and a column per rater."""
    return table_of((rater.said.get(aspect.name, {}) for rater in group.raters), places, categories)


def response_at(frame: Frame, place: Place) -> int | None:
    """The response that a place is about; None where it is about two."""
    responses = frame.units[place[0]].responses
    return responses.get(place[1]) if place[1] else next(iter(responses.values())) if len(responses) == 1 else None


def _systems(facts: UnitFacts, slot: str, aspect: Aspect) -> tuple[tuple[float, str], ...]:
    """With the sign that the number has for each: of a comparison, b has what is said, and a the opposite."""
    if slot:
        return ((1.0, facts.systems[slot]),)
    if aspect.scale.kind.is_signed:
        return ((-1.0, facts.systems["a"]), (1.0, facts.systems["b"]))
    return ((1.0, next(iter(facts.systems.values()))),) if len(facts.systems) == 1 else ()
