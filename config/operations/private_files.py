"""Whatever Earshot writes is for the user it runs as, and for nobody else on the machine.

Its processes create files under UMASK. What was there before, with wider permissions, is tightened when the server
starts; `manage.py check --deploy` names what is still open.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Warning as CheckWarning

UMASK = 0o077
OTHERS = 0o077


def write_privately() -> None:
    """Have this process, and those it starts, create files and folders for its own user alone."""
    os.umask(UMASK)


def private_paths() -> Iterator[Path]:
    """The folders and files that stand for the rest: nobody gets into a folder that is closed."""
    yield Path(settings.DATA_DIR)
    yield Path(settings.MEDIA_ROOT)
    yield settings.HOME_DIR / ".env"
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        yield from (Path(f"{database['NAME']}{suffix}") for suffix in ("", "-wal", "-shm"))


def open_to_others() -> list[Path]:
    """Those of the paths above that are there and that other users of the machine may read, write or enter."""
    return [path for path in private_paths() if path.exists() and path.stat().st_mode & OTHERS]


def tighten() -> list[Path]:
    """Close to others what belongs to this user; return what was changed."""
    found = [path for path in open_to_others() if path.stat().st_uid == os.geteuid()]
    for path in found:
        path.chmod(path.stat().st_mode & ~OTHERS & 0o7777)
    return found


def check_private_files(**_asked: Any) -> list[CheckWarning]:
    """For `manage.py check --deploy`."""
    return [
        CheckWarning(
            f"{path} can be read by other users of this machine.",
            hint=f"chmod -R go-rwx {path}",
            id="earshot.W001",
        )
        for path in open_to_others()
    ]
