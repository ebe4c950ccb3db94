from campaigns.models.campaigns import Campaign, CampaignUnit, Membership, Role
from campaigns.models.clips import Clip, DeliveredClip
from campaigns.models.datasets import Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from campaigns.models.imports import Import
from campaigns.models.jobs import Job
from campaigns.models.labels import ImportedAnnotation, Label, LabelSet

__all__ = [
    "Campaign",
    "CampaignUnit",
    "Clip",
    "Dataset",
    "DeliveredClip",
    "Import",
    "ImportedAnnotation",
    "Item",
    "Job",
    "Label",
    "LabelSet",
    "Membership",
    "Response",
    "ResponseTurn",
    "Role",
    "System",
    "Turn",
    "Unit",
    "UnitMember",
]
