"""An end to a request that no limit between two bytes can give it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: The name under which a request carries its deadline to the transport.
EXTENSION = "earshot_deadline"


class Deadline:
    """Shuts down the sockets of one request once its time is up, whatever is waited for then."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self.is_over = False

    def watch(self, it: socket.socket) -> None:
        """From the request's thread: this is what it talks through from now on."""
        with self._lock:
            self._sockets.append(it)
            if self.is_over:
                shut_down(it)

    def end(self) -> None:
        """From another thread."""
        with self._lock:
            self.is_over = True
            for it in self._sockets:
                shut_down(it)


def shut_down(it: socket.socket) -> None:
    with suppress(OSError):
        it.shutdown(socket.SHUT_RDWR)


@contextmanager
def deadline_in(seconds: float) -> Iterator[Deadline]:
    """A deadline so many seconds from now, for one request within; it ends with the context."""
    deadline = Deadline()
    alarm = threading.Timer(seconds, deadline.end)
    alarm.daemon = True
    alarm.start()
    try:
        yield deadline
    finally:
        alarm.cancel()
