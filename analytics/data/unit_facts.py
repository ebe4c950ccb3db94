"""What is known of units beside what is said of them: their item, its category, and the systems by slot."""

from dataclasses import dataclass

from analytics.data.hidden_names import shown_names
from campaigns.models import Campaign
from corpus.models import Unit, UnitMember


@dataclass(frozen=True)
class UnitFacts:
    """`systems` and `responses` are by slot: a name as it may be seen now, and the response's id."""

    key: str
    item: int
    item_key: str
    category: str
    systems: dict[str, str]
    responses: dict[str, int]


def unit_facts(campaign: Campaign, *, shown_in: Campaign | None = None) -> dict[int, UnitFacts]:
    """By unit of the campaign, in three queries. Systems have the names that may be seen in `shown_in`, which is
    another campaign over the same dataset where what is said in both stands side by side.
    """
    wanted = campaign.campaign_units.order_by().values("unit")
    sides = ("a", "a__system__name", "b", "b__system__name")
    rows = Unit.objects.filter(pk__in=wanted).values_list("pk", "key", "item", "item__key", "item__category", *sides)
    found: dict[int, UnitFacts] = {}
    for pk, key, item, item_key, category, a, name_a, b, name_b in rows:
        said = {slot: (response, name) for slot, response, name in (("a", a, name_a), ("b", b, name_b)) if response}
        found[pk] = UnitFacts(
            key, item, item_key, category, {slot: name for slot, (_, name) in said.items()},
            {slot: response for slot, (response, _) in said.items()},
        )  # fmt: skip
    members = UnitMember.objects.filter(unit__in=wanted).order_by("slot")
    for unit, slot, response, name in members.values_list("unit", "slot", "response", "response__system__name"):
        found[unit].systems[slot], found[unit].responses[slot] = name, response
    shown = shown_names(shown_in or campaign, (name for it in found.values() for name in it.systems.values()))
    for it in found.values():
        it.systems.update({slot: shown[name] for slot, name in it.systems.items()})
    return found
