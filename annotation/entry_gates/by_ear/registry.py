"""The checks by ear. A new one is a module and a line here."""

from annotation.entry_gates.by_ear.environment import ENVIRONMENT
from annotation.entry_gates.by_ear.headphones import HEADPHONES
from annotation.entry_gates.by_ear.trials import EarCheck
from campaigns.models import GateKind

EAR_CHECKS: dict[str, EarCheck] = {GateKind.HEADPHONES: HEADPHONES, GateKind.ENVIRONMENT: ENVIRONMENT}
