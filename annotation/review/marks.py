"""Reviewers mark units as reviewed, one or many at a time, open them again, and undo what they did last."""

from collections.abc import Collection
from uuid import uuid4

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from annotation.models import UnitReview
from campaigns.models import Campaign, CampaignUnit

#: What a reviewer looks at: units of the study and the control units among them, none of an entry gate.
REVIEWABLE = (
    CampaignUnit.Purpose.STUDY, CampaignUnit.Purpose.GOLD, CampaignUnit.Purpose.IDENTICAL,
    CampaignUnit.Purpose.REPEAT, CampaignUnit.Purpose.TRAP,
)  # fmt: skip
_AT_ONCE = 1_000


@transaction.atomic
def mark_units(campaign: Campaign, units: Collection[int], *, reviewer: User, done: bool = True) -> int:
    """Say of these units (their ids) that they need nothing more, or open them again. Returns how many it were.

    Units of other campaigns and of entry gates are passed over.
    """
    there = campaign.campaign_units.filter(purpose__in=REVIEWABLE, pk__in=units).order_by("pk")
    step, rows = uuid4(), there.values_list("pk", flat=True)
    made = [UnitReview(campaign_unit_id=unit, by=reviewer, done=done, step=step) for unit in rows]
    UnitReview.objects.bulk_create(made, _AT_ONCE)
    return len(made)


@transaction.atomic
def undo_last_mark(campaign: Campaign, *, reviewer: User) -> tuple[int, bool]:
    """Turn round what this reviewer marked last. Returns how many units, and whether they are reviewed now.

    Units that another reviewer marked since stay as they are; undoing twice does it again.
    """
    mine = UnitReview.objects.filter(by=reviewer, campaign_unit__campaign=campaign)
    last = mine.order_by("pk").last()
    if last is None:
        return 0, False
    step = list(mine.filter(step=last.step).values_list("pk", "campaign_unit"))
    units = [unit for _pk, unit in step]
    newest = UnitReview.objects.filter(campaign_unit__in=units).order_by().values("campaign_unit")
    standing = set(newest.annotate(newest=Max("pk")).values_list("newest", flat=True))
    still = [unit for pk, unit in step if pk in standing]
    return mark_units(campaign, still, reviewer=reviewer, done=not last.done), not last.done


def last_marked(campaign: Campaign, reviewer: User) -> UnitReview | None:
    """What this reviewer marked last in the campaign."""
    mine = UnitReview.objects.filter(by=reviewer, campaign_unit__campaign=campaign)
    return mine.select_related("campaign_unit").order_by("pk").last()
