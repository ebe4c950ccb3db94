"""Training: units with a known answer, which is shown and explained after each of them. It cannot be failed."""

from uuid import UUID

from django.db.models import QuerySet

from accounts.models import User
from annotation.entry_gates.scoring import compared
from annotation.entry_gates.tries import Verdict, end_try, say
from annotation.models import Assignment
from campaigns.models import CampaignUnit, GateTry


def awaiting_feedback(one: GateTry) -> Assignment | None:
    """The unit that was answered in this try and not explained yet."""
    return (
        _answered(one)
        .exclude(pk__in=[UUID(unit) for unit in one.said])
        .select_related("campaign", "campaign_unit__unit__item")
        .order_by("reserved_at")
        .first()
    )


def note_feedback_read(one: GateTry, annotator: User, *, assignment: str) -> GateTry:
    """The annotator has read the explanation of a unit."""
    waiting = awaiting_feedback(one)
    if waiting is None or str(waiting.pk) != assignment:
        return one
    return say(one.pk, annotator=annotator, trial=len(one.said), what=assignment)


def conclude(one: GateTry) -> GateTry:
    """`score` is the share of the expected answers that was given; it decides nothing."""
    found = [part for assignment in _answered(one).select_related("campaign_unit") for part in compared(assignment)]
    n_right = sum(part.is_right for part in found)
    verdict = Verdict(
        GateTry.Outcome.PASSED,
        score=n_right / len(found) if found else None,
        details={"right": n_right, "of": len(found)},
    )
    return end_try(one.pk, annotator=one.annotator, verdict=verdict)


def _answered(one: GateTry) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        campaign=one.campaign_id,
        annotator=one.annotator_id,
        round=one.number,
        status=Assignment.Status.ANSWERED,
        campaign_unit__purpose=CampaignUnit.Purpose.TRAINING,
    )
