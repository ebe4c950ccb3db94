"""Upkeep of the installation itself."""

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from accounts.old_pages import drop_old_pages
from config.administration.backups import BACK_UP, TEST, back_up_if_due, make_backup, test_backup
from config.sqlite.statistics import analyse
from infrastructure.background.kinds import JobKind, register

register(
    JobKind(BACK_UP, _("Backup"), make_backup, repeatable=True, cancellable=True),
    JobKind(TEST, _("Test of a backup"), test_backup, repeatable=True, cancellable=True),
)


@shared_task
def analyse_task() -> None:
    analyse()


@shared_task
def drop_old_pages_task() -> bool:
    return drop_old_pages()


@shared_task
def back_up_if_due_task() -> bool:
    return back_up_if_due()
