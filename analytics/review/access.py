"""Which units a reviewer may look into."""

from collections.abc import Collection

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Annotation, Assignment
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import CampaignUnit


def unit_for_reviewer(
    user: User, slug: str, pk: int, purposes: Collection[str] = (CampaignUnit.Purpose.STUDY,)
) -> CampaignUnit:
    """The unit, for users who may see others' answers to it. Raises Http404, PermissionDenied."""
    campaign = campaign_for(user, slug, Right.REVIEW)
    there = CampaignUnit.objects.filter(campaign=campaign, purpose__in=purposes)
    row: CampaignUnit = get_object_or_404(there.select_related("unit__item"), pk=pk)
    row.campaign = campaign
    _require_nothing_left_to_answer(row, user)
    return row


def annotation_to(row: CampaignUnit, pk: int) -> Annotation:
    """An answer to the unit. Raises Http404."""
    ours = Annotation.objects.filter(assignment__campaign_unit=row).select_related("assignment__campaign_unit")
    found: Annotation = get_object_or_404(ours, pk=pk)
    return found


def _require_nothing_left_to_answer(row: CampaignUnit, user: User) -> None:
    """Users who also label in the campaign see no answers to a unit that they may still be given."""
    answered = row.assignments.filter(annotator=user, status=Assignment.Status.ANSWERED)
    if Right.LABEL in rights_in(row.campaign, user) and not answered.exists():
        raise PermissionDenied(_("You label in this campaign yourself, and have not answered this unit."))
