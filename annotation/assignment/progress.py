"""How far an annotator is."""

from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from statistics import median
from typing import Any

from django.db.models import Count, F, QuerySet

from accounts.models import User
from annotation.assignment.control_units import checks_ahead
from annotation.assignment.seats import n_free
from annotation.models import Annotation, Assignment
from campaigns.entry_gates.gates import ids_before_first_unit
from campaigns.models import Campaign, CampaignUnit
from infrastructure.compiled_queries import Given, Prepared

#: How many of the last answers make a pace, and how few are none.
RECENT, FEWEST = 20, 3


@dataclass(frozen=True)
class Answered:
    """How many annotations there are, of how many that there can be."""

    answered: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.answered // self.total if self.total else 0


#: How many units an annotator has in each status, without those before the first unit.
_held: Prepared[tuple[str, int]] = Prepared(
    lambda: (
        Assignment.objects.filter(campaign=Given("campaign"), annotator=Given("annotator"))
        .exclude(campaign_unit__in=ids_before_first_unit(Given("campaign")))
        .order_by()
        .values_list("status")
        .annotate(n=Count("pk"))
    )
)


def own_progress(campaign: Campaign, annotator: User) -> Answered:
    """What this person has answered, of that and what is still to be had."""
    held = dict(_held.rows(campaign=campaign.pk, annotator=annotator.pk))
    answered = held.get(Assignment.Status.ANSWERED, 0)
    reserved = held.get(Assignment.Status.RESERVED, 0)
    left = n_free(campaign, annotator)
    return Answered(answered, answered + reserved + left + checks_ahead(campaign, annotator, study_left=left))


def n_answered(campaign: Campaign, annotator: User) -> int:
    """How many units this person has answered, without those before the first unit."""
    return dict(_held.rows(campaign=campaign.pk, annotator=annotator.pk)).get(Assignment.Status.ANSWERED, 0)


@dataclass(frozen=True)
class Pace:
    """How long one unit takes, and all that are left."""

    seconds: int
    minutes_left: int


def own_pace(campaign: Campaign, annotator: User, progress: Answered) -> Pace | None:
    """From the median time of this person's last answers; None before there are three, or when none is left."""
    # From this person's assignments, which have an index: from the newest annotations it would pass by those of all.
    mine = Annotation.objects.filter(assignment__campaign=campaign, assignment__annotator=annotator, supersedes=None)
    mine = mine.exclude(assignment__campaign_unit__in=ids_before_first_unit(campaign.pk))
    mine = mine.order_by("-assignment__reserved_at")
    took = mine.annotate(took=F("recorded_at") - F("shown_at")).values_list("took", flat=True)
    recent = list(took[:RECENT])
    left = progress.total - progress.answered
    if len(recent) < FEWEST or not left:
        return None
    each = median(recent)
    return Pace(round(each.total_seconds()), ceil(each * left / timedelta(minutes=1)))


def answers_by_campaign(campaigns: list[Campaign]) -> list[tuple[Campaign, Answered]]:
    """Each campaign with the annotations there are and those it asks for, in three queries for all."""
    ids = [campaign.pk for campaign in campaigns]
    study = {"assignment__campaign_unit__purpose": CampaignUnit.Purpose.STUDY, "assignment__excluded": False}
    used = Annotation.objects.filter(assignment__campaign__in=ids, superseded_by=None, **study)
    there = _counts(used, "assignment__campaign")
    units = _counts(CampaignUnit.objects.filter(campaign__in=ids, purpose=CampaignUnit.Purpose.STUDY), "campaign")
    return [(row, Answered(there.get(row.pk, 0), units.get(row.pk, 0) * row.answers_per_unit)) for row in campaigns]


def _counts(rows: QuerySet[Any], column: str) -> dict[int, int]:
    return dict(rows.values_list(column).annotate(n=Count("pk")).order_by(column))


def others_hold_units(campaign: Campaign, annotator: User) -> bool:
    """Whether others have reserved units that might become free for this annotator, who has not had them."""
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    mine = mine.exclude(status=Assignment.Status.PLANNED)
    reserved = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.RESERVED)
    reserved = reserved.exclude(campaign_unit__in=ids_before_first_unit(campaign.pk))
    return reserved.exclude(campaign_unit__in=mine.values("campaign_unit")).exists()


def units_done(assignment: Assignment) -> Answered:
    """The annotator's progress with the units of a gate."""
    purpose = assignment.campaign_unit.purpose
    units = CampaignUnit.objects.filter(campaign=assignment.campaign_id, purpose=purpose)
    mine = Assignment.objects.filter(
        campaign=assignment.campaign_id,
        annotator=assignment.annotator_id,
        round=assignment.round,
        campaign_unit__purpose=purpose,
    )
    closed = (Assignment.Status.ANSWERED, Assignment.Status.RETURNED)
    return Answered(mine.filter(status__in=closed).count(), units.count())
