"""Entries of the audit log about a campaign."""

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import AuditEntry, User
from campaigns.models import Campaign


def record_in(campaign: Campaign, event: AuditEvent, *, by: User | None, **params: int | float | str) -> AuditEntry:
    """Append what happened to the campaign, in the transaction of the change. `by` is None for the installation."""
    return record(event, by=by, kind=Subject.CAMPAIGN, number=campaign.pk, name=campaign.title, **params)
