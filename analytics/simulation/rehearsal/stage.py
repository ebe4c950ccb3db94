"""Where a rehearsal is played: a campaign of its own, marked as one, and removed afterwards with all in it."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.login.guests import make_guest
from accounts.models import User
from analytics.models import Rehearsal
from annotation.models import Annotation, AnnotatorDecision, Assignment, UseDecision
from campaigns.models import Campaign, CampaignUnit, QualityRules, Role
from infrastructure.slugs import unique_slug

#: A rehearsal that is not kept and this old was killed before it could tidy up.
ABANDONED = timedelta(hours=6)


class NoRehearsal(ValueError):
    """The campaign is a real one. Nothing of it may be removed."""


@transaction.atomic
def copy_of(campaign: Campaign, *, seats: int) -> Campaign:
    """The campaign again, open, with its units, checks and rules and none of its people, marked as a rehearsal."""
    copy = Campaign.objects.get(pk=campaign.pk)
    copy.pk, copy._state.adding = None, True  # noqa: SLF001 - Django's way to copy a row
    copy.title = f"Rehearsal of {campaign.title}"[:120]
    copy.slug = unique_slug(Campaign, copy.title)
    copy.status, copy.answers_per_unit = Campaign.Status.OPEN, seats
    copy.closes_at, copy.closes_when_complete, copy.stops_when = None, False, {}
    copy.save()
    CampaignUnit.objects.bulk_create(
        CampaignUnit(
            campaign=copy, unit_id=row.unit_id, position=row.position, purpose=row.purpose, expected=row.expected
        )
        for row in campaign.campaign_units.all()
    )
    if (rules := campaign.quality_rules.order_by("-pk").first()) is not None:
        QualityRules.objects.create(campaign=copy, rules=rules.rules, made_by=rules.made_by)
    Rehearsal.objects.create(campaign=copy)
    return copy


@transaction.atomic
def remove(campaign: Campaign) -> None:
    """Remove the campaign, its answers and the guests who gave them. Raises NoRehearsal."""
    rehearsal = Rehearsal.objects.filter(campaign=campaign).first()
    if rehearsal is None:
        raise NoRehearsal(f"{campaign} is no rehearsal")
    guests = list(
        campaign.memberships.filter(role=Role.ANNOTATOR, user__is_guest=True).values_list("user", flat=True)
    )
    owner, dataset = campaign.created_by, campaign.dataset
    UseDecision.objects.filter(assignment__campaign=campaign).delete()
    Annotation.objects.filter(assignment__campaign=campaign).exclude(supersedes=None).delete()
    Annotation.objects.filter(assignment__campaign=campaign).delete()
    Assignment.objects.filter(campaign=campaign).delete()
    AnnotatorDecision.objects.filter(campaign=campaign).delete()
    campaign.delete()
    User.objects.filter(pk__in=guests, memberships=None).delete()
    if rehearsal.made_dataset:
        clips = [turn.clip for item in dataset.items.all() for r in item.responses.all() for turn in r.turns.all()]
        dataset.delete()
        for clip in clips:
            if clip:
                clip.delete()
        owner.delete()


def remove_abandoned() -> int:
    """Remove the rehearsals that a kill left behind; return how many there were."""
    left = Rehearsal.objects.filter(is_kept=False, made_at__lt=timezone.now() - ABANDONED).select_related("campaign")
    rehearsals = list(left)
    for rehearsal in rehearsals:
        remove(rehearsal.campaign)
    return len(rehearsals)


def keep(campaign: Campaign) -> None:
    Rehearsal.objects.filter(campaign=campaign).update(is_kept=True)


def owner_for_rehearsal() -> User:
    """An account that owns datasets without an owner, and cannot log in."""
    return make_guest()
