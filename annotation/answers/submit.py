"""The only function that stores people's answers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.models import User
from annotation import reasons
from annotation.answers.notes import PREFIX, Notes, read_notes, store_marks
from annotation.answers.vote_log import note_votes
from annotation.answers.webhook_events import tell_of
from annotation.assignment.next_unit import locked_assignment
from annotation.blinding import in_stored_frame
from annotation.listening.reports import Report, add_reports, clip_seconds, heard_so_far, log_of, still_to_hear
from annotation.models import Annotation, Answer, Assignment
from campaigns.models import Campaign
from campaigns.rubrics.asking import protocol_for
from infrastructure.live.announcements import announce, campaign_topic
from infrastructure.wording.reasons import Reason, Reasoned
from protocols import InvalidAnswers, Protocol, ScreenAnswer, read_answers


class AnswerRefused(Reasoned, ValueError):
    """The answers cannot be taken any more; the reason is for the annotator."""


class NotHeard(ValueError):
    """Clips were not heard as far as the campaign asks. `clips` names them by place and turn."""

    def __init__(self, clips: list[str]) -> None:
        super().__init__(f"still to hear: {', '.join(clips)}")
        self.clips = clips


@transaction.atomic
def record_answers(
    assignment_id: UUID,
    *,
    annotator: User,
    clicked: Mapping[str, str],
    idempotency_key: str,
    language: str = "",
    origin: str = "",
    reports: Sequence[Report] = (),
    campaign: Campaign | None = None,
) -> Annotation:
    """Store one annotation for the assignment, whatever is sent how often; a reopened one gets a superseding row.

    `clicked` has the answers by question, and the notes; `reports` of listening are added first, and are lost where
    the answers are refused; `campaign` is as `locked_assignment` has it. Raises ListeningRefused,
    Assignment.DoesNotExist for another annotator's assignment, InvalidAnswers for incomplete or contradictory answers
    or notes, NotHeard where the listening rule is not met, AnswerRefused where the unit was answered otherwise, given
    to another annotator, or the campaign stopped.
    """
    assignment = locked_assignment(assignment_id, annotator, campaign)
    digest = _digest(clicked)
    before = list(assignment.annotations.order_by("pk"))
    if earlier := _sent_before(before, idempotency_key, digest, final=assignment.campaign.answers_are_final):
        return earlier
    _require_in_hand(assignment)
    protocol = protocol_for(assignment.campaign, assignment.campaign_unit.unit.item)
    durations = clip_seconds(assignment)
    log = add_reports(assignment, list(reports), durations=durations) if reports else log_of(assignment)
    said = read_clicked(protocol, clicked, n_responses=len(assignment.order), durations=durations)
    if unheard := still_to_hear(log, protocol.listening, durations=durations):
        raise NotHeard(unheard)
    annotation = Annotation.objects.create(
        assignment=assignment,
        supersedes=_standing(before),
        idempotency_key=idempotency_key,
        digest=digest,
        shown_at=assignment.reopened_at or assignment.shown_at,
        confidence=said.notes.confidence,
        flag=said.notes.flag,
        listening=heard_so_far(log, order=assignment.order, durations=durations),
        language=language,
        origin=origin,
    )
    stored = (in_stored_frame(answer, protocol, assignment.order) for answer in said.answers)
    Answer.objects.bulk_create(Answer(annotation=annotation, **columns) for columns in stored)
    store_marks(annotation, said.notes.marks, order=assignment.order)
    _close(assignment)
    note_votes([assignment.pk], first=annotation.supersedes is None)
    tell_of(annotation)
    announce(campaign_topic(assignment.campaign.slug))
    return annotation


def _sent_before(
    annotations: Sequence[Annotation], idempotency_key: str, digest: str, *, final: bool
) -> Annotation | None:
    """The annotation that this very click stored earlier. Raises AnswerRefused if its answers differ."""
    earlier = next((it for it in annotations if it.idempotency_key == idempotency_key), None)
    if earlier and earlier.digest != digest:
        raise AnswerRefused(reasons.FIRST_STANDS() if final else reasons.FIRST_MAY_BE_OPENED())
    return earlier


def _close(assignment: Assignment) -> None:
    assignment.status, assignment.reopened_at = Assignment.Status.ANSWERED, None
    assignment.save(update_fields=["status", "reopened_at"])


def _standing(annotations: Sequence[Annotation]) -> Annotation | None:
    """Of all annotations of an assignment the one that none supersedes."""
    superseded = {it.supersedes_id for it in annotations}
    return next((it for it in annotations if it.pk not in superseded), None)


def _digest(clicked: Mapping[str, str]) -> str:
    """A hash of the answers, independent of the order and the empty fields of the form."""
    said = sorted((name, value) for name, value in clicked.items() if value.strip())
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _require_in_hand(assignment: Assignment) -> None:
    """Raises AnswerRefused."""
    if assignment.status == Assignment.Status.ANSWERED and not assignment.is_in_hand:
        raise AnswerRefused(reasons.ALREADY_ANSWERED())
    if not assignment.is_in_hand:
        raise AnswerRefused(reasons.OPEN_TOO_LONG())
    if assignment.campaign.has_closed:
        raise AnswerRefused(reasons.CLOSED_MEANWHILE())
    if not assignment.campaign.takes_answers:
        raise AnswerRefused(reasons.PAUSED_OR_CLOSED())


@dataclass(frozen=True)
class Said:
    answers: tuple[ScreenAnswer, ...]
    notes: Notes


def read_clicked(
    protocol: Protocol, clicked: Mapping[str, str], *, n_responses: int, durations: dict[str, float]
) -> Said:
    """Raises InvalidAnswers with everything that is wrong, in answers and notes alike."""
    noted = {name: value for name, value in clicked.items() if name.startswith(PREFIX)}
    answered = {name: value for name, value in clicked.items() if name not in noted}
    errors: dict[str, Reason] = {}
    answers: tuple[ScreenAnswer, ...] = ()
    notes = Notes()
    try:
        answers = read_answers(protocol, answered, n_responses=n_responses)
    except InvalidAnswers as invalid:
        errors |= invalid.errors
    try:
        notes = read_notes(noted, clip_seconds=durations, ask_confidence=protocol.ask_confidence)
    except InvalidAnswers as invalid:
        errors |= invalid.errors
    if errors:
        raise InvalidAnswers(errors)
    return Said(answers, notes)
