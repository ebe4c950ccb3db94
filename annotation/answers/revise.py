"""Changing the last answer: its unit opens again with the stored answer, and a new answer supersedes it."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation import reasons
from annotation.answers.notes import shown_marks
from annotation.assignment.next_unit import CampaignNotOpen, locked_assignment
from annotation.blinding import in_store
from annotation.models import AdjudicatedAnswer, Annotation, Answer, Assignment
from campaigns.entry_gates.gates import ids_before_first_unit
from campaigns.models import Campaign
from infrastructure.wording.reasons import Reasoned
from protocols import CONFIDENCE, Protocol
from protocols.questions import question_name


class NothingToTakeBack(Reasoned, ValueError):
    """There is no answer of this annotator here, or none that may change."""


@transaction.atomic
def take_back(campaign: Campaign, annotator: User) -> Assignment:
    """Open the annotator's last answered unit again. Until a new answer is submitted, the earlier one is valid.

    Raises CampaignNotOpen, NothingToTakeBack.
    """
    if not campaign.takes_answers:
        raise CampaignNotOpen(reasons.NOT_OPEN())
    if campaign.answers_are_final:
        raise NothingToTakeBack(reasons.ANSWERS_ARE_FINAL())
    current = Annotation.objects.filter(
        assignment__campaign=campaign, assignment__annotator=annotator, superseded_by=None
    )
    current = current.exclude(assignment__campaign_unit__in=ids_before_first_unit(campaign.pk))
    last = current.order_by("-recorded_at", "-pk").values_list("assignment", flat=True).first()
    if last is None:
        raise NothingToTakeBack(reasons.NOTHING_ANSWERED())
    assignment = locked_assignment(last, annotator, campaign)
    if assignment.reopened_at is None:
        assignment.reopened_at = timezone.now()
        assignment.save(update_fields=["reopened_at"])
    return assignment


@transaction.atomic
def leave_as_it_was(assignment_id: UUID, *, annotator: User, campaign: Campaign | None = None) -> Assignment:
    """Close a reopened assignment without a new answer. Raises Assignment.DoesNotExist for another annotator's."""
    assignment = locked_assignment(assignment_id, annotator, campaign)
    assignment.reopened_at = None
    assignment.save(update_fields=["reopened_at"])
    return assignment


def said_before(assignment: Assignment, protocol: Protocol) -> dict[str, str]:
    """The standing answer to a reopened assignment as the form would send it: by question, in the screen's frame."""
    annotation = assignment.annotations.prefetch_related("answers", "marks").get(superseded_by=None)
    said: dict[str, str] = {}
    for answer in annotation.answers.all():
        said |= as_clicked(answer, protocol, assignment.order)
    notes = {
        CONFIDENCE.name: str(annotation.confidence or ""),
        "note.flag": annotation.flag,
        "note.marks": shown_marks(annotation, order=assignment.order),
    }
    return said | {name: value for name, value in notes.items() if value not in ("", "[]")}


def as_clicked(answer: Answer | AdjudicatedAnswer, protocol: Protocol, order: str) -> dict[str, str]:
    """The answer as the form would send it on a screen with this order."""
    value = protocol.aspect(answer.aspect).scale.kind.shown(answer.value, order)
    if protocol.elicitation == "direct":
        place = order.index(answer.slot) + 1 if answer.slot else None
        return {question_name(answer.aspect, place): value}
    first, second = in_store(answer.acceptable_a, answer.acceptable_b, order)
    steps = {"acceptable_1": "yes" if first else "no", "acceptable_2": "yes" if second else "no"}
    if first and second:
        steps["better"] = value
    return {f"{answer.aspect}.{step}": clicked for step, clicked in steps.items()}
