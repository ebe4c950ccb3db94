"""Campaigns over a rubric whose items have criteria."""

from typing import Any

from campaigns.models import Campaign, Criterion
from campaigns.rubrics.reviewing import Origin, draft_criteria
from corpus.models import Item
from tests.factories import make_campaign

DRAFTS = ("Does it mention the rain?", "Does it offer an umbrella?")


def rubric_campaign(*, units: int = 2, status: str = "draft", **fields: Any) -> Campaign:
    return make_campaign(protocol="rubric", units=units, status=status, facts={"dimension": "semantic"}, **fields)


def item_of(campaign: Campaign, key: str = "0") -> Item:
    return campaign.dataset.items.get(key=key)


def drafted(campaign: Campaign, key: str = "0", texts: tuple[str, ...] = DRAFTS) -> list[Criterion]:
    origin = Origin(Criterion.Source.LLM, campaign.created_by, "model-1", "1", "Write criteria.")
    return draft_criteria(item_of(campaign, key), texts, origin=origin)
