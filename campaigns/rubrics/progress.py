"""How far the review of a campaign's criteria is, and what was made of the drafts."""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from campaigns.models import (
    Campaign,
    CampaignUnit,
    Criterion,
    CriterionState,
    FrozenCriterion,
    FrozenRubric,
    NoCriteria,
)
from campaigns.rubrics.asking import STANDING, rubric_digest, standing
from corpus.models import Item

Purpose = CampaignUnit.Purpose


@dataclass(frozen=True)
class Reviewed:
    """How many of a campaign's items are reviewed."""

    done: int
    total: int

    @property
    def left(self) -> int:
        return self.total - self.done


@dataclass(frozen=True)
class Accepted:
    """What became of criteria that were drafted, by a model or in a table; those written here are not counted."""

    as_drafted: int
    edited: int
    dropped: int
    waiting: int

    @property
    def reviewed(self) -> int:
        return self.as_drafted + self.edited + self.dropped


def used_items(campaign: Campaign) -> QuerySet[Item]:
    """The items of the campaign's units, with what is there of criteria, in the order of their keys."""
    units = CampaignUnit.objects.filter(campaign=campaign, unit__item=OuterRef("pk"))
    return (
        Item.objects.filter(Exists(units))
        .annotate(
            n_drafted=Count("criteria", filter=Q(criteria__state=CriterionState.DRAFTED)),
            n_standing=Count("criteria", filter=Q(criteria__state__in=STANDING)),
            needs_none=Exists(NoCriteria.objects.filter(item=OuterRef("pk"))),
        )
        .order_by("key")
    )


def unreviewed(campaign: Campaign) -> QuerySet[Item]:
    """Items with an undecided draft, or without criteria and without a confirmation that none are needed."""
    nothing = Q(n_standing=0, needs_none=False) & ~Q(facts__has_key="criteria")
    return used_items(campaign).filter(Q(n_drafted__gt=0) | nothing)


def reviewed(campaign: Campaign) -> Reviewed:
    total = used_items(campaign).count()
    return Reviewed(total - unreviewed(campaign).count(), total)


def acceptance(campaign: Campaign) -> Accepted:
    rows = Criterion.objects.filter(item__in=used_items(campaign).values("pk")).exclude(source=Criterion.Source.HAND)
    n = Counter(rows.order_by().values_list("state", flat=True))
    return Accepted(
        n[CriterionState.ACCEPTED], n[CriterionState.EDITED], n[CriterionState.DROPPED], n[CriterionState.DRAFTED]
    )


def must_be_reviewed(campaign: Campaign) -> bool:
    """Whether items bring criteria, and they are not frozen yet."""
    return campaign.protocol.item_criteria and not FrozenRubric.objects.filter(campaign=campaign).exists()


@transaction.atomic
def freeze_rubric(campaign: Campaign) -> FrozenRubric | None:
    """Keep the criteria that stand as they are asked from now on; a second time changes nothing."""
    if not must_be_reviewed(campaign):
        return FrozenRubric.objects.filter(campaign=campaign).first()
    rows = list(standing(list(used_items(campaign))).select_related("item"))
    digest = rubric_digest((row.item.key, row.number, row.text) for row in rows)
    rubric = FrozenRubric.objects.create(campaign=campaign, digest=digest)
    FrozenCriterion.objects.bulk_create(
        FrozenCriterion(rubric=rubric, item_id=row.item_id, number=row.number, text=row.text) for row in rows
    )
    return rubric


def drafts_to_review(campaign: Campaign) -> int:
    """How many criteria wait for a decision, as long as one can be made."""
    if campaign.status != Campaign.Status.DRAFT or not campaign.protocol.item_criteria:
        return 0
    return Criterion.objects.filter(item__dataset=campaign.dataset_id, state=CriterionState.DRAFTED).count()
