"""Qualification: units with a known answer that is not shown; a given share must be correct."""

from annotation.entry_gates.scoring import Compared, compared
from annotation.entry_gates.tries import Verdict, end_try
from annotation.models import Assignment
from campaigns.entry_gates.settings import settings_of
from campaigns.models import CampaignUnit, Gate, GateKind, GateTry

Outcome = GateTry.Outcome


def conclude(one: GateTry) -> GateTry:
    """End the try by the share of the expected answers that was given.

    A unit whose clip did not play is left out; one that was given back for another reason has no right answer. Where
    nothing is left, the test could not run.
    """
    had = Assignment.objects.filter(
        campaign=one.campaign_id,
        annotator=one.annotator_id,
        round=one.number,
        status__in=[Assignment.Status.ANSWERED, Assignment.Status.RETURNED],
        campaign_unit__purpose=CampaignUnit.Purpose.QUALIFYING,
    ).exclude(return_reason="does_not_play")
    found = [part for row in had.select_related("campaign", "campaign_unit__unit__item") for part in compared(row)]
    return end_try(one.pk, annotator=one.annotator, verdict=_verdict(one, found))


def _verdict(one: GateTry, found: list[Compared]) -> Verdict:
    if not found:
        return Verdict(Outcome.COULD_NOT_RUN, details={"reason": "no clip played"})
    gate = Gate.objects.get(campaign=one.campaign_id, kind=GateKind.QUALIFICATION)
    n_right = sum(part.is_right for part in found)
    share = n_right / len(found)
    outcome = Outcome.PASSED if share >= settings_of(gate).threshold else Outcome.FAILED
    return Verdict(outcome, score=share, details={"right": n_right, "of": len(found)})
