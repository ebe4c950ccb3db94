"""What can be archived and deleted, and what goes with it. Each app registers its own; nothing here knows which."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import Any

from django.db.models import CharField, ForeignKey, Model, Q, QuerySet
from django.utils.functional import Promise

from accounts.models import AuditEntry, User
from infrastructure.files.media import MediaFile
from infrastructure.wording.reasons import Reason

Rows = QuerySet[Any]
#: Why these rows cannot be archived, or deleted, by this user; None where they can.
Check = Callable[[Rows, User], Reason | None]


@dataclass(frozen=True)
class Part:
    """Rows that go with a subject, found by `path`, the fields that lead from the row to it.

    `folder` is where a row keeps files of its own. `shared` says which rows something else needs: these stay, and
    only their reference, the first field of the path, is emptied. `busy` says which rows are work that goes on, and
    `page` where one of them is shown and stopped.
    """

    model: type[Model]
    path: str
    folder: Callable[[Any], MediaFile] | None = None
    shared: Q | None = None
    busy: Q | None = None
    page: Callable[[Any], str] = lambda _row: ""


@dataclass(frozen=True)
class InUse:
    """Something that keeps a row from being archived: its name and page, and where it is paused and closed for good.

    `pause` and `close` are empty for users who may not do it. What `is_work` ends by itself, or on its page.
    """

    name: str
    address: str
    pause: str = ""
    close: str = ""
    is_work: bool = False


@dataclass(frozen=True)
class Counted:
    """What the page says goes with a subject: so many rows of a model, in words with `%(n)s` in them.

    `distinct` counts the different values of a field; `named` is one whose values are listed.
    `is_loss` marks what stops working for others, such as an
    address, or can no longer be computed.
    """

    model: type[Model]
    path: str
    words: Promise | Any
    only: Q = field(default_factory=Q)
    distinct: str = "pk"
    named: str = ""
    is_loss: bool = False


@dataclass(frozen=True)
class Files:
    """Files that rows share with others, or what else is done once rows are gone. `named` says before they go which
    they are, as JSON; `sweep` removes those of them that nothing uses then; `leaving` has the rows that stand for a
    file each which will be gone, with the column of its bytes. A row that is in several of them is one file.
    """

    name: str
    named: Callable[[Rows], list[Any]] = lambda _rows: []
    sweep: Callable[[list[Any]], None] = lambda _named: None
    leaving: Callable[[Rows], list[tuple[Rows, str]]] = lambda _rows: []


@dataclass(frozen=True)
class Subject:
    """One kind of thing that can be archived and deleted, with who may, and where its pages are.

    `name` is the column that is shown and typed, `unique` those whose values are free again at once. `rows` are those
    that are one thing, such as the versions of a protocol. `goes_at_once` says what need not be archived first.
    """

    kind: str
    model: type[Model]
    title: Promise
    audit: AuditEntry.Subject
    name: str
    find: Callable[[User, str], Any]
    may_delete: Callable[[User, Any], bool]
    key: Callable[[Any], str]
    listing: str
    page: Callable[[Any], str] = lambda _row: ""
    unique: Sequence[str] = ()
    rename_note: Promise | str = ""
    archive_note: Promise | str = ""
    stays_note: Promise | str = ""
    can_be_renamed: bool = True
    rows: Callable[[Any], Rows] | None = None
    goes_at_once: Callable[[Any], bool] = lambda _row: False
    renamed: Callable[[Any, str], None] = lambda _row, _before: None
    why_no_name: Callable[[Any, str], Reason | None] = lambda _row, _name: None
    folder: Callable[[Any], MediaFile] | None = None

    def rows_of(self, row: Any) -> Rows:
        return self.rows(row) if self.rows else self.model._base_manager.filter(pk=row.pk)

    def name_of(self, row: Any) -> str:
        return str(getattr(row, self.name))

    @property
    def longest_name(self) -> int:
        """How many characters its column holds."""
        column = self.model._meta.get_field(self.name)
        assert isinstance(column, CharField), column  # noqa: S101 - types are narrowed by it
        return column.max_length or 0


_subjects: dict[str, Subject] = {}
_parts: dict[type[Model], list[Part]] = {}
_counted: dict[type[Model], list[Counted]] = {}
_files: dict[type[Model], list[Files]] = {}
_jobs: dict[type[Model], list[str]] = {}
_checks: dict[type[Model], list[tuple[Check, bool]]] = {}
_in_use: dict[type[Model], list[Callable[[Rows, User], list[InUse]]]] = {}


def register(subject: Subject) -> None:
    _subjects[subject.kind] = subject


def goes_with(model: type[Model], *parts: Part) -> None:
    """These rows go with a row of `model`, and with whatever that goes with."""
    _parts.setdefault(model, []).extend(parts)


def counts(model: type[Model], *counted: Counted) -> None:
    """This is said on the page that asks whether a row of `model` is to be deleted."""
    _counted.setdefault(model, []).extend(counted)


def has_files(model: type[Model], *files: Files) -> None:
    _files.setdefault(model, []).extend(files)


def has_jobs(model: type[Model], *kinds: str) -> None:
    """Jobs of these kinds are about rows of `model`, by number."""
    _jobs.setdefault(model, []).extend(kinds)


def refuse_when(model: type[Model], check: Check, *, only_deletion: bool = False) -> None:
    """Rows of `model` are not archived, or only not deleted, while `check` has a reason."""
    _checks.setdefault(model, []).append((check, only_deletion))


def list_in_use(model: type[Model], listed: Callable[[Rows, User], list[InUse]]) -> None:
    """What the page names, with links and buttons, while rows of `model` cannot be archived for it."""
    _in_use.setdefault(model, []).append(listed)


def in_use(model: type[Model], rows: Rows, *, by: User) -> list[InUse]:
    return [it for listed in _in_use.get(model, []) for it in listed(rows, by)]


def refusal(model: type[Model], rows: Rows, *, by: User, deletion: bool) -> Reason | None:
    """The first reason that any app has."""
    found = (check(rows, by) for check, only in _checks.get(model, []) if deletion or not only)
    return next((reason for reason in found if reason is not None), None)


def subject_of(kind: str) -> Subject | None:
    return _subjects.get(kind)


def subjects() -> list[Subject]:
    return list(_subjects.values())


def parts_of(model: type[Model], beyond: str = "") -> Iterator[Part]:
    """Everything that goes with a row of `model`, with paths that lead to it."""
    for part in _parts.get(model, []):
        yield replace(part, path=part.path + beyond)
        yield from parts_of(part.model, f"__{part.path}{beyond}")


def counted_in(model: type[Model], beyond: str = "") -> Iterator[Counted]:
    for counted in _counted.get(model, []):
        yield replace(counted, path=counted.path + beyond)
    for part in _parts.get(model, []):
        yield from counted_in(part.model, f"__{part.path}{beyond}")


def within(model: type[Model], rows: Rows) -> Iterator[tuple[type[Model], Rows]]:
    """These rows and, model by model, those that go with them and have jobs or files."""
    yield model, rows
    for part in parts_of(model):
        if part.model in _jobs or part.model in _files:
            yield part.model, part.model._base_manager.filter(**{f"{part.path}__in": rows})


def jobs_about(model: type[Model], rows: Rows) -> Q:
    """Jobs about these rows and about what goes with them."""
    found = Q(pk=None)
    for it, some in within(model, rows):
        if kinds := _jobs.get(it):
            found |= Q(kind__in=kinds, subject__in=[str(pk) for pk in some.values_list("pk", flat=True)])
    return found


def files_in(model: type[Model], rows: Rows) -> Iterator[tuple[Files, Rows]]:
    for it, some in within(model, rows):
        for files in _files.get(it, []):
            yield files, some


def files_named(name: str) -> Files | None:
    return next((it for files in _files.values() for it in files if it.name == name), None)


def in_order(model: type[Model]) -> list[Part]:
    """What goes with a row of `model`, such that nothing goes before what refers to it."""
    found: dict[type[Model], list[Part]] = {}
    for part in parts_of(model):
        found.setdefault(part.model, []).append(part)
    before = {it: {other for other in found if other is not it and _refers(other, it)} for it in found}
    return [part for it in TopologicalSorter(before).static_order() for part in found[it]]


def _refers(one: type[Model], other: type[Model]) -> bool:
    """Whether rows of `one` refer to rows of `other`, in the database."""
    lineage = (other, *other._meta.parents)
    references = (it for it in one._meta.get_fields() if isinstance(it, ForeignKey) and _is_constraint(it))
    return any(it.related_model in lineage for it in references if not getattr(it.remote_field, "parent_link", False))


def _is_constraint(reference: ForeignKey[Any, Any]) -> bool:
    return bool(reference.db_constraint)  # type: ignore[attr-defined]  # django-stubs lacks it
