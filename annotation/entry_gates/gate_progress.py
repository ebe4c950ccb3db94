"""Progress at entry gates: which gate an annotator has to pass next, and whether they may continue."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.entry_gates.guidelines import newest_guidelines
from campaigns.models import Campaign, Gate, GateKind, GateTry, gates_of

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
class GateProgress:
    """An annotator's progress at a gate. `last` is the try that decides it, where one does."""

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
    """This person has to pass a gate first."""

    def __init__(self, progress: GateProgress) -> None:
        super().__init__(_("Something has to be done before you start."))
        self.progress = progress


def next_gate(campaign: Campaign, annotator: User) -> GateProgress | None:
    """The first gate that does not let this person through; one query where the campaign has no gates."""
    return next((one for one in progress_at_gates(campaign, annotator) if not one.lets_in), None)


def progress_at_gates(campaign: Campaign, annotator: User) -> list[GateProgress]:
    """This person's progress at every gate, in the order in which they are shown."""
    gates = gates_of(campaign)
    if not gates:
        return []
    tries = list(GateTry.objects.filter(campaign=campaign, annotator=annotator).order_by("number"))
    return [progress_from(gate, [one for one in tries if one.kind == gate.kind]) for gate in gates]


def progress_at(gate: Gate, annotator: User) -> GateProgress:
    tries = GateTry.objects.filter(campaign=gate.campaign_id, annotator=annotator, kind=gate.kind)
    return progress_from(gate, tries.order_by("number"))


def progress_from(gate: Gate, tries: Iterable[GateTry]) -> GateProgress:
    """`tries` are one person's at this gate, the first one first. What has expired counts no more."""
    tries = list(tries)
    if under_way := next((one for one in tries if one.outcome == Outcome.OPEN), None):
        return GateProgress(gate, State.UNDER_WAY, under_way)
    counting = _counting(gate, tries)
    if not counting:
        return GateProgress(gate, State.NEW, tries_left=gate.tries)
    last = counting[-1]
    left = gate.tries - sum(one.outcome == Outcome.FAILED for one in counting)
    return GateProgress(gate, _state(gate, last, left), last, max(0, left))


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
