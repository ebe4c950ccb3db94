"""Who changed which rule of a campaign, when, and from what to what."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from analytics.quality.rules import rules_by
from analytics.quality.signals import SIGNALS, Signal
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Rule


@dataclass(frozen=True)
class RuleChange:
    row: QualityRules
    signal: Signal
    before: Rule
    after: Rule


def rule_changes(campaign: Campaign) -> list[RuleChange]:
    """The newest first."""
    rows = [None, *campaign.quality_rules.select_related("made_by").order_by("pk")]
    return list(_changes(campaign, rows))[::-1]


def _changes(campaign: Campaign, rows: list[QualityRules | None]) -> Iterator[RuleChange]:
    for earlier, later in pairwise(rows):
        before, after = rules_by(campaign, earlier), rules_by(campaign, later)
        for name in SIGNALS:
            if later is not None and before[name] != after[name]:
                yield RuleChange(later, SIGNALS[name], before[name], after[name])
