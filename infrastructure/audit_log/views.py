"""The audit log, for administrators. It is here and not in accounts because accounts know no CSV."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.audit_log.entries import worded
from accounts.audit_log.search import AuditSearch, entries_like
from accounts.audit_log.subjects import Found, Subject, subjects_of
from accounts.models import AuditEntry
from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from infrastructure.files.csv_files import CSV, csv_line
from infrastructure.files.downloads import send_lines

PER_PAGE = 50
PER_QUERY = 1000
COLUMNS = ("id", "at", "by", "by_username", "kind", "number", "name", "event", "text", "parameters")


@dataclass(frozen=True)
class Account:
    """An account as the log shows it: without a username it is gone, and without a number it is the installation."""

    number: int | None
    username: str = ""
    address: str = ""


@dataclass(frozen=True)
class Row:
    """An entry in words, with links to what still exists; `account` is another account that it names by number."""

    entry: AuditEntry
    text: str
    by: Account
    name: str
    address: str
    account: Account | None


@never_cache
@require_safe
def audit_log(request: AccountRequest) -> HttpResponse:
    """A page of the entries that were looked for, newest first."""
    require_administrator(request.user)
    form = AuditSearch(request.GET)
    page = Paginator(_entries(form), PER_PAGE).get_page(request.GET.get("page"))
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    context = {
        "form": form,
        "page": page,
        "rows": rows_of(page),
        "query": urlencode(asked),
        "is_filtered": bool(asked),
    }
    return render(request, "infrastructure/audit_log.html", context, status=422 if form.errors else 200)


@never_cache
@require_safe
def audit_log_csv(request: AccountRequest) -> HttpResponseBase:
    """All entries that were looked for, as CSV."""
    require_administrator(request.user)
    name = f"audit-log-{timezone.localdate():%Y-%m-%d}.csv"
    return send_lines(request, csv_lines(_entries(AuditSearch(request.GET))), name=name, content_type=CSV)


def rows_of(entries: Iterable[AuditEntry]) -> list[Row]:
    entries = list(entries)
    found = subjects_of(entries)
    return [_row(entry, found) for entry in entries]


def csv_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    left = entries.iterator(PER_QUERY)
    for row in chain.from_iterable(map(rows_of, iter(lambda: list(islice(left, PER_QUERY)), []))):
        yield csv_line(_cells(row))


def _entries(form: AuditSearch) -> QuerySet[AuditEntry]:
    return entries_like(**form.cleaned_data) if form.is_valid() else AuditEntry.objects.none()


def _row(entry: AuditEntry, found: Found) -> Row:
    other = entry.params.get("account")
    key = (entry.subject_kind, entry.subject_number or 0)
    is_account = entry.subject_kind == Subject.ACCOUNT
    name = found.usernames.get(entry.subject_number or 0, "") if is_account else entry.subject_name
    return Row(
        entry=entry,
        text=worded(entry),
        by=_account(entry.by_id, found),
        name=name,
        address=found.addresses.get(key, ""),
        account=_account(other, found) if other else None,
    )


def _account(number: int | None, found: Found) -> Account:
    key = (str(Subject.ACCOUNT), number or 0)
    return Account(number, found.usernames.get(number or 0, ""), found.addresses.get(key, ""))


def _cells(row: Row) -> list[Any]:
    entry = row.entry
    who = [entry.by_id or "", row.by.username]
    what = [entry.subject_kind, entry.subject_number or "", row.name]
    told = [entry.event, row.text, json.dumps(entry.params, sort_keys=True)]
    return [entry.pk, entry.at.isoformat(), *who, *what, *told]
