"""What a campaign asks about an item: its facts, and the criteria that stand."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from campaigns.models import Campaign, Criterion, CriterionState, FrozenRubric
from corpus.models import Item
from protocols import Protocol, for_item

#: Criteria that are asked; a draft is not, before a person accepted it.
STANDING = (CriterionState.ACCEPTED, CriterionState.EDITED)
Facts = dict[str, Any]


def protocol_for(campaign: Campaign, item: Item) -> Protocol:
    """The campaign's protocol as it is asked about this item, by people and by judges alike."""
    return for_item(campaign.protocol, facts_asked(campaign, item))


def facts_asked(campaign: Campaign, item: Item) -> Facts:
    """What is known of the item, with its criteria: as frozen when the campaign opened, else those that stand."""
    if not campaign.protocol.item_criteria:
        return dict(item.facts)
    return facts_by_item(campaign, [item])[item.pk]


def facts_by_item(campaign: Campaign, items: Iterable[Item]) -> dict[int, Facts]:
    """The same for several items, in two queries."""
    items = list(items)
    rubric = FrozenRubric.objects.filter(campaign=campaign).first()
    numbered = _numbers(rubric.criteria.all() if rubric else standing(items), items)
    return {item.pk: with_criteria(item.facts, numbered.get(item.pk, {})) for item in items}


def with_criteria(facts: Facts, numbered: dict[int, str]) -> Facts:
    """Facts with criteria by number; those in the facts themselves came with the dataset, and are counted from 1."""
    return facts | ({"numbered_criteria": numbered} if numbered else {})


def standing(items: Iterable[Item]) -> QuerySet[Criterion]:
    return Criterion.objects.filter(item__in=[item.pk for item in items], state__in=STANDING)


def facts_to_read(items: Iterable[Item], *, from_campaign: str = "") -> dict[int, Facts]:
    """Facts by the item's primary key for reading answers again.

    Of a campaign over these items that is known here, as they were frozen; else with every criterion not dropped.
    """
    items = list(items)
    datasets = {item.dataset_id for item in items}
    rubric = FrozenRubric.objects.filter(campaign__slug=from_campaign, campaign__dataset__in=datasets).first()
    kept = Criterion.objects.exclude(state=CriterionState.DROPPED)
    numbered = _numbers(rubric.criteria.all() if rubric else kept, items)
    return {item.pk: with_criteria(item.facts, numbered.get(item.pk, {})) for item in items}


def rubric_digest(rows: Iterable[tuple[str, int, str]]) -> str:
    """Of items (their keys), numbers and texts, in whatever order they come."""
    return hashlib.sha256(json.dumps(sorted(rows), ensure_ascii=False).encode()).hexdigest()


def _numbers(rows: QuerySet[Any], items: list[Item]) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    of_these = rows.filter(item__in=[item.pk for item in items]).order_by("item", "number")
    for item, number, text in of_these.values_list("item_id", "number", "text"):
        found.setdefault(item, {})[number] = text
    return found
