"""SQLite's files have nothing left of what was deleted: its log of writes holds the pages as they were before.

`PRAGMA secure_delete` overwrites what is deleted in the pages of the database, which reach its file, and leave the
log, at a checkpoint alone; while a connection is open, the log is not cut by itself.
"""

import logging
import sqlite3

from django.db import OperationalError, connection, transaction

logger = logging.getLogger(__name__)
#: So long (ms) it waits for those who read or write; the task that comes each minute tries again.
WAIT_MS = 2_000


def drop_old_pages_after_commit() -> None:
    """Once the transaction is over: what it deleted, and what was changed before."""
    transaction.on_commit(drop_old_pages)


def drop_old_pages() -> bool:
    """Write every page into the database's file, and cut the log to nothing. Returns whether it was done.

    Not while a reader has rows of before, nor inside a transaction. Another database than SQLite has no such log.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return connection.vendor != "sqlite"
    with connection.cursor() as cursor:
        waits = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={WAIT_MS}")
        try:
            is_busy = bool(cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        except OperationalError as error:
            if getattr(error.__cause__, "sqlite_errorcode", None) not in (sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_BUSY):
                raise
            is_busy = True  # this connection itself reads
        finally:
            cursor.execute(f"PRAGMA busy_timeout={waits}")
    if is_busy:
        logger.info("The database is in use; what was deleted leaves its log of writes within a minute.")
    return not is_busy
