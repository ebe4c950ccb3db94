"""Where subjects of the audit log are, as long as they exist: the apps that own them register how to find them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.urls import reverse

from accounts.models import AuditEntry, User

Subject = AuditEntry.Subject
#: The rows that entries are about, by kind. Each has its own page (get_absolute_url).
_models: dict[str, Any] = {}


@dataclass(frozen=True)
class Found:
    """What entries mention and still exists: addresses by kind and number, and the names of accounts by number."""

    addresses: Mapping[tuple[str, int], str]
    usernames: Mapping[int, str]


def register(kind: Subject, model: type[Model]) -> None:
    """Have the entries about this kind of subject linked to its page."""
    _models[kind] = model


def subjects_of(entries: Iterable[AuditEntry]) -> Found:
    """One query for each kind that occurs, and one for accounts."""
    entries = list(entries)
    accounts = _accounts({number for entry in entries for number in accounts_in(entry)})
    found = {(str(Subject.ACCOUNT), pk): reverse("person", args=[pk]) for pk in accounts}
    for kind, model in _models.items():
        if numbers := {it.subject_number for it in entries if it.subject_kind == kind and it.subject_number}:
            rows: Mapping[int, Any] = model.objects.in_bulk(numbers)
            found |= {(kind, number): row.get_absolute_url() for number, row in rows.items()}
    return Found(found, accounts)


def accounts_in(entry: AuditEntry) -> set[int]:
    """The numbers of the accounts of which the entry tells, also as `account` among its parameters."""
    numbers = {entry.by_id, entry.params.get("account")}
    if entry.subject_kind == Subject.ACCOUNT:
        numbers.add(entry.subject_number)
    return {number for number in numbers if number}


def _accounts(numbers: set[int]) -> dict[int, str]:
    """Deleted ones have no name any more."""
    known = User.objects.filter(pk__in=numbers).exclude(is_guest=True, is_active=False)
    return dict(known.values_list("pk", "username"))
