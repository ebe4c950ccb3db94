"""The Celery application. Tasks carry ids only and live in each app's tasks.py."""

import os
from logging.config import dictConfig

from celery import Celery, signals
from django.conf import settings

from config.operations.private_files import write_privately

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("earshot")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.celeryd_init.connect
@signals.beat_init.connect
def _write_privately(**_asked: object) -> None:
    write_privately()


@signals.setup_logging.connect
def _log_as_everybody_else(**_asked: object) -> None:
    """Without this a worker would put its own lines, with the arguments of tasks, in place of ours."""
    dictConfig(settings.LOGGING)
