from campaigns.models.campaigns import AT_THE_DOOR, CHECKS, LABEL, Campaign, CampaignUnit, Membership, Role
from campaigns.models.clips import Clip, DeliveredClip
from campaigns.models.criteria import (
    Criterion,
    CriterionDecision,
    CriterionState,
    FrozenCriterion,
    FrozenRubric,
    NoCriteria,
)
from campaigns.models.datasets import Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from campaigns.models.gates import Gate, GateKind, GateTry, GuidelinesText
from campaigns.models.imports import Import
from campaigns.models.invitations import Arrival, Consent, ConsentText, Invitation, Outcome, Panel
from campaigns.models.jobs import Job
from campaigns.models.labels import ImportedAnnotation, Label, LabelSet
from campaigns.models.protocols import ProtocolVersion
from campaigns.models.quality import QualityRules
from campaigns.models.retention import Retention
from campaigns.models.traps import SpokenTraps, TrapClip, TrapRecording
from campaigns.models.webhooks import Delivery, EventKind, Webhook
from campaigns.models.workers import WorkerBeat

__all__ = [
    "AT_THE_DOOR",
    "CHECKS",
    "LABEL",
    "Arrival",
    "Campaign",
    "CampaignUnit",
    "Clip",
    "Consent",
    "ConsentText",
    "Criterion",
    "CriterionDecision",
    "CriterionState",
    "Dataset",
    "DeliveredClip",
    "Delivery",
    "EventKind",
    "FrozenCriterion",
    "FrozenRubric",
    "Gate",
    "GateKind",
    "GateTry",
    "GuidelinesText",
    "Import",
    "ImportedAnnotation",
    "Invitation",
    "Item",
    "Job",
    "Label",
    "LabelSet",
    "Membership",
    "NoCriteria",
    "Outcome",
    "Panel",
    "ProtocolVersion",
    "QualityRules",
    "Response",
    "ResponseTurn",
    "Retention",
    "Role",
    "SpokenTraps",
    "System",
    "TrapClip",
    "TrapRecording",
    "Turn",
    "Unit",
    "UnitMember",
    "Webhook",
    "WorkerBeat",
]
