"""Whose board may be seen by whom."""

from django.http import Http404

from accounts.models import User
from analytics.data.votes.table import Subject
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from corpus.access import datasets_for
from corpus.models import LabelSet
from infrastructure.whole_numbers import whole_number


def label_set_for(user: User, pk: int) -> LabelSet:
    """Raises Http404 where it is none of the user's business."""
    found = LabelSet.objects.filter(pk=pk, dataset__in=datasets_for(user)).select_related("dataset").first()
    if found is None:
        raise Http404("There is no such label set among yours.")
    return found


def watched_subject(user: User, name: str) -> Subject:
    """The subject of the topic `standing:<name>`, for those who may view it. Raises Http404, PermissionDenied."""
    kind, _, number = name.partition("-")
    if (pk := whole_number(number)) is None or kind not in {"campaign", "labels"}:
        raise Http404("There is no such board.")
    if kind == "labels":
        return label_set_for(user, pk)
    campaign = Campaign.objects.filter(pk=pk).first()
    if campaign is None:
        raise Http404("There is no such board.")
    return campaign_for(user, campaign.slug, Right.VIEW)
