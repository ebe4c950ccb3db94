from campaigns.models.campaigns import Campaign, CampaignUnit, Membership, Role
from campaigns.models.clips import Clip, DeliveredClip
from campaigns.models.datasets import Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from campaigns.models.imports import Import
from campaigns.models.invitations import Arrival, Consent, ConsentText, Invitation, Outcome, Panel
from campaigns.models.jobs import Job
from campaigns.models.labels import ImportedAnnotation, Label, LabelSet
from campaigns.models.protocols import ProtocolVersion
from campaigns.models.quality import QualityRules

__all__ = [
    "Arrival",
    "Campaign",
    "CampaignUnit",
    "Clip",
    "Consent",
    "ConsentText",
    "Dataset",
    "DeliveredClip",
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
    "QualityRules",
    "Response",
    "ResponseTurn",
    "Role",
    "System",
    "Turn",
    "Unit",
    "UnitMember",
]
