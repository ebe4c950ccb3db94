"""The background work of datasets: imports, and files that nobody will come back for."""

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from corpus.imports.files.abandoned import sweep_abandoned_files
from corpus.imports.uploads.jobs import (
    IMPORTS,
    cancel_check,
    check_again,
    check_import,
    fetches_audio,
    page_of_import,
    problems_of_import,
    write_import,
)
from corpus.imports.uploads.left import queue_left
from corpus.models import Import
from infrastructure.background.kinds import JobKind, register

register(
    JobKind(
        "import-check",
        _("Check of an import"),
        check_import,
        page=page_of_import,
        problems=problems_of_import,
        subjects=IMPORTS,
        cancellable=True,
        on_cancel=cancel_check,
        waits_for_servers=fetches_audio,
        on_end=check_again,
    ),
    JobKind(
        "import-write",
        _("Import"),
        write_import,
        page=page_of_import,
        problems=problems_of_import,
        subjects=IMPORTS,
        waits_for_servers=fetches_audio,
    ),
)


@shared_task
def queue_left_imports_task() -> int:
    return queue_left(Import.objects.all())


@shared_task
def sweep_abandoned_files_task() -> int:
    return sweep_abandoned_files()
