"""Webhook events of a campaign's answers: ids and pseudonyms, no values of answers."""

from annotation.assignment.seats import live
from annotation.models import Annotation, Assignment
from campaigns.models import LABEL, CampaignUnit, EventKind, Membership, Role
from campaigns.webhooks.events import announce_event, is_awaited


def tell_of(annotation: Annotation) -> None:
    """Call it in the transaction that stores the annotation. It makes no query without a subscribed address."""
    campaign = annotation.assignment.campaign
    if is_awaited(campaign, EventKind.ANSWER):
        announce_event(campaign, EventKind.ANSWER, _answer(annotation))
    if is_awaited(campaign, EventKind.UNIT) and _completes(annotation):
        unit = annotation.assignment.campaign_unit
        announce_event(
            campaign,
            EventKind.UNIT,
            {"unit": unit.unit_id, "item": unit.unit.item_id, "n": campaign.answers_per_unit},
        )


def _answer(annotation: Annotation) -> dict[str, str | int | None]:
    assignment = annotation.assignment
    membership = Membership.objects.filter(
        campaign=assignment.campaign_id, user=assignment.annotator_id, role=Role.ANNOTATOR
    ).first()
    return {
        "answer": annotation.pk,
        "supersedes": annotation.supersedes_id,
        "assignment": str(assignment.pk),
        "unit": assignment.campaign_unit.unit_id,
        "item": assignment.campaign_unit.unit.item_id,
        "purpose": assignment.campaign_unit.purpose,
        "annotator": membership.pseudonym if membership else "",
    }


def _completes(annotation: Annotation) -> bool:
    """Whether this first answer of an annotator is the last that the unit needs. Units of an arena need no number."""
    assignment = annotation.assignment
    campaign, unit = assignment.campaign, assignment.campaign_unit
    if annotation.supersedes_id or campaign.label_page != LABEL or unit.purpose != CampaignUnit.Purpose.STUDY:
        return False
    answered = live(Assignment.objects.filter(campaign_unit=unit, status=Assignment.Status.ANSWERED))
    return answered.count() == campaign.answers_per_unit
