"""The volume: set by one's own ears, so there is nothing to fail."""

from accounts.models import User
from annotation.entry_gates.tries import Verdict, end_try, start_try
from campaigns.models import Gate, GateTry


def note_volume_set(gate: Gate, annotator: User) -> GateTry:
    begun = start_try(gate, annotator)
    return end_try(begun.pk, annotator=annotator, verdict=Verdict(GateTry.Outcome.PASSED))
