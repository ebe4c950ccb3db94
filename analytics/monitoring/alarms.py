"""An alarm where unusually many answers of a campaign are left out. It says where to look, and decides nothing.

A rule that breaks excludes answer after answer without being noticed, because every number still looks fine.
"""

import logging
from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from analytics.data.inclusion import standing_use_decisions
from analytics.models import ExclusionAlarm
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit, EventKind
from campaigns.people.members import withdrawn_memberships
from campaigns.webhooks.events import announce_event
from stats.jumps import JumpRule, Shares, has_jumped, window_of

logger = logging.getLogger(__name__)
RULE = JumpRule()


def open_alarms(campaigns: Iterable[Campaign]) -> QuerySet[ExclusionAlarm]:
    """The alarms that stand in these campaigns, the newest first."""
    ids = [campaign.pk for campaign in campaigns]
    return ExclusionAlarm.objects.filter(campaign__in=ids, ended_at=None).select_related("campaign")


def n_open_alarms(campaign: Campaign) -> int:
    return ExclusionAlarm.objects.filter(campaign=campaign, ended_at=None).count()


def watch_exclusions(campaign: Campaign) -> ExclusionAlarm | None:
    """Raise the alarm, renew its numbers, or end it; return the one that stands. It begins with a line in the log.

    All answers are counted outside the transaction, in which those who vote would wait.
    """
    answered = _answered(campaign)
    shares = _shares(answered)
    return _note(campaign, answered, shares)


@transaction.atomic
def _note(campaign: Campaign, answered: QuerySet[Assignment], shares: Shares) -> ExclusionAlarm | None:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    standing = ExclusionAlarm.objects.filter(campaign=campaign, ended_at=None).first()
    if not has_jumped(shares, RULE, already=standing is not None):
        if standing:
            standing.ended_at = timezone.now()
            standing.save(update_fields=["ended_at"])
        return None
    numbers = vars(shares) | {"rule": _usual_rule(campaign, answered, shares.of_recent)}
    if standing:
        ExclusionAlarm.objects.filter(pk=standing.pk).update(**numbers)
        return ExclusionAlarm.objects.get(pk=standing.pk)
    raised = ExclusionAlarm.objects.create(campaign=campaign, **numbers)
    announce_event(campaign, EventKind.ALARM, {"about": "exclusions", "alarm": raised.pk, **numbers})
    logger.warning(
        "Campaign %s: %s of the last %s answers are left out, %s of %s before; most by %s. Nothing was changed.",
        campaign.slug, shares.recent, shares.of_recent, shares.before, shares.of_before, _named(raised.rule),
    )  # fmt: skip
    return raised


def _named(rule: str) -> str:
    return f"rule {rule}" if rule else "people"


def _answered(campaign: Campaign) -> QuerySet[Assignment]:
    """What was answered in the study, the latest first. Who withdrew decided for themselves and is no sign."""
    withdrawn = withdrawn_memberships().filter(campaign=campaign).values("user")
    study = {"campaign_unit__purpose": CampaignUnit.Purpose.STUDY, "status": Assignment.Status.ANSWERED}
    rows = Assignment.objects.filter(campaign=campaign, **study).exclude(annotator__in=withdrawn)
    return rows.annotate(answered=Max("annotations__pk")).order_by("-answered")


def _shares(answered: QuerySet[Assignment]) -> Shares:
    n = answered.count()
    last = window_of(n, RULE)
    recent = sum(answered.values_list("excluded", flat=True)[:last])
    return Shares(recent, last, answered.filter(excluded=True).count() - recent, n - last)


def _usual_rule(campaign: Campaign, answered: QuerySet[Assignment], last: int) -> str:
    """The rule by which most of the last ones were left out; "" where people left out more."""
    recent = [row.pk for row in answered[:last] if row.excluded]
    decisions = standing_use_decisions(campaign).filter(assignment__in=recent, use=False)
    by_rule = Counter(decisions.values_list("rule", flat=True))
    return max(by_rule, key=lambda rule: (by_rule[rule], rule)) if by_rule else ""
