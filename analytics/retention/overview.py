"""Retention of all campaigns in one table, for administrators."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q, QuerySet

from analytics.retention.deletion import Term, terms_kept
from campaigns.models import Campaign, Retention


@dataclass(frozen=True)
class CampaignTerms:
    """A campaign with how long identities and recordings are kept after its close."""

    campaign: Campaign
    identity: Term
    audio: Term

    def is_overdue(self, now: datetime) -> bool:
        """Whether something is to go by now. The night does it; recordings also wait for other campaigns."""
        return any(term.is_due(now) for term in (self.identity, self.audio))


def campaigns_by_close() -> QuerySet[Campaign]:
    """Those that are closed last first, then the others."""
    return Campaign.objects.select_related("retention", "dataset").order_by(
        F("closed_at").desc(nulls_last=True), "title", "pk"
    )


def terms_of_all(campaigns: Iterable[Campaign]) -> list[CampaignTerms]:
    """Without a query, where `retention` is there."""
    found = []
    for campaign in campaigns:
        terms = terms_kept(campaign, getattr(campaign, "retention", None) or Retention(campaign=campaign))
        found.append(CampaignTerms(campaign, terms["identity"], terms["audio"]))
    return found


def with_a_rule() -> int:
    """How many campaigns delete anything."""
    return sum(bool(it.identity.days or it.audio.days) for it in terms_of_all(campaigns_by_close()))


def due_campaigns(until: datetime) -> int:
    """How many closed campaigns have something to delete until then."""
    closed = campaigns_by_close().filter(Q(closed_at__isnull=False))
    return sum(it.is_overdue(until) for it in terms_of_all(closed))
