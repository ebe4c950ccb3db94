"""The audit log: appended in the transaction of a change, and neither changed nor removed afterwards."""

import pytest
from django.db import transaction
from django.utils.translation import override

from accounts.audit_log.entries import EVENTS, AuditEvent, Subject, record, worded
from accounts.models import AuditEntry
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
EVENT = EVENTS.get("test_cut") or AuditEvent("test_cut", "Cut down to %(items)s items.")


def cut(items: int = 2, **more: object) -> AuditEntry:
    params = {"items": items} | more
    return record(EVENT, by=UserFactory(), kind=Subject.DATASET, number=7, name="zqxv", **params)


@pytest.mark.databases
def test_entry_says_what_happened_to_what_and_by_whom() -> None:
    entry = AuditEntry.objects.get(pk=cut().pk)

    assert (worded(entry), entry.subject_kind, entry.subject_number, entry.subject_name) == (
        "Cut down to 2 items.",
        "dataset",
        7,
        "zqxv",
    )


@pytest.mark.databases
def test_entry_goes_with_a_change_that_is_undone() -> None:
    with transaction.atomic():
        cut()
        transaction.set_rollback(True)
    assert not AuditEntry.objects.exists()


def test_entries_are_neither_changed_nor_removed() -> None:
    entry = cut()

    for change in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(subject_name=""),
    ):
        with pytest.raises(TypeError, match="only appended"):
            change()
    assert AuditEntry.objects.get().subject_name == "zqxv"


@pytest.mark.databases
def test_entry_outlives_the_account_that_made_it() -> None:
    entry = cut()
    number = entry.by_id

    entry.by.delete()

    left = AuditEntry.objects.select_related("by").get()
    assert (left.by_id, left.by) == (number, None)


def test_other_parameters_than_those_of_the_text_are_refused() -> None:
    with pytest.raises(TypeError, match="takes"):
        cut(systems=3)


def test_event_that_is_declared_no_more_is_its_code() -> None:
    entry = cut()
    entry.event = "gone_since"

    with override("de"):
        assert worded(entry) == "gone_since"


@pytest.mark.django_db(transaction=True)
def test_entry_outside_a_transaction_is_refused() -> None:
    with pytest.raises(RuntimeError, match="transaction of the change"):
        cut()
