"""Deletions that stopped, in the list of work that stopped."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from infrastructure.administration.failing_work import FailingWork
from infrastructure.deletion.stopped import stopped_deletions


def failing_deletions() -> Iterator[FailingWork]:
    for it in stopped_deletions():
        address = reverse("job", args=[it.job.pk])
        yield FailingWork(_("Deletion"), it.name, address, it.job.finished_at, it.job.error)
