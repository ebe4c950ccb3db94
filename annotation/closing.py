"""Closing a campaign once it has what it asked for."""

from datetime import timedelta

from django.db.models import Count, F, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.assignments import IN_HAND, live
from annotation.models import Annotation, Assignment
from campaigns.launch import WrongStatus, close_campaign
from campaigns.models import LABEL, Campaign, CampaignUnit

#: So long after the last answer rules and people may leave answers out, which frees their seats for others.
SETTLING = timedelta(minutes=10)


def close_complete_campaigns() -> list[Campaign]:
    """Close every open campaign that is to close with its last answer, and has it; return them."""
    waiting = Campaign.objects.filter(status=Campaign.Status.OPEN, closes_when_complete=True, label_page=LABEL)
    closed = []
    for campaign in waiting:
        if is_complete(campaign) and not _is_unsettled(campaign):
            try:
                closed.append(close_campaign(campaign))
            except WrongStatus:
                continue  # somebody closed it at this moment
    return closed


def is_complete(campaign: Campaign) -> bool:
    """Whether every unit of the study has as many answers as were wanted, counting only those that are used."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    used = live(Assignment.objects.filter(campaign_unit=OuterRef("pk"), status=Assignment.Status.ANSWERED))
    counts = used.order_by().values("campaign_unit").annotate(n=Count("pk")).values("n")
    there = study.annotate(n=Coalesce(Subquery(counts, output_field=IntegerField()), 0))
    return study.exists() and not there.filter(n__lt=F("campaign__answers_per_unit")).exists()


def _is_unsettled(campaign: Campaign) -> bool:
    """Whether somebody is still at something, or the last answer is so young that it may yet be left out."""
    ours = Assignment.objects.filter(IN_HAND, campaign=campaign)
    if ours.exclude(status=Assignment.Status.RESERVED, expires_at__lt=timezone.now()).exists():
        return True
    since = timezone.now() - SETTLING
    return Annotation.objects.filter(assignment__campaign=campaign, recorded_at__gt=since).exists()
