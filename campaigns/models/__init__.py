from campaigns.models.campaigns import AT_THE_DOOR, NOT_CHECKS, Campaign, CampaignUnit, Membership, Role
from campaigns.models.clips import Clip, DeliveredClip
from campaigns.models.datasets import Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from campaigns.models.gates import Gate, GateKind, GateTry, GuidelinesText
from campaigns.models.imports import Import
from campaigns.models.invitations import Arrival, Consent, ConsentText, Invitation, Outcome, Panel
from campaigns.models.jobs import Job
from campaigns.models.labels import ImportedAnnotation, Label, LabelSet
from campaigns.models.protocols import ProtocolVersion
from campaigns.models.workers import WorkerBeat

__all__ = [
    "AT_THE_DOOR",
    "NOT_CHECKS",
    "Arrival",
    "Campaign",
    "CampaignUnit",
    "Clip",
    "Consent",
    "ConsentText",
    "Dataset",
    "DeliveredClip",
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
    "Outcome",
    "Panel",
    "ProtocolVersion",
    "Response",
    "ResponseTurn",
    "Role",
    "System",
    "Turn",
    "Unit",
    "UnitMember",
    "WorkerBeat",
]
