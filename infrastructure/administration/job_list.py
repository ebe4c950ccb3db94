"""The jobs of the installation as a list: filtered, searched, with what each is about."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from infrastructure.background.kinds import all_kinds, kind_of
from infrastructure.background.subjects import Subject
from infrastructure.models import Job

Status = Job.Status
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class StateFilter:
    """A state as people speak of it. Files that were refused are no failures of the installation."""

    name: str
    title: Promise
    rows: Q


STATES = (
    StateFilter("failed", _("Failed"), Q(status=Status.FAILED, input_refused=False)),
    StateFilter("running", _("Running"), Q(status=Status.RUNNING)),
    StateFilter("waiting", _("Waiting"), Q(status=Status.QUEUED)),
    StateFilter("done", _("Done"), Q(status=Status.SUCCEEDED)),
    StateFilter("refused", _("Input refused"), Q(status=Status.FAILED, input_refused=True)),
    StateFilter("cancelled", _("Cancelled"), Q(status=Status.CANCELLED)),
)


@dataclass(frozen=True)
class Wanted:
    """What is looked for; an empty value is everything."""

    state: str = ""
    kind: str = ""
    person: str = ""
    search: str = ""


@dataclass(frozen=True)
class ListedJob:
    """A job with its kind in words, what it is about, and what may be done with it."""

    job: Job
    title: str
    subject: Subject | None
    state: StateFilter
    was_quick: bool
    may_cancel: bool
    may_repeat: bool


def jobs(wanted: Wanted) -> QuerySet[Job]:
    """Those that are looked for, the newest first."""
    rows = Job.objects.select_related("started_by").order_by("-created_at", "-pk")
    found = [state.rows for state in STATES if state.name == wanted.state]
    if found:
        rows = rows.filter(found[0])
    if wanted.kind:
        rows = rows.filter(kind=wanted.kind)
    if wanted.person:
        rows = rows.filter(started_by__username=wanted.person)
    return rows.filter(_mentions(wanted.search)) if wanted.search else rows


def counts() -> Mapping[str, int]:
    """How many jobs are in each state."""
    counted = {state.name: Count("pk", filter=state.rows) for state in STATES}
    found: dict[str, int] = Job.objects.aggregate(**counted)
    return found


def listed(rows: Iterable[Job]) -> list[ListedJob]:
    """Jobs of one page; what they are about is read in one query for each kind among them."""
    rows = list(rows)
    ids = defaultdict(set)
    for row in rows:
        ids[row.kind].add(row.subject)
    named = {name: kind.subjects.named(ids[name]) for name in ids if (kind := kind_of(name))}
    return [_listed(row, named.get(row.kind, {}).get(row.subject)) for row in rows]


def people() -> list[str]:
    """The usernames of those for whom jobs ran; guests and deleted accounts have none."""
    names = Job.objects.filter(started_by__is_guest=False).order_by("started_by__username")
    return list(names.values_list("started_by__username", flat=True).distinct())


def _listed(row: Job, subject: Subject | None) -> ListedJob:
    kind = kind_of(row.kind)
    return ListedJob(
        job=row,
        title=str(kind.title) if kind else row.kind,
        subject=subject,
        state=_state_of(row),
        was_quick=row.finished_at is not None and row.finished_at - row.created_at < MINUTE,
        may_cancel=kind is not None and kind.cancellable and row.is_active,
        may_repeat=kind is not None and kind.repeatable and row.is_to_repeat,
    )


def _state_of(row: Job) -> StateFilter:
    by_name = {state.name: state for state in STATES}
    if row.status == Status.FAILED:
        return by_name["refused" if row.input_refused else "failed"]
    names = {Status.QUEUED: "waiting", Status.RUNNING: "running", Status.SUCCEEDED: "done"}
    return by_name[names.get(Status(row.status), "cancelled")]


def _mentions(text: str) -> Q:
    """In the username, in the title of the kind, or in the name of what the job is about."""
    found = Q(started_by__username__icontains=text)
    for kind in all_kinds():
        if text.casefold() in str(kind.title).casefold():
            found |= Q(kind=kind.name)
        elif ids := kind.subjects.matching(text):
            found |= Q(kind=kind.name, subject__in=ids)
    return found
