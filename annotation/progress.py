"""How far an annotator is."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from accounts.models import User
from annotation.assignments import candidates
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
    """What this person has answered, of that and what is still to be had."""
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    held = dict(mine.values_list("status").annotate(n=Count("pk")).order_by("status"))
    answered = held.get(Assignment.Status.ANSWERED, 0)
    reserved = held.get(Assignment.Status.RESERVED, 0)
    return Answered(answered, answered + reserved + candidates(campaign, annotator).count())


def answers_by_campaign(campaigns: list[Campaign]) -> list[tuple[Campaign, Answered]]:
    """Each campaign with the annotations there are and those it asks for, in three queries for all."""
    ids = [campaign.pk for campaign in campaigns]
    there = _counts(Annotation.objects.filter(assignment__campaign__in=ids), "assignment__campaign")
    units = _counts(CampaignUnit.objects.filter(campaign__in=ids), "campaign")
    return [(row, Answered(there.get(row.pk, 0), units.get(row.pk, 0) * row.answers_per_unit)) for row in campaigns]


def _counts(rows: QuerySet[Any], column: str) -> dict[int, int]:
    return dict(rows.values_list(column).annotate(n=Count("pk")).order_by(column))


def others_hold_units(campaign: Campaign, annotator: User) -> bool:
    """Whether somebody else has units reserved that might come to this annotator, who has not had them."""
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    reserved = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.RESERVED)
    return reserved.exclude(campaign_unit__in=mine.values("campaign_unit")).exists()
