from campaigns.models.campaigns import BEFORE_FIRST_UNIT, CHECKS, LABEL, Campaign, CampaignUnit, Membership, Role
from campaigns.models.criteria import (
    Criterion,
    CriterionDecision,
    CriterionState,
    FrozenCriterion,
    FrozenRubric,
    NoCriteria,
)
from campaigns.models.gates import Gate, GateKind, GateTry, GuidelinesText, gates_of
from campaigns.models.invitations import Arrival, Consent, ConsentText, Invitation, Outcome, Panel
from campaigns.models.name_locks import NameLock
from campaigns.models.protocols import ProtocolVersion
from campaigns.models.quality import QualityRules
from campaigns.models.retention import Retention
from campaigns.models.traps import SpokenTraps, TrapClip, TrapRecording
from campaigns.models.webhooks import EventKind, Webhook

__all__ = [
    "BEFORE_FIRST_UNIT",
    "CHECKS",
    "LABEL",
    "Arrival",
    "Campaign",
    "CampaignUnit",
    "Consent",
    "ConsentText",
    "Criterion",
    "CriterionDecision",
    "CriterionState",
    "EventKind",
    "FrozenCriterion",
    "FrozenRubric",
    "Gate",
    "GateKind",
    "GateTry",
    "GuidelinesText",
    "Invitation",
    "Membership",
    "NameLock",
    "NoCriteria",
    "Outcome",
    "Panel",
    "ProtocolVersion",
    "QualityRules",
    "Retention",
    "Role",
    "SpokenTraps",
    "TrapClip",
    "TrapRecording",
    "Webhook",
    "gates_of",
]
