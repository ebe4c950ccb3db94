"""Entries of the audit log about a campaign, and about what is downloaded of it or of a dataset."""

from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record, record_once_a_day
from accounts.models import AuditEntry, User
from campaigns.models import Campaign
from corpus.models import Dataset

EXPORTED = AuditEvent(
    "answers_exported", gettext_lazy("A file with the names of the systems was downloaded or made: %(format)s.")
)


def record_in(campaign: Campaign, event: AuditEvent, *, by: User | None, **params: int | float | str) -> AuditEntry:
    """Append what happened to the campaign, in the transaction of the change. `by` is None for the installation."""
    return record(event, by=by, kind=Subject.CAMPAIGN, number=campaign.pk, name=campaign.title, **params)


def record_in_once_a_day(campaign: Campaign, event: AuditEvent, *, by: User, **params: int | float | str) -> None:
    """For what is read, perhaps many times: one entry for each person, campaign and day."""
    record_once_a_day(event, by=by, kind=Subject.CAMPAIGN, number=campaign.pk, name=campaign.title, **params)


def record_download(of: Campaign | Dataset, name: str, *, by: User) -> None:
    """That a file with the names of systems was downloaded: once for each user, subject, file and day."""
    kind, title = (Subject.CAMPAIGN, of.title) if isinstance(of, Campaign) else (Subject.DATASET, of.name)
    record_once_a_day(EXPORTED, by=by, kind=kind, number=of.pk, name=title, format=name)
