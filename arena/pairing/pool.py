"""Who can meet whom on what at this moment: the responses of which every clip can be heard in the campaign."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign
from corpus.models import Clip, DeliveredClip, Response, ResponseTurn, System, Turn
from stats.arrays import Bools, Ints

#: The dimension where pairs are drawn over all items.
ALL = ""


@dataclass(frozen=True, eq=False)
class Pool:
    """Systems in the order of their names, items, and the response of each system to each item.

    `responses`, shape (systems, items), has ids, and 0 where there is none; `dimensions` has one for each item.
    """

    systems: tuple[int, ...]
    items: tuple[int, ...]
    responses: Ints
    dimensions: tuple[str, ...]

    @cached_property
    def common(self) -> Mapping[str, Ints]:
        """On how many items two systems can meet, shape (systems, systems), by dimension."""
        found = {}
        for name in dict.fromkeys(self.dimensions):
            there = (self.responses[:, self.of_dimension(name)] > 0).astype(np.int64)
            found[name] = there @ there.T
            np.fill_diagonal(found[name], 0)
        return found

    @cached_property
    def place_of_system(self) -> Mapping[int, int]:
        return {pk: n for n, pk in enumerate(self.systems)}

    @cached_property
    def place_of_item(self) -> Mapping[int, int]:
        return {pk: n for n, pk in enumerate(self.items)}

    def place(self, a: int, b: int, item: int) -> tuple[int, int, int] | None:
        """The places of two systems, the lower one first, and of an item; None for what is not in the pool."""
        one, other, on = self.place_of_system.get(a), self.place_of_system.get(b), self.place_of_item.get(item)
        return None if one is None or other is None or on is None else (min(one, other), max(one, other), on)

    def of_dimension(self, name: str) -> Bools:
        """Which of the items belong to the dimension."""
        return np.array([it == name for it in self.dimensions], dtype=bool)


def systems_taking_part(campaign: Campaign) -> QuerySet[System]:
    """Those that were chosen or let in later, or all of the dataset where none were chosen."""
    chosen = campaign.systems.all()
    return chosen if chosen.exists() else System.objects.filter(dataset=campaign.dataset_id)


def pool_of(campaign: Campaign, *, by_dimension: bool = False) -> Pool:
    """In two queries. With several takes of a system the first that can be heard is its response."""
    rows = list(_audible(campaign).values_list("system", "item", "pk", "item__facts"))
    systems, items = tuple(dict.fromkeys(row[0] for row in rows)), tuple(sorted({row[1] for row in rows}))
    place = {pk: n for n, pk in enumerate(systems)}, {pk: n for n, pk in enumerate(items)}
    responses = np.zeros((len(systems), len(items)), dtype=np.int64)
    dimensions = [ALL] * len(items)
    for system, item, pk, facts in reversed(rows):
        responses[place[0][system], place[1][item]] = pk
        if by_dimension:
            dimensions[place[1][item]] = str(facts.get("dimension") or ALL)[:100]
    return Pool(systems, items, responses, tuple(dimensions))


def unprepared_clips(campaign: Campaign) -> QuerySet[Clip]:
    """Clips of those who take part, and of what they were asked, that are not in the campaign's form yet."""
    said = ResponseTurn.objects.filter(response__system__in=systems_taking_part(campaign))
    asked = Turn.objects.filter(item__responses__system__in=systems_taking_part(campaign))
    of_any = Q(pk__in=said.values("clip")) | Q(pk__in=asked.values("clip"))
    return Clip.objects.filter(~Exists(_delivered("pk", campaign)), of_any).order_by("pk")


def _audible(campaign: Campaign) -> QuerySet[Response]:
    heard = Exists(_delivered("clip", campaign))
    turns = ResponseTurn.objects.filter(response=OuterRef("pk"))
    prompts = Turn.objects.filter(item=OuterRef("item"))
    mute = prompts.filter(Q(clip=None, text="") | Q(Q(clip__isnull=False), ~heard))
    return Response.objects.filter(
        Exists(turns), ~Exists(turns.filter(~heard)), Exists(prompts), ~Exists(mute),
        system__in=systems_taking_part(campaign),
    ).order_by("system__name", "system", "item", "pk")  # fmt: skip


def _delivered(clip: str, campaign: Campaign) -> QuerySet[DeliveredClip]:
    return DeliveredClip.objects.filter(clip=OuterRef(clip), form=campaign.delivery_form)
