"""Failed work that is no job, such as runs of judges: each app registers what it has."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from infrastructure.wording.reasons import Reason

#: No more than so many of one app are listed.
MOST = 20


@dataclass(frozen=True)
class FailingWork:
    """A piece of work that stopped: its kind, what it is about, since when, why, and the page on which to go on."""

    kind: str
    about: str
    address: str
    since: datetime | None
    why: Reason | None = None


#: Reads what stands now, in a fixed number of queries.
Reader = Callable[[], Iterable[FailingWork]]
_readers: list[Reader] = []


def register(reader: Reader) -> None:
    _readers.append(reader)


def failing_work() -> list[FailingWork]:
    return [work for reader in _readers for work in reader()]
