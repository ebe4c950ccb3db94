"""The database wrapper that `ENGINE = "config.sqlite"` names."""

import threading
import weakref
from typing import Any

from django.db.backends.sqlite3 import base

#: Somebody who waited this long (s) for those before them stops queueing, and looks for themselves.
TIMEOUT_S = 5.0
_writers = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """Between two requests no cursor stays open.

    A cursor that was read halfway, and that something still refers to, keeps its connection at the rows of then: the
    next request would read old rows, and could write nothing ("database is locked").
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors = weakref.WeakSet[Any]()

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = super().create_cursor(name)
        self._cursors.add(cursor)
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        """Wait for one's turn to write with the others of this process, and only then as SQLite does.

        SQLite looks again after pauses that grow to 0.1 s, and whoever comes meanwhile is faster. The method is not
        in Django's reference; of 20 who vote in a row p95 fell from 2.6 s to 0.9 to 1.1 s by it (decision 31).
        """
        is_first = _writers.acquire(timeout=TIMEOUT_S)
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        finally:
            if is_first:
                _writers.release()

    def close_if_unusable_or_obsolete(self) -> None:
        """Django calls it before and after each request and each look-up of a WebSocket."""
        if not self.in_atomic_block:
            for cursor in list(self._cursors):
                if cursor.connection is self.connection:  # those of a connection before it were closed with it
                    cursor.close()
        super().close_if_unusable_or_obsolete()
