"""The checks by ear. A new one is a module and a line here."""

from annotation.gates.environment import ENVIRONMENT
from annotation.gates.headphones import HEADPHONES
from annotation.gates.trials import EarCheck
from campaigns.models import GateKind

EAR_CHECKS: dict[str, EarCheck] = {GateKind.HEADPHONES: HEADPHONES, GateKind.ENVIRONMENT: ENVIRONMENT}
