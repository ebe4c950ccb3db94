"""Entries of the audit log about a campaign."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import AuditEntry, User
from campaigns.models import Campaign


def record_in(campaign: Campaign, event: AuditEvent, *, by: User | None, **params: int | float | str) -> AuditEntry:
    """Append what happened to the campaign, in the transaction of the change. `by` is None for the installation."""
    return record(event, by=by, kind=Subject.CAMPAIGN, number=campaign.pk, name=campaign.title, **params)


@transaction.atomic
def record_once_a_day(campaign: Campaign, event: AuditEvent, *, by: User, **params: int | float | str) -> None:
    """For what is read, perhaps many times: one entry for each person, campaign and day."""
    today = AuditEntry.objects.filter(at__gte=timezone.now() - timedelta(days=1), event=event.code, by=by)
    there = today.filter(subject_kind=AuditEntry.Subject.CAMPAIGN, subject_number=campaign.pk)
    if params not in list(there.values_list("params", flat=True)):
        record_in(campaign, event, by=by, **params)
