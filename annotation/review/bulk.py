"""Reviewers leave out the answers to many units at once, or take them in again; many answers are a job's work."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from annotation.models import Assignment, BulkDecision, UseDecision
from annotation.reasons import DECIDING, STILL_DECIDING
from annotation.review.adjudication import NotForReview
from annotation.review.exclusions import Decider, check_reason, exclude_answers, include_answers
from campaigns.access import Right, rights_in
from campaigns.audit_log import record_in
from campaigns.models import Campaign, CampaignUnit
from infrastructure.background.jobs import start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason

KIND = "bulk-decision"
#: So many answers are decided about in one transaction; no more, and it is done before the page comes back.
AT_ONCE = 500
LEFT_OUT = AuditEvent(
    "answers_left_out", gettext_lazy("A reviewer left out the answers to %(units)s units; reason: %(reason)s.")
)
TAKEN_IN = AuditEvent(
    "answers_taken_in", gettext_lazy("A reviewer took in the answers to %(units)s units again; reason: %(reason)s.")
)
UNDONE = AuditEvent(
    "bulk_decision_undone", gettext_lazy("A reviewer undid a decision about the answers to %(units)s units.")
)


@transaction.atomic
def decide_in_bulk(
    campaign: Campaign,
    units: Collection[int],
    *,
    reviewer: User,
    use: bool,
    reason: str,
    comment: str = "",
    annotator: User | None = None,
) -> BulkDecision:
    """Leave out (or take in again) all answers to these units, or those of one annotator.

    Control units are passed over, and for a reviewer who also labels every unit that they have not answered. Raises
    ValueError for an unknown reason and a comment that is too long.
    """
    check_reason(reason, comment)
    there = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("pk")
    if Right.LABEL in rights_in(campaign, reviewer):
        own = Assignment.objects.filter(annotator=reviewer, status=Assignment.Status.ANSWERED)
        there = there.filter(pk__in=own.values("campaign_unit"))
    wanted = set(units)
    row = BulkDecision.objects.create(
        campaign=campaign,
        by=reviewer,
        use=use,
        reason=reason,
        comment=comment,
        annotator=annotator,
        units=[pk for pk in there.values_list("pk", flat=True) if pk in wanted],
    )
    record_in(campaign, TAKEN_IN if use else LEFT_OUT, by=reviewer, units=len(row.units), reason=reason)
    _begin(row)
    return row


@transaction.atomic
def undo_bulk(row: BulkDecision, *, reviewer: User) -> BulkDecision:
    """Turn round what this decision changed, except where somebody has decided since. Undone already: nothing new.

    Raises NotForReview while it is still being done.
    """
    BulkDecision.objects.select_for_update().get(pk=row.pk)
    if before := BulkDecision.objects.filter(undoes=row).first():
        return before
    if row.n_answers is None:
        raise NotForReview(str(STILL_DECIDING()))
    made = BulkDecision.objects.create(
        campaign=row.campaign,
        by=reviewer,
        use=not row.use,
        reason=row.reason,
        comment=row.comment,
        annotator=row.annotator,
        units=row.units,
        undoes=row,
    )
    record_in(row.campaign, UNDONE, by=reviewer, units=len(row.units))
    _begin(made)
    return made


def carry_out(subject: str, show_progress: ShowProgress) -> None:
    """Decide about each answer; what was decided before a server ended is not decided again."""
    row = BulkDecision.objects.filter(pk=subject, n_answers=None).select_related("campaign", "by").first()
    if row is None:
        return
    todo = _to_decide(row)
    for done in range(0, len(todo), AT_ONCE):
        show_progress(done, len(todo), DECIDING())
        _decide(row, todo[done : done + AT_ONCE])
    BulkDecision.objects.filter(pk=row.pk).update(n_answers=row.decisions.count())
    show_progress(len(todo), len(todo), DECIDING())


def last_bulk(campaign: Campaign, reviewer: User) -> BulkDecision | None:
    """What this reviewer decided last about many answers."""
    return BulkDecision.objects.filter(campaign=campaign, by=reviewer).defer("units").order_by("pk").last()


def _begin(row: BulkDecision) -> None:
    if len(_to_decide(row)) > AT_ONCE:
        start_job(KIND, subject=row.pk, started_by=row.by)
    else:
        carry_out(str(row.pk), _show_nothing)
        row.refresh_from_db(fields=["n_answers"])


def _show_nothing(_done: int, _total: int, _note: Reason) -> None:
    """Nobody watches what is over at once."""


def _to_decide(row: BulkDecision) -> list[UUID]:
    if row.undoes_id:
        later = UseDecision.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
        standing = UseDecision.objects.filter(~Exists(later), bulk=row.undoes_id).order_by("pk")
        return list(standing.values_list("assignment", flat=True))
    there = Assignment.objects.filter(
        campaign=row.campaign, status=Assignment.Status.ANSWERED, excluded=row.use
    ).order_by("campaign_unit", "pk")
    if row.annotator_id:
        there = there.filter(annotator=row.annotator_id)
    units = set(row.units)
    return [pk for pk, unit in there.values_list("pk", "campaign_unit") if unit in units]


def _decide(row: BulkDecision, assignments: Collection[UUID]) -> None:
    decide = include_answers if row.use else exclude_answers
    some = Assignment.objects.filter(pk__in=assignments)
    decide(some, reason=row.reason, decider=Decider(person=row.by), comment=row.comment, bulk=row)
