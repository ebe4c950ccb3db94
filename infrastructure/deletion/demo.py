"""Clearing the demo away: what the demo's commands marked as theirs, and nothing that anybody made since."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Model, ProtectedError, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, record
from accounts.audit_log.entries import Subject as Audited
from accounts.login.guests import delete_identity
from accounts.models import User
from accounts.old_pages import drop_old_pages
from accounts.people.dependents import account_deleted, parts_to_hand_over
from accounts.people.rights import administrators, require_administrator
from infrastructure.background.jobs import ACTIVE, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.deletion.actions import CannotDo, hide, work_listed, work_on
from infrastructure.deletion.purging import purge, remember_files, without_rows
from infrastructure.deletion.reasons import HAND_OVER_FIRST, NO_DEMO, WORK_GOES_ON
from infrastructure.deletion.subjects import InUse, Subject, subjects
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason

KIND = "clear-demo"
CLEARING = AuditEvent(
    "demo_clearing", gettext_lazy("Clearing the demo away began: %(things)s things, %(people)s accounts.")
)
CLEARED = AuditEvent("demo_cleared", gettext_lazy("The demo was cleared away; nothing of it is left."))
_in_use: dict[type[Model], Q] = {}


def stays_while(model: type[Model], used: Q) -> None:
    """A row of `model` that the demo made stays where another user has built on it: where this holds."""
    _in_use[model] = used


@dataclass(frozen=True)
class Demo:
    """What goes, and what was made by the demo and stays, since another user has built on it; by kind and name."""

    goes: list[tuple[Subject, Any]]
    stays: list[tuple[Subject, Any]]
    people: list[User]


def demo_of_installation(*, by: User | None = None) -> Demo:
    """Without the account of who asks, which stays."""
    goes: list[tuple[Subject, Any]] = []
    stays: list[tuple[Subject, Any]] = []
    for subject, row, used in _made_by_demo():
        (stays if used else goes).append((subject, row))
    people = User.objects.filter(is_demo=True).exclude(pk__in=[by.pk] if by else [])
    return Demo(goes, stays, list(people.order_by("username")))


def _made_by_demo() -> Iterator[tuple[Subject, Any, bool]]:
    """With whether another user has built on it. Datasets come first, since their campaigns go with them."""
    for subject in reversed(subjects()):
        rows = subject.model._base_manager.filter(is_demo=True, deleting_since=None)
        used = _in_use.get(subject.model, Q(pk=None))
        kept = set(rows.filter(used).values_list("pk", flat=True))
        for row in rows.order_by("pk"):
            yield subject, row, row.pk in kept


@dataclass(frozen=True)
class Hindrance:
    """Why the demo cannot be cleared away now, and the pages on which that is changed."""

    why: Reason
    pages: list[InUse]


def hindrance_of(demo: Demo) -> Hindrance | None:
    """Work that goes on, or accounts of the demo that are alone in charge of what stays."""
    if n := sum(work_on(subject, row) for subject, row in demo.goes):
        work = {it.address: it for subject, row in demo.goes for it in work_listed(subject, row)}
        return Hindrance(WORK_GOES_ON(n=n), list(work.values()))
    going = tuple(page for subject, row in demo.goes if (page := subject.page(row)))
    parts = [part for person in demo.people for part in parts_to_hand_over(person)]
    left = {part.address: part.title for part in parts if not part.address.startswith(going)}
    if not left:
        return None
    titles = ", ".join(sorted(set(left.values())))
    return Hindrance(HAND_OVER_FIRST(titles=titles), [InUse(left[it], it, is_work=True) for it in sorted(left)])


@transaction.atomic
def clear_demo(*, by: User) -> Job:
    """Remove the demo in the background; it is out of every list at once. Raises CannotDo, PermissionDenied."""
    require_administrator(by)
    list(administrators().select_for_update().order_by("pk"))  # two who ask at once come one after the other
    if under_way := Job.objects.filter(kind=KIND, status__in=ACTIVE).first():
        return under_way
    demo = demo_of_installation(by=by)
    if not demo.goes and not demo.people:
        raise CannotDo(NO_DEMO())
    if hindrance := hindrance_of(demo):
        raise CannotDo(hindrance.why)
    for subject, row in demo.goes:
        remember_files(subject, str(row.pk))
        hide(subject, row)
    User.objects.filter(pk=by.pk).update(is_demo=False)
    User.objects.filter(is_demo=True).update(is_active=False)
    record(CLEARING, by=by, kind=Audited.INSTALLATION, things=len(demo.goes), people=len(demo.people))
    return start_job(KIND, subject="demo", started_by=by)


def purge_demo(_subject: str, progress: ShowProgress) -> None:
    """Remove what was hidden, and then the people. Done again, it goes on with what is left."""
    for subject in reversed(subjects()):
        rows = subject.model._base_manager.filter(is_demo=True, deleting_since__isnull=False)
        numbers = {str(pk) for pk in rows.values_list("pk", flat=True)}
        for number in sorted(numbers | {it.number for it in without_rows(subject)}):
            purge(f"{subject.kind}:{number}", progress)
    by = Job.objects.filter(kind=KIND).latest("created_at").started_by
    assert by, "an administrator asked for it"  # noqa: S101 - types are narrowed by it
    for person in User.objects.filter(is_demo=True):
        _remove(person, by=by)
    with transaction.atomic():
        record(CLEARED, by=by, kind=Audited.INSTALLATION)
    drop_old_pages()


def _remove(person: User, *, by: User) -> None:
    """The account; where other data still names its number, its identity and its roles. `by` owns what it owned."""
    try:
        with transaction.atomic():
            Job.objects.filter(started_by=person).delete()
            person.delete()
    except ProtectedError:
        with transaction.atomic():
            account_deleted(person, with_answers=False, by=by)
            forgotten = delete_identity(person)
            User.objects.filter(pk=forgotten.pk).update(is_demo=False, date_joined=timezone.now())
