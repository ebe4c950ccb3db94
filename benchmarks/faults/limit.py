"""A limit of time on what may hang: waits, locks, programs that were started, and the cleaning up after all that."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

#: What may follow the end of the time, such as ending servers and people, gets so long (s), and as long again.
GRACE_S = 90


@contextmanager
def at_most(seconds: int, what: str) -> Iterator[None]:
    """Raises TimeoutError in the midst of what takes longer. Only for the main thread."""

    def over(*_: object) -> None:
        signal.alarm(GRACE_S)
        raise TimeoutError(f"{what} took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
