"""Heartbeats of work that cannot report its progress for longer than a lease, such as a dump of a database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import connection

from infrastructure.background.jobs import JobTaken
from infrastructure.wording.reasons import Reason

#: A third of the lease (s).
EVERY_S = 20.0


def silent(_done: int, _total: int, _note: Reason) -> None:
    """Progress that nobody waits for: of a command."""


@contextmanager
def kept_alive(beat: Callable[[], None]) -> Iterator[None]:
    """Beat at once, and from a thread until the block ends. Raises JobTaken at once where the job is lost by then."""
    beat()
    over = Event()
    thread = Thread(target=_beat_until, args=(over, beat), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _beat_until(over: Event, beat: Callable[[], None]) -> None:
    beaten = False
    try:
        while not over.wait(EVERY_S):
            beaten = True
            beat()
    except JobTaken:
        pass  # the work finds out at its own next progress
    finally:
        if beaten:
            connection.close()
