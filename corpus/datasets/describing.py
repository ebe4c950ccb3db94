"""Who owns a dataset, and what its owner says of it."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from corpus.models import Dataset

OWNER_CHANGED = AuditEvent("dataset_owner_changed", gettext_lazy("Has another owner now."))
LICENCE_CHANGED = AuditEvent("dataset_licence_changed", gettext_lazy("Has the licence “%(licence)s” now."))


def may_describe(dataset: Dataset, user: User) -> bool:
    """Its owner and administrators."""
    return user.is_superuser or dataset.created_by_id == user.pk


@transaction.atomic
def describe_dataset(
    dataset: Dataset, *, description: str, licence: str, source: str, owner: User, by: User
) -> Dataset:
    """Say what a dataset is, under which licence it may be used, where it comes from and whose it is.

    Raises PermissionDenied for anybody but its owner and administrators.
    """
    row = Dataset.objects.select_for_update().get(pk=dataset.pk)
    if not may_describe(row, by):
        raise PermissionDenied(_("Only its owner and administrators change what is said of a dataset."))
    if row.licence != licence:
        record(LICENCE_CHANGED, by=by, kind=Subject.DATASET, number=row.pk, name=row.name, licence=licence)
    if row.created_by_id != owner.pk:
        record(OWNER_CHANGED, by=by, kind=Subject.DATASET, number=row.pk, name=row.name)
    row.description, row.licence, row.source, row.created_by = description, licence, source, owner
    row.save(update_fields=["description", "licence", "source", "created_by"])
    return row
