"""Writing again what met a lock: another writer was longer than the database waits, or two waited for each other.

And leaving the lock to others between two transactions.
"""

import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection

Made = TypeVar("Made")
LOCKED_SQLITE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: PostgreSQL's: serialization failure, deadlock, lock not available.
LOCKED_POSTGRES = ("40001", "40P01", "55P03")
#: So often, after so many seconds, which double.
TRIES, PAUSE_S = 5, 1.0
#: Who waits for SQLite's lock looks for it at most so many seconds apart (sqliteDefaultBusyCallback of its main.c).
LOOKS_S = 0.1


def is_locked(error: OperationalError) -> bool:
    """Whether the same would do at another moment."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in LOCKED_SQLITE  # the rest says more of why
    return getattr(error.__cause__, "sqlstate", None) in LOCKED_POSTGRES


def patiently(write: Callable[[], Made]) -> Made:
    """What `write` makes, which can be done twice, and in no transaction. Raises OperationalError after the last."""
    for attempt in range(1, TRIES):
        try:
            return write()
        except OperationalError as error:
            if not is_locked(error):
                raise
            time.sleep(PAUSE_S * 2 ** (attempt - 1))
    return write()


def leave_to_others(free_since: float) -> None:
    """Wait until the write lock was free for as long as others need to find it so.

    `free_since` is when the last transaction ended, by `time.monotonic`. Only SQLite has one lock for all.
    """
    if connection.vendor == "sqlite":
        time.sleep(max(0.0, free_since + LOOKS_S - time.monotonic()))
