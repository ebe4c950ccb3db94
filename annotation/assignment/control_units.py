"""Units that check on those who answer, mixed into an annotator's work so that they look like all the others.

Gold units have answers that a researcher vouches for, identical pairs are one response twice, and repeats are units
that the annotator has answered before. Each annotator gets each of them once, about `check_every` units apart.
"""

import random

from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Assignment
from campaigns.entry_gates.gates import ids_before_first_unit
from campaigns.models import CHECKS, Campaign, CampaignUnit
from infrastructure.compiled_queries import Given, Prepared

Purpose = CampaignUnit.Purpose
#: A repeat comes when at least this many units lie between it and the first time.
APART = 5


_any_check = Prepared(
    lambda: (
        CampaignUnit.objects.filter(campaign=Given("campaign"), purpose__in=CHECKS).order_by().values_list("pk")[:1]
    )
)
_last_seat = Prepared(
    lambda: Assignment.objects.filter(campaign_unit=Given("unit")).order_by("-seat").values_list("seat")[:1],
)


def due_check(campaign: Campaign, annotator: User) -> CampaignUnit | None:
    """The check that comes next for this annotator, if it is time for one."""
    if not _any_check.rows(campaign=campaign.pk):
        return None
    had = _had(campaign, annotator)
    since = next((n for n, purpose in enumerate(had) if purpose != Purpose.STUDY), len(had))
    n_checks = sum(purpose != Purpose.STUDY for purpose in had)
    if since < _gap(campaign, annotator, n_checks):
        return None
    return open_checks(campaign, annotator).order_by("?").select_related("unit").first()


def checks_of(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose__in=CHECKS)


def open_checks(campaign: Campaign, annotator: User) -> QuerySet[CampaignUnit]:
    """The checks that this annotator has not had; repeats only of what they answered a while ago."""
    mine = _mine(campaign, annotator)
    answered = mine.filter(campaign_unit__purpose=Purpose.STUDY, status=Assignment.Status.ANSWERED)
    long_ago = answered.order_by("-reserved_at").values_list("campaign_unit__unit", flat=True)[APART:]
    checks = checks_of(campaign).exclude(pk__in=mine.values("campaign_unit"))
    return checks.exclude(purpose=Purpose.REPEAT) | checks.filter(purpose=Purpose.REPEAT, unit__in=list(long_ago))


def checks_ahead(campaign: Campaign, annotator: User, *, study_left: int) -> int:
    """How many checks are still to come before this annotator is through with so many units."""
    if not _any_check.rows(campaign=campaign.pk):
        return 0
    mine = _mine(campaign, annotator)
    left = checks_of(campaign).exclude(pk__in=mine.values("campaign_unit")).count()
    return min(left, study_left // campaign.check_every)


def next_check_seat(check: CampaignUnit) -> int:
    """Checks have as many seats as there are annotators."""
    return _last_seat.number(unit=check.pk) + 1


def _mine(campaign: Campaign, annotator: User) -> QuerySet[Assignment]:
    """What this annotator had in hand since they began, given back or not; what ran out may come again."""
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    mine = mine.exclude(campaign_unit__in=ids_before_first_unit(campaign.pk))
    return mine.exclude(status__in=[Assignment.Status.EXPIRED, Assignment.Status.PLANNED])


def _had(campaign: Campaign, annotator: User) -> list[str]:
    """The purposes of what this annotator had, the latest first."""
    mine = _mine(campaign, annotator)
    return list(mine.order_by("-reserved_at").values_list("campaign_unit__purpose", flat=True))


def _gap(campaign: Campaign, annotator: User, n_checks: int) -> int:
    """How many units lie before the next check: about `check_every`, a little otherwise each time."""
    every = campaign.check_every
    wobble = random.Random(f"{campaign.pk} {annotator.pk} {n_checks}").randint(-(every // 4), every // 4)  # noqa: S311
    return max(1, every + wobble)
