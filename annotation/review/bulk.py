"""Reviewers leave out the answers to many units at once, or take them in again; many answers are a job's work."""

from collections.abc import Collection, Iterator
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
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
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason

KIND = "bulk-decision"
#: So many answers are decided about in one transaction; no more, and it is done before the page comes back.
AT_ONCE = 500
UNITS_AT_ONCE = 5000
LEFT_OUT = AuditEvent(
    "answers_left_out", gettext_lazy("A reviewer left out the answers to %(units)s units; reason: %(reason)s.")
)
TAKEN_IN = AuditEvent(
    "answers_taken_in", gettext_lazy("A reviewer took in the answers to %(units)s units again; reason: %(reason)s.")
)
STOPPED = AuditEvent(
    "bulk_decision_stopped",
    gettext_lazy("A reviewer stopped a decision about answers; %(answers)s answers were decided about."),
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


@transaction.atomic
def stop_bulk(row: BulkDecision, *, reviewer: User) -> BulkDecision:
    """End it after the step that is being done. What was decided stays, and can be undone; over already: as it is."""
    if _settle(row.pk):
        row.refresh_from_db(fields=["n_answers"])
        record_in(row.campaign, STOPPED, by=reviewer, answers=row.n_answers or 0)
    return row


def carry_out(subject: str, show_progress: ShowProgress) -> None:
    """Decide about each answer; what was decided before a server ended is not decided again.

    Ends where the decision was stopped: each step looks, and nobody can stop it within a step.
    """
    row = BulkDecision.objects.filter(pk=subject, n_answers=None).select_related("campaign", "by").first()
    if row is None:
        return
    todo = [pk for some in _to_decide(row) for pk in some.values_list("pk", flat=True)]
    for done in range(0, len(todo), AT_ONCE):
        show_progress(done, len(todo), DECIDING())
        if not _decide(row, todo[done : done + AT_ONCE]):
            return
    _settle(row.pk)
    show_progress(len(todo), len(todo), DECIDING())


def end_cancelled(subject: str) -> None:
    """Its job was cancelled: it is through with what was decided."""
    _settle(subject)


def go_on(job: Job) -> None:
    """Its job is run again: what was left is decided, unless somebody undid the rest."""
    BulkDecision.objects.filter(pk=job.subject, undone_by=None).update(n_answers=None)


def last_bulk(campaign: Campaign, reviewer: User) -> BulkDecision | None:
    """What this reviewer decided last about many answers; decisions that changed none are passed over."""
    mine = BulkDecision.objects.filter(campaign=campaign, by=reviewer).exclude(n_answers=0)
    return mine.defer("units").order_by("pk").last()


def _begin(row: BulkDecision) -> None:
    if _are_many(row):
        start_job(KIND, subject=row.pk, started_by=row.by)
    else:
        carry_out(str(row.pk), _show_nothing)
        row.refresh_from_db(fields=["n_answers"])


def _show_nothing(_done: int, _total: int, _note: Reason) -> None:
    """Nobody watches what is over at once."""


def _settle(pk: str | int) -> bool:
    """It is through, with so many answers; False if it was already. Waits for the step that is being done."""
    with transaction.atomic():
        row = BulkDecision.objects.select_for_update().filter(pk=pk, n_answers=None).first()
        if row is None:
            return False
        BulkDecision.objects.filter(pk=row.pk).update(n_answers=row.decisions.count())
        return True


def _to_decide(row: BulkDecision) -> Iterator[QuerySet[Assignment]]:
    """Answers that are left, so many units at a time: databases limit how many values a query names."""
    there = Assignment.objects.filter(
        campaign=row.campaign, status=Assignment.Status.ANSWERED, excluded=row.use
    ).order_by("campaign_unit", "pk")
    if row.undoes_id:
        later = UseDecision.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
        standing = UseDecision.objects.filter(~Exists(later), bulk=row.undoes_id)
        yield there.filter(pk__in=standing.values("assignment"))
        return
    if row.annotator_id:
        there = there.filter(annotator=row.annotator_id)
    for begin in range(0, len(row.units), UNITS_AT_ONCE):
        yield there.filter(campaign_unit__in=row.units[begin : begin + UNITS_AT_ONCE])


def _are_many(row: BulkDecision) -> bool:
    """Whether more are left than are decided about at once; the database counts no further."""
    n = 0
    return any((n := n + some.order_by()[: AT_ONCE + 1].count()) > AT_ONCE for some in _to_decide(row))


@transaction.atomic
def _decide(row: BulkDecision, assignments: Collection[UUID]) -> bool:
    """False if the decision was stopped; whoever stops it waits until this step is over."""
    if not BulkDecision.objects.select_for_update().filter(pk=row.pk, n_answers=None).exists():
        return False
    decide = include_answers if row.use else exclude_answers
    some = Assignment.objects.filter(pk__in=assignments)
    decide(some, reason=row.reason, decider=Decider(person=row.by), comment=row.comment, bulk=row)
    return True
