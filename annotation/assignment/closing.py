"""Closing a campaign once it has what it asked for."""

from django.db.models import Count, F, IntegerField, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.assignment.expiry import time_ran_out
from annotation.assignment.next_unit import IN_HAND
from annotation.assignment.seats import live
from annotation.models import Annotation, Assignment, UseDecision
from campaigns.launch.lifecycle import WrongStatus, close_campaign
from campaigns.models import LABEL, Campaign, CampaignUnit
from infrastructure.background.debounce import has_lasted, is_no_more


def close_complete_campaigns() -> list[Campaign]:
    """Close every open campaign that is to close with its last answer, and has had it for a while; return them.

    In that while rules and people may leave answers out, which frees their seats for others.
    """
    waiting = Campaign.objects.filter(status=Campaign.Status.OPEN, closes_when_complete=True, label_page=LABEL)
    closed = []
    for campaign in waiting:
        if _is_settled(campaign):
            try:
                closed.append(close_campaign(campaign))
            except WrongStatus:
                continue  # another process closed it at this moment
    return closed


def is_complete(campaign: Campaign) -> bool:
    """Whether every unit of the study has as many answers as were wanted, counting only those that are used."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    used = live(Assignment.objects.filter(campaign_unit=OuterRef("pk"), status=Assignment.Status.ANSWERED))
    counts = used.order_by().values("campaign_unit").annotate(n=Count("pk")).values("n")
    there = study.annotate(n=Coalesce(Subquery(counts, output_field=IntegerField()), 0))
    return study.exists() and not there.filter(n__lt=F("campaign__answers_per_unit")).exists()


def _is_settled(campaign: Campaign) -> bool:
    """Whether it is complete, no unit is open, and nothing was answered or left out for a while."""
    name = f"complete-{campaign.pk}"
    if is_complete(campaign) and not _is_in_hand(campaign):
        return has_lasted(name, _stamp(campaign))
    is_no_more(name)
    return False


def _is_in_hand(campaign: Campaign) -> bool:
    ours = Assignment.objects.filter(IN_HAND, campaign=campaign)
    over = time_ran_out(timezone.now())
    return ours.exclude(over, status=Assignment.Status.RESERVED).exists()


def _stamp(campaign: Campaign) -> tuple[int, int]:
    """Changes with every answer and every decision about one."""
    answered = Annotation.objects.filter(assignment__campaign=campaign).aggregate(pk=Max("pk"))["pk"]
    decided = UseDecision.objects.filter(assignment__campaign=campaign).aggregate(pk=Max("pk"))["pk"]
    return answered or 0, decided or 0
