"""The one door through which people's answers come in."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db import transaction

from accounts.models import User
from annotation.assignments import locked_assignment
from annotation.blinding import in_store, slot_at, stored_value
from annotation.hearing import still_to_hear
from annotation.models import Annotation, Answer, Assignment
from campaigns.models import Campaign
from campaigns.protocols import Protocol, ScreenAnswer, for_item, read_answers


class AnswerRefused(ValueError):
    """The answers cannot be taken any more. The message is for the annotator."""


class NotHeard(ValueError):
    """Clips were not heard as far as the campaign asks. `clips` names them by place and turn."""

    def __init__(self, clips: list[str]) -> None:
        super().__init__(f"still to hear: {', '.join(clips)}")
        self.clips = clips


@transaction.atomic
def record_answers(
    assignment_id: UUID, *, annotator: User, clicked: Mapping[str, str], idempotency_key: str
) -> Annotation:
    """Store one annotation for the assignment, whatever is sent how often.

    Raises Assignment.DoesNotExist for somebody else's assignment, InvalidAnswers for incomplete or contradictory
    ones, NotHeard where the listening rule is not met, AnswerRefused where the unit was answered otherwise, given
    to somebody else, or the campaign stopped.
    """
    assignment = locked_assignment(assignment_id, annotator)
    if earlier := Annotation.objects.filter(assignment=assignment).first():
        if earlier.idempotency_key == idempotency_key:
            return earlier
        raise AnswerRefused("You have already answered this one. Here is the next.")
    if assignment.status != Assignment.Status.RESERVED:
        raise AnswerRefused("This one was given to somebody else, because it was open for too long.")
    if assignment.campaign.status != Campaign.Status.OPEN:
        raise AnswerRefused("This campaign was paused or closed, so this answer could not be taken.")
    protocol = for_item(assignment.campaign.protocol, assignment.campaign_unit.unit.item.facts)
    answers = read_answers(protocol, clicked, n_responses=len(assignment.order))
    if unheard := still_to_hear(assignment, protocol.listening):
        raise NotHeard(unheard)
    return _store(assignment, protocol, answers, idempotency_key)


def _store(
    assignment: Assignment, protocol: Protocol, answers: Iterable[ScreenAnswer], idempotency_key: str
) -> Annotation:
    annotation = Annotation.objects.create(
        assignment=assignment, idempotency_key=idempotency_key, shown_at=assignment.shown_at
    )
    Answer.objects.bulk_create(_unblinded(annotation, protocol, said) for said in answers)
    assignment.status = Assignment.Status.ANSWERED
    assignment.save(update_fields=["status"])
    return annotation


def _unblinded(annotation: Annotation, protocol: Protocol, said: ScreenAnswer) -> Answer:
    order = annotation.assignment.order
    acceptable_a, acceptable_b = in_store(said.acceptable_1, said.acceptable_2, order)
    return Answer(
        annotation=annotation,
        aspect=said.aspect,
        slot=slot_at(said.response, order) if said.response else "",
        value=stored_value(said.value, order, protocol.aspect(said.aspect).scale.frame),
        acceptable_a=acceptable_a,
        acceptable_b=acceptable_b,
    )
