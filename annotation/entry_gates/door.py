"""The door: which gate somebody stands at, and whether they may go on."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.entry_gates.guidelines import newest_guidelines
from campaigns.models import Campaign, Gate, GateKind, GateTry

Outcome = GateTry.Outcome


class State(StrEnum):
    NEW = "new"
    UNDER_WAY = "under_way"
    PASSED = "passed"
    AGAIN = "again"
    LET_IN = "let_in"
    COULD_NOT_RUN = "could_not_run"
    TURNED_AWAY = "turned_away"


@dataclass(frozen=True)
class Standing:
    """Where somebody stands at a gate. `last` is the try that decides it, where one does."""

    gate: Gate
    state: State
    last: GateTry | None = None
    tries_left: int = 0

    @property
    def lets_in(self) -> bool:
        return self.state in (State.PASSED, State.LET_IN)

    @property
    def may_start(self) -> bool:
        return self.state in (State.NEW, State.AGAIN, State.COULD_NOT_RUN)


class GateNeeded(ValueError):
    """Nothing goes on before this person has been at a gate."""

    def __init__(self, standing: Standing) -> None:
        super().__init__(_("There is something to do before you begin."))
        self.standing = standing


def next_gate(campaign: Campaign, annotator: User) -> Standing | None:
    """The first gate that does not let this person through; one query where the campaign has no gates."""
    return next((one for one in standings(campaign, annotator) if not one.lets_in), None)


def standings(campaign: Campaign, annotator: User) -> list[Standing]:
    """Where this person stands at every gate, in the order in which they are met."""
    gates = campaign.asked_at_the_door
    if not gates:
        return []
    tries = list(GateTry.objects.filter(campaign=campaign, annotator=annotator).order_by("number"))
    return [standing_at(gate, [one for one in tries if one.kind == gate.kind]) for gate in gates]


def standing(gate: Gate, annotator: User) -> Standing:
    tries = GateTry.objects.filter(campaign=gate.campaign_id, annotator=annotator, kind=gate.kind)
    return standing_at(gate, tries.order_by("number"))


def standing_at(gate: Gate, tries: Iterable[GateTry]) -> Standing:
    """`tries` are one person's at this gate, the first one first. What has expired counts no more."""
    tries = list(tries)
    if under_way := next((one for one in tries if one.outcome == Outcome.OPEN), None):
        return Standing(gate, State.UNDER_WAY, under_way)
    counting = _counting(gate, tries)
    if not counting:
        return Standing(gate, State.NEW, tries_left=gate.tries)
    last = counting[-1]
    left = gate.tries - sum(one.outcome == Outcome.FAILED for one in counting)
    return Standing(gate, _state(gate, last, left), last, max(0, left))


def _state(gate: Gate, last: GateTry, left: int) -> State:
    lets_in = gate.on_failure == Gate.OnFailure.LET_IN
    if last.outcome == Outcome.PASSED:
        return State.PASSED
    if last.outcome == Outcome.COULD_NOT_RUN:
        return State.LET_IN if lets_in else State.COULD_NOT_RUN
    if left > 0:
        return State.AGAIN
    return State.LET_IN if lets_in else State.TURNED_AWAY


def _counting(gate: Gate, tries: list[GateTry]) -> list[GateTry]:
    """Those that have not expired, and of guidelines those of the newest version."""
    if tries and gate.kind == GateKind.GUIDELINES:
        newest = newest_guidelines(gate.campaign)
        return [one for one in tries if newest and one.details.get("version") == newest.version]
    if gate.valid_minutes is None:
        return tries
    since = timezone.now() - timedelta(minutes=gate.valid_minutes)
    return [one for one in tries if one.ended_at and one.ended_at > since]
