"""Guidelines: read once, and again when there is a new version."""

from accounts.models import User
from annotation.entry_gates.tries import Verdict, end_try, start_try
from campaigns.entry_gates.guidelines import newest_guidelines
from campaigns.models import Gate, GateTry


class AnotherVersion(ValueError):
    """What was read is not the newest text."""


def note_reading(gate: Gate, annotator: User, *, version: str) -> GateTry:
    """Record which version the annotator read. Raises AnotherVersion where there is a newer one, or none."""
    newest = newest_guidelines(gate.campaign)
    if newest is None or str(newest.version) != version:
        raise AnotherVersion("The text has changed meanwhile.")
    begun = start_try(gate, annotator)
    verdict = Verdict(GateTry.Outcome.PASSED, details={"version": newest.version})
    return end_try(begun.pk, annotator=annotator, verdict=verdict)
