"""The actions of entry gates: a try begins, an answer is recorded, a try ends. Ended tries never change."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.entry_gates.gate_progress import State, progress_at
from campaigns.models import Gate, GateTry

#: Why a check could not run, in the annotator's words.
MAX_REASON = 500


class NoTryLeft(ValueError):
    """There is nothing to begin here: it is over for this person, for now or for good."""


@dataclass(frozen=True)
class Verdict:
    """How a try ended. `score` is what the gate measures: trials right, dB, or a share."""

    outcome: str
    score: float | None = None
    details: dict[str, Any] = field(default_factory=dict)


def start_try(gate: Gate, annotator: User, *, drawn: dict[str, Any] | None = None) -> GateTry:
    """Begin, or go on with what was begun, in this tab or another. Raises NoTryLeft."""
    try:
        with transaction.atomic():
            return _started(gate, annotator, drawn or {})
    except IntegrityError:
        # This person's other tab was faster; the constraint on open tries has the last word.
        return _started(gate, annotator, drawn or {})


def _started(gate: Gate, annotator: User, drawn: dict[str, Any]) -> GateTry:
    now = progress_at(gate, annotator)
    if now.state == State.UNDER_WAY and now.last:
        return now.last
    if not now.may_start:
        raise NoTryLeft(_("There is no further try at this."))
    earlier = GateTry.objects.filter(campaign=gate.campaign_id, annotator=annotator, kind=gate.kind)
    number = (earlier.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    return GateTry.objects.create(
        campaign_id=gate.campaign_id, annotator=annotator, kind=gate.kind, number=number, drawn=drawn
    )


@transaction.atomic
def say(
    try_id: UUID,
    *,
    annotator: User,
    trial: int,
    what: Any,
    verdict: Callable[[GateTry], Verdict | None] = lambda _: None,
) -> GateTry:
    """Add the answer to the trial of this number (from 0), and end the try if `verdict` says so.

    An answer that arrives twice, or too early, changes nothing. Raises GateTry.DoesNotExist for another person's try.
    """
    one = GateTry.objects.select_for_update().get(pk=try_id, annotator=annotator)
    if one.outcome != GateTry.Outcome.OPEN or trial != len(one.said):
        return one
    one.said = [*one.said, what]
    one.save(update_fields=["said"])
    return _ended(one, found) if (found := verdict(one)) else one


@transaction.atomic
def end_try(try_id: UUID, *, annotator: User, verdict: Verdict) -> GateTry:
    """End a try; one that has ended stays unchanged. Raises GateTry.DoesNotExist for another person's try."""
    one = GateTry.objects.select_for_update().get(pk=try_id, annotator=annotator)
    return one if one.outcome != GateTry.Outcome.OPEN else _ended(one, verdict)


def could_not_run(try_id: UUID, *, annotator: User, reason: str) -> GateTry:
    """End a try that could not be made, which is never a failure."""
    reason = reason.replace("\x00", "").strip()[:MAX_REASON]
    verdict = Verdict(GateTry.Outcome.COULD_NOT_RUN, details={"reason": reason})
    return end_try(try_id, annotator=annotator, verdict=verdict)


def _ended(one: GateTry, verdict: Verdict) -> GateTry:
    one.outcome, one.score, one.details = verdict.outcome, verdict.score, verdict.details
    one.ended_at = timezone.now()
    one.save(update_fields=["outcome", "score", "details", "ended_at"])
    return one
