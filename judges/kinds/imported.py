"""Verdicts that were given elsewhere. A judge of this kind names where they come from; it cannot be run here."""

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from protocols import Protocol

REFUSAL = reasons.NOT_RUN_HERE()


def _judge(_case: Case, _settings: Settings, _tools: Tools) -> Opinion:
    return Opinion("error", message=REFUSAL)


def _fits(_protocol: Protocol, _settings: Settings) -> Reason | None:
    return REFUSAL


IMPORTED = Kind(
    name="imported",
    version="1",
    title="Imported verdicts",
    summary="Verdicts of a judge that ran elsewhere, from a table.",
    judge=_judge,
    fits=_fits,
)
