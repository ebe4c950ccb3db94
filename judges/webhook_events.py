"""Webhook events of a campaign's runs of judges."""

from campaigns.models import EventKind
from campaigns.webhooks.events import announce_event
from judges.models import ACTIVE, Run


def tell_of_end(run: Run, status: str) -> None:
    """Call it in the transaction that ends the run. A pause is no end."""
    if status not in ACTIVE and status != Run.Status.PAUSED:
        announce_event(run.campaign, EventKind.RUN, {"run": run.pk, "judge": run.judge_id, "status": str(status)})
