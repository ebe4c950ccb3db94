"""Runs that stopped by a fault, at their budget or because nothing could be called, for administrators."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from infrastructure.administration.failing_work import MOST, FailingWork
from judges.models import Run


def failing_runs() -> Iterator[FailingWork]:
    """The newest first, in one query."""
    stopped = Run.objects.filter(status__in=[Run.Status.FAILED, Run.Status.OVER_BUDGET])
    for run in stopped.select_related("judge", "campaign").order_by("-pk")[:MOST]:
        yield FailingWork(
            kind=_("Run of a judge: %(state)s") % {"state": run.get_status_display()},
            about=f"{run.judge.title} · {run.campaign.title}",
            address=reverse("run", args=[run.campaign.slug, run.pk]),
            since=run.finished_at or run.going_since,
            why=run.message,
        )
