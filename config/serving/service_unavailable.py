"""Why a request failed, where that is not a fault of ours: the database is away, or the disk is full."""

import errno
import sqlite3
from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from psycopg import Error, InterfaceError, OperationalError

from infrastructure.files.media import StorageUnavailable

NO_ROOM = _("The server's disk is full, so nothing can be stored until space is freed.")
NO_DATABASE = _("The server's database does not answer at the moment.")
NO_STORAGE = _("The storage of recordings and exports does not answer at the moment.")
#: Codes of SQLite: the disk is full; busy, locked, unreadable, cannot be opened, turned read-only.
SQLITE_FULL = sqlite3.SQLITE_FULL
SQLITE_AWAY = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
)
#: PostgreSQL's: disk full; and, by their first two letters, connection lost, too few resources, shutting down or
#: starting up, a fault of the system.
POSTGRES_FULL = "53100"
POSTGRES_AWAY = ("08", "53", "57", "58")


def reason(error: BaseException | None) -> Promise | None:
    """Why nothing can be stored or read; None for what is a fault of ours."""
    chain = list(_causes(error))
    if any(_says_full(it) for it in chain):
        return NO_ROOM
    if any(isinstance(it, StorageUnavailable) for it in chain):
        return NO_STORAGE
    return NO_DATABASE if any(_says_away(it) for it in chain) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Django's error is there because of the driver's."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _says_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return _sqlite_code(error) == SQLITE_FULL or getattr(error, "sqlstate", None) == POSTGRES_FULL


def _says_away(error: BaseException) -> bool:
    """A PostgreSQL error without a code is of the connection."""
    if isinstance(error, Error) and error.sqlstate:
        return error.sqlstate.startswith(POSTGRES_AWAY)
    if isinstance(error, (OperationalError, InterfaceError)):
        return True
    return _sqlite_code(error) in SQLITE_AWAY


def _sqlite_code(error: BaseException) -> int | None:
    """The primary code, without what SQLite adds to it."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
