"""How far an annotator is."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from accounts.models import User
from annotation.assignments import live
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign, CampaignUnit


@dataclass(frozen=True)
class Answered:
    """How many annotations there are, of how many that there can be."""

    answered: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.answered // self.total if self.total else 0


def own_progress(campaign: Campaign, annotator: User) -> Answered:
    answered = Assignment.objects.filter(
        campaign=campaign, annotator=annotator, status=Assignment.Status.ANSWERED
    ).count()
    return Answered(answered, campaign.campaign_units.count())


def answers_by_campaign(campaigns: list[Campaign]) -> list[tuple[Campaign, Answered]]:
    """Each campaign with the annotations there are and those it asks for, in three queries for all."""
    ids = [campaign.pk for campaign in campaigns]
    there = _counts(Annotation.objects.filter(assignment__campaign__in=ids), "assignment__campaign")
    units = _counts(CampaignUnit.objects.filter(campaign__in=ids), "campaign")
    return [(row, Answered(there.get(row.pk, 0), units.get(row.pk, 0) * row.answers_per_unit)) for row in campaigns]


def _counts(rows: QuerySet[Any], column: str) -> dict[int, int]:
    return dict(rows.values_list(column).annotate(n=Count("pk")).order_by(column))


def others_hold_units(campaign: Campaign, annotator: User) -> bool:
    """Whether somebody else has units reserved that might come back to this annotator."""
    reserved = live(Assignment.objects.filter(campaign=campaign)).exclude(annotator=annotator)
    return reserved.filter(status=Assignment.Status.RESERVED).exists()
