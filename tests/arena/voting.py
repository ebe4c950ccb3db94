"""Campaigns between several systems, and votes in them, for the tests of standings."""

from collections.abc import Sequence
from itertools import combinations

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Item, Response, System, Unit
from tests.factories import make_assignment, make_campaign, make_member

SYSTEMS = ("Aardwolf", "Binturong", "Cacomistle")


def make_arena(
    *,
    systems: Sequence[str] = SYSTEMS,
    items: int = 2,
    protocol: str = "blind_overall",
    categories: Sequence[str] = ("",),
) -> Campaign:
    """An open campaign over every pair of the systems on every item; categories are given to items in turn."""
    campaign = make_campaign(units=0, protocol=protocol, answers_per_unit=9)
    rows = [System.objects.create(dataset=campaign.dataset, name=name) for name in systems]
    position = 0
    for number in range(items):
        category = categories[number % len(categories)]
        item = Item.objects.create(dataset=campaign.dataset, key=f"item {number}", category=category)
        said = [Response.objects.create(item=item, system=row, key=f"{number}/{row.name}") for row in rows]
        for a, b in combinations(said, 2):
            key = f"{number}: {a.system} {b.system}"
            unit = Unit.objects.create(dataset=campaign.dataset, item=item, key=key, a=a, b=b)
            CampaignUnit.objects.create(campaign=campaign, unit=unit, position=position)
            position += 1
    return campaign


def vote(
    campaign: Campaign, one: str, other: str, said: str, *, by: User | None = None, item: int = 0, order: str = "ab"
) -> Assignment:
    """A vote on the pair as it is shown: `1`, `2` or a kind of tie. `order` is that of the stored pair."""
    names = {"unit__a__system__name": one, "unit__b__system__name": other, "unit__item__key": f"item {item}"}
    unit = campaign.campaign_units.get(**names, purpose=CampaignUnit.Purpose.STUDY)
    voter = by or make_member(campaign)
    seat = unit.assignments.count() + 1
    assignment = make_assignment(campaign, voter, campaign_unit=unit, order=order, seat=seat)
    record_answers(assignment.pk, annotator=voter, clicked={"overall": said}, idempotency_key="k")
    assignment.refresh_from_db()
    return assignment
