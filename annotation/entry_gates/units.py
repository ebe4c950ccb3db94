"""Training and qualifying units: the ordinary label page, before the units of the study and apart from them."""

from django.db.models import QuerySet

from accounts.models import User
from annotation.entry_gates import qualification, training
from annotation.entry_gates.gate_progress import GateNeeded, GateProgress, State, progress_at
from annotation.models import Assignment
from campaigns.entry_gates.gates import UNITS_OF
from campaigns.models import CampaignUnit, GateKind, GateTry


def due_unit(now: GateProgress, annotator: User) -> CampaignUnit:
    """The unit that comes next in the try under way. Raises GateNeeded where the gate's page has the word."""
    if now.state != State.UNDER_WAY or now.last is None:
        raise GateNeeded(now)
    if now.gate.kind == GateKind.TRAINING and training.awaiting_feedback(now.last):
        raise GateNeeded(now)
    units = now.gate.campaign.campaign_units.filter(purpose=UNITS_OF[GateKind(now.gate.kind)])
    had = units_had(now.last).exclude(status=Assignment.Status.EXPIRED)
    due = units.exclude(pk__in=had.values("campaign_unit")).order_by("position").select_related("unit").first()
    if due is None:
        conclude = training.conclude if now.gate.kind == GateKind.TRAINING else qualification.conclude
        conclude(now.last)
        raise GateNeeded(progress_at(now.gate, annotator))
    return due


def units_had(one: GateTry) -> QuerySet[Assignment]:
    """What came in this try."""
    return Assignment.objects.filter(
        campaign=one.campaign_id,
        annotator=one.annotator_id,
        round=one.number,
        campaign_unit__purpose=UNITS_OF[GateKind(one.kind)],
    ).exclude(status=Assignment.Status.PLANNED)
