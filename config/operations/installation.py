"""What the server needs before it shows a page: tables, static files, translations. What is there is left alone."""

import fcntl
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from config.operations.messages import catalogues, compile_stale
from config.operations.readiness import missing_migrations

logger = logging.getLogger(__name__)
MANIFEST = "staticfiles.json"


def prepare_installation(say: Callable[[str], object] = logger.info) -> None:
    """Make the data folder, compile translations, migrate and collect static files, each only where that is due.

    Several web processes that share a data folder take turns; all but the first find nothing left to do.
    """
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _one_at_a_time(settings.DATA_DIR / ".preparing"):
        _compile_translations()
        if missing_migrations():
            say("Preparing the database …")
            call_command("migrate", interactive=False, verbosity=0)
        if not static_files_are_current():
            say("Collecting the files of the pages …")
            call_command("collectstatic", interactive=False, verbosity=0)


def static_files_are_current() -> bool:
    """Whether the collected files are those of this program: none is missing, and none was changed since."""
    manifest = Path(settings.STATIC_ROOT) / MANIFEST
    if not manifest.exists():
        return False
    collected = json.loads(manifest.read_text(encoding="utf-8"))["paths"]
    at = manifest.stat().st_mtime
    return all(name in collected and path.stat().st_mtime <= at for name, path in _sources())


def _sources() -> Iterator[tuple[str, Path]]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))


def _compile_translations() -> None:
    """Pages are in English where the folder of the program cannot be written; an installer compiles them there."""
    for catalogue in catalogues():
        try:
            compile_stale(catalogue)
        except PermissionError as error:
            logger.warning(
                "Translations are not compiled (%s). Run `python -m config.operations.messages compile`.", error
            )


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
