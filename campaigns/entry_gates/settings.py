"""What is particular to each kind of gate, and how a campaign has it unless it says otherwise."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from campaigns.audio.signals.staircase import EASIEST_DB, HARDEST_DB
from campaigns.models import Gate, GateKind

OnFailure = Gate.OnFailure
HEADPHONE_TRIALS = 6


@dataclass(frozen=True)
class NoSettings:
    """Of a gate of which nothing can be chosen."""


@dataclass(frozen=True)
class HeadphoneSettings:
    """So many of the six trials have to be right. Who guesses gets five with a chance of 1.8 %."""

    pass_at: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.pass_at <= HEADPHONE_TRIALS:
            raise ValueError(_("There are %(n)s trials.") % {"n": HEADPHONE_TRIALS})


@dataclass(frozen=True)
class EnvironmentSettings:
    """The signal-to-noise ratio in dB up to which noise has to be noticed."""

    pass_db: float = 36.0

    def __post_init__(self) -> None:
        if not EASIEST_DB <= self.pass_db <= HARDEST_DB:
            raise ValueError(_("From %(least)s to %(most)s dB.") % {"least": EASIEST_DB, "most": HARDEST_DB})


@dataclass(frozen=True)
class QualificationSettings:
    """The share of the expected answers that has to be given."""

    threshold: float = 0.75

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ValueError(_("A share lies above 0 and is at most 1."))


Settings = NoSettings | HeadphoneSettings | EnvironmentSettings | QualificationSettings
SETTINGS: dict[str, type[Settings]] = {
    GateKind.GUIDELINES: NoSettings,
    GateKind.VOLUME: NoSettings,
    GateKind.HEADPHONES: HeadphoneSettings,
    GateKind.ENVIRONMENT: EnvironmentSettings,
    GateKind.TRAINING: NoSettings,
    GateKind.QUALIFICATION: QualificationSettings,
}


@dataclass(frozen=True)
class GatePlan:
    """A gate as a researcher wants it."""

    on_failure: str = OnFailure.LET_IN
    tries: int = 1
    valid_minutes: int | None = None
    settings: Settings = field(default_factory=NoSettings)

    def columns(self) -> dict[str, Any]:
        return {**vars(self), "settings": asdict(self.settings)}


#: Headphone and surroundings checks depend on the device as much as on the person, so they exclude no one by default.
USUAL: dict[str, GatePlan] = {
    GateKind.GUIDELINES: GatePlan(),
    GateKind.VOLUME: GatePlan(),
    GateKind.HEADPHONES: GatePlan(tries=2, settings=HeadphoneSettings()),
    GateKind.ENVIRONMENT: GatePlan(tries=2, valid_minutes=30, settings=EnvironmentSettings()),
    GateKind.TRAINING: GatePlan(valid_minutes=60),
    GateKind.QUALIFICATION: GatePlan(OnFailure.TURN_AWAY, tries=2, settings=QualificationSettings()),
}
#: Gates that can be failed, and those that consist of units.
CAN_BE_FAILED = (GateKind.HEADPHONES, GateKind.ENVIRONMENT, GateKind.QUALIFICATION)
OF_UNITS = (GateKind.TRAINING, GateKind.QUALIFICATION)


def read_settings(kind: str, document: Mapping[str, Any]) -> Settings:
    """Raises ValueError for what no gate of the kind can mean."""
    try:
        return SETTINGS[kind](**document)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{document!r} are no settings of the gate {kind}") from error


def settings_of(gate: Gate) -> Any:
    return read_settings(gate.kind, gate.settings)
