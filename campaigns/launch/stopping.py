"""Rules by which a campaign closes by itself: once what it is to find out is known well enough.

A rule reads figures whose intervals hold at every look (decision 63), so that a campaign that was closed by what they
show claims no more than one that was not. What counts as known is told by the apps above, each for its kind of rule.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from campaigns import reasons
from campaigns.audit_log import record_in
from campaigns.launch.lifecycle import WrongStatus, close_campaign
from campaigns.models import Campaign
from infrastructure.wording.reasons import Reason

#: The kinds of rules, with the numbers that each takes.
PLACES, AGREEMENT, JUDGES, WORTH = "places", "agreement", "judges", "worth"
NUMBERS = {PLACES: ("places",), AGREEMENT: ("width",), JUDGES: ("kappa",), WORTH: ("price", "worth")}
STOPPED = AuditEvent("stopping_rule_reached", gettext_lazy("The rule by which the campaign closes was reached."))


@dataclass(frozen=True)
class Look:
    """Whether the rule is reached, and how it stands: a reason that pages word."""

    reached: bool
    stands: Reason


Rule = Callable[[Campaign, Mapping[str, float]], Look]
_rules: dict[str, Rule] = {}


def register(kind: str, rule: Rule) -> None:
    """Say how rules of this kind are looked at; in `ready` of the app that knows."""
    _rules[kind] = rule


def look_at(campaign: Campaign) -> Look:
    """How the campaign's rule stands now. Raises KeyError for a campaign without one."""
    return _rules[campaign.stops_when["rule"]](campaign, campaign.stops_when)


def sentence(rule: Mapping[str, Any]) -> Reason:
    """What the rule waits for. Raises KeyError for none."""
    numbers = {name: f"{rule[name]:g}" for name in NUMBERS[rule["rule"]]}
    if rule["rule"] == PLACES:
        return reasons.RULE_PLACES(n=rule["places"])
    if rule["rule"] == AGREEMENT:
        return reasons.RULE_AGREEMENT(**numbers)
    if rule["rule"] == JUDGES:
        return reasons.RULE_JUDGES(**numbers)
    return reasons.RULE_WORTH(**numbers)


def declared(campaign: Campaign) -> str:
    """The rule as files name it, in English; empty for none."""
    return "" if not campaign.stops_when else f"closes {sentence(campaign.stops_when)}"


def close_settled_campaigns() -> list[Campaign]:
    """Look at the rule of every open campaign that has one, keep what was seen, and close those that reached it."""
    closed = []
    for campaign in Campaign.objects.filter(status=Campaign.Status.OPEN).exclude(stops_when={}):
        found = look_at(campaign)
        if campaign.stop_stands != found.stands:
            Campaign.objects.filter(pk=campaign.pk).update(stop_stands=found.stands)
        if found.reached and _close(campaign):
            closed.append(campaign)
    return closed


@transaction.atomic
def _close(campaign: Campaign) -> bool:
    try:
        row = close_campaign(campaign)
    except WrongStatus:
        return False  # another process closed it at this moment
    Campaign.objects.filter(pk=row.pk).update(stop_reached_at=row.closed_at)
    record_in(row, STOPPED, by=None)
    return True
