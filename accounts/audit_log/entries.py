"""Events of the audit log, and appending an entry in the transaction of the change that it tells of.

An app declares its events where it changes things:

    DATASET_DELETED = AuditEvent("dataset_deleted", gettext_lazy("Deleted, with %(items)s items."))

and records one in the action itself:

    record(DATASET_DELETED, by=user, kind=Subject.DATASET, number=dataset.pk, name=dataset.name, items=12)
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from accounts.models import AuditEntry, User

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Subject = AuditEntry.Subject


class AuditEvent:
    """A code and its text, whose gaps (`%(n)s`) are its parameters; the code is stored, the text is translated.

    `words` are the parameters that are no name or number, as they are stored, with what is said for them.
    """

    def __init__(self, code: str, text: "StrOrPromise", *, words: "Mapping[str, StrOrPromise] | None" = None) -> None:
        self.code = code
        self.text = text
        self.words = words or {}
        self.params = set(re.findall(r"%\((\w+)\)", str(text)))
        if EVENTS.setdefault(code, self) is not self:
            raise ValueError(f"The event {code} is declared twice.")


#: Every event that was declared, by its code.
EVENTS: dict[str, AuditEvent] = {}


def record(
    event: AuditEvent,
    *,
    by: User | None,
    kind: Subject,
    number: int | None = None,
    name: str = "",
    **params: int | float | str,
) -> AuditEntry:
    """Append what happened to a subject; `by` is None for the installation itself and its commands.

    An account is recorded by its number alone (leave `name` out), and no parameter names a person: the log outlives
    accounts, and a deleted one leaves no name behind.
    Raises RuntimeError outside a transaction, where entry and change could part, and TypeError for other parameters
    than those of the text.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An audit entry belongs into the transaction of the change that it tells of.")
    if set(params) != event.params:
        raise TypeError(f"{event.code} takes {sorted(event.params)}, not {sorted(params)}.")
    return AuditEntry.objects.create(
        event=event.code, params=params, by=by, subject_kind=kind, subject_number=number, subject_name=name
    )


@transaction.atomic
def record_once_a_day(
    event: AuditEvent, *, by: User, kind: Subject, number: int, name: str, **params: int | float | str
) -> None:
    """The same, unless it was recorded of this user, subject and these parameters within the last 24 hours."""
    day = AuditEntry.objects.filter(at__gte=timezone.now() - timedelta(days=1), event=event.code, by=by)
    there = day.filter(subject_kind=kind, subject_number=number)
    if params not in list(there.values_list("params", flat=True)):
        record(event, by=by, kind=kind, number=number, name=name, **params)


def worded(entry: AuditEntry) -> str:
    """What happened, in the language of the page; an event that is declared no more is its code."""
    event = EVENTS.get(entry.event)
    if event is None or set(entry.params) != event.params:
        return entry.event
    return str(event.text) % {name: event.words.get(value, value) for name, value in entry.params.items()}
