"""Kinds of jobs: each app registers its own in its `tasks.py`, and nothing here knows which there are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.module_loading import autodiscover_modules

from accounts.models import User
from infrastructure.background.subjects import NO_ROWS, Subjects
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason

#: How work says how far it is: done, of how many, at what.
ShowProgress = Callable[[int, int, Reason], None]
#: Does the work, given the job's subject. Raises JobFailed where it cannot be done.
Work = Callable[[str, ShowProgress], None]
#: What is wrong with one row of a file: `row`, `field`, `message`, `severity`.
RowProblem = dict[str, Any]


def _only_who_started_it(_user: User, _subject: str) -> bool:
    return False


def _no_page(_subject: str) -> str:
    return ""


def _no_problems(_subject: str) -> Iterable[RowProblem]:
    return ()


def _nothing_to_end(_subject: str) -> None:
    pass


def _nothing_to_link(_job: Job) -> None:
    pass


def _never(_subject: str) -> bool:
    return False


@dataclass(frozen=True)
class JobKind:
    """One kind of job. Each function is given the subject: the id of the row that the job is about.

    `may_view` says who else than the person who started it may see how it goes; `page` is the address of what it is
    about, and `problems` what the work found wrong, row by row. `subjects` names the rows for lists.

    `repeatable`: an administrator may run it again after it failed; `relink` then shows the new job where the old one
    was shown. `cancellable`: its work may end at any progress that it reports; `on_cancel` then settles its subject.
    `waits_for_servers`: the work is mostly waiting for servers that are not ours, and may be done beside other work.
    `on_end`: what follows once the job's row says how it ended, unless it was cancelled.
    """

    name: str
    title: Promise
    work: Work
    may_view: Callable[[User, str], bool] = _only_who_started_it
    page: Callable[[str], str] = _no_page
    problems: Callable[[str], Iterable[RowProblem]] = _no_problems
    subjects: Subjects = NO_ROWS
    repeatable: bool = False
    relink: Callable[[Job], None] = _nothing_to_link
    cancellable: bool = False
    on_cancel: Callable[[str], None] = _nothing_to_end
    waits_for_servers: Callable[[str], bool] = _never
    on_end: Callable[[str], None] = _nothing_to_end


_kinds: dict[str, JobKind] = {}


def register(*kinds: JobKind) -> None:
    """Make these kinds known. Each app's `tasks.py` does it, which a worker loads at its start."""
    _kinds.update({kind.name: kind for kind in kinds})


def kind_of(name: str) -> JobKind | None:
    """The kind of this name; None where no app has it (any more)."""
    if name not in _kinds:
        autodiscover_modules("tasks")  # a web process has not loaded all of them
    return _kinds.get(name)


def all_kinds() -> list[JobKind]:
    """Every kind, by its title in the language of the page."""
    autodiscover_modules("tasks")
    return sorted(_kinds.values(), key=lambda kind: str(kind.title))


def job_title(name: str) -> str:
    """The title of a kind; its name where no app has it."""
    kind = kind_of(name)
    return str(kind.title) if kind else name
