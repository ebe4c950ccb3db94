"""Scheduled tasks of the quality rules and the alarm of exclusions."""

import logging

from celery import shared_task
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from analytics.exports.making import KIND as MAKE_EXPORT
from analytics.exports.making import drop_outdated, make_export, show_export_job, sweep_exports
from analytics.exports.notices import tell_owner
from analytics.models import AskedReport, ExclusionAlarm, Export
from analytics.monitoring.alarms import watch_exclusions
from analytics.quality.evaluate import campaigns_to_look_at, look_at
from analytics.reports.jobs import KIND as MAKE_REPORT
from analytics.reports.jobs import make_report, show_report_job
from analytics.reports.storage import thin_reports
from analytics.retention.deletion import carry_out_found_twice
from analytics.storage.clearing import CLEAR
from analytics.storage.measuring import MEASURE, clear_and_measure, measure_storage, start_measuring
from analytics.study_imports.uploads import CHECK as CHECK_STUDY
from analytics.study_imports.uploads import WRITE as WRITE_STUDY
from analytics.study_imports.uploads import check_study_import, write_study_import
from campaigns.models import Campaign
from corpus.imports.uploads.jobs import IMPORTS, cancel_check, check_again
from infrastructure.background.kinds import JobKind, register
from infrastructure.background.subjects import Subjects

logger = logging.getLogger(__name__)
register(
    JobKind(
        MAKE_EXPORT,
        _("Export"),
        make_export,
        subjects=Subjects(Export, name="campaign__title", url="exports", args=("campaign__slug",)),
        repeatable=True,
        relink=show_export_job,
        cancellable=True,
    ),
    JobKind(
        MAKE_REPORT,
        _("Report"),
        make_report,
        subjects=Subjects(AskedReport, name="campaign__title", url="results", args=("campaign__slug",)),
        repeatable=True,
        relink=show_report_job,
        cancellable=True,
    ),
    JobKind(MEASURE, _("Measuring storage"), measure_storage, repeatable=True, cancellable=True),
    JobKind(CLEAR, _("Clearing storage"), clear_and_measure, repeatable=True, cancellable=True),
    JobKind(
        CHECK_STUDY,
        _("Check of a study’s import"),
        check_study_import,
        subjects=IMPORTS,
        cancellable=True,
        on_cancel=cancel_check,
        on_end=check_again,
    ),
    JobKind(WRITE_STUDY, _("Import of a study"), write_study_import, subjects=IMPORTS),
)


@shared_task
def watch_exclusions_task() -> int:
    """Look at every campaign in which answers may come or an alarm stands; return how many alarms stand.

    A look that fails is no alarm and ends none: it is logged, and the next one comes in a minute.
    """
    alarming = ExclusionAlarm.objects.filter(ended_at=None).values("campaign")
    watched = Q(status__in=[Campaign.Status.OPEN, Campaign.Status.PAUSED]) | Q(pk__in=alarming)
    standing = 0
    for campaign in Campaign.objects.filter(watched):
        try:
            standing += watch_exclusions(campaign) is not None
        except Exception:
            logger.exception("The exclusions of campaign %s could not be looked at", campaign.slug)
    return standing


@shared_task
def look_at_quality_task() -> int:
    """Send a task for each campaign with something new; an error in one does not stop the others."""
    waiting = list(campaigns_to_look_at())
    for campaign in waiting:
        look_at_campaign_task.delay(campaign)
    return len(waiting)


@shared_task
def sweep_exports_task() -> int:
    """Delete expired files; the owner of a file that contained withdrawn answers is notified."""
    dropped = drop_outdated()
    for row in dropped:
        try:
            tell_owner(row)
        except OSError:  # so are all the faults of SMTP; the page tells it, too
            logger.exception("The owner of export %s could not be notified that it was deleted", row.pk)
    return len(dropped) + sweep_exports()


@shared_task
def retention_task() -> int:
    """Once a night: forget and delete what is not to be kept any longer; return in how many campaigns."""
    return carry_out_found_twice(now=timezone.now())


@shared_task
def look_at_campaign_task(campaign: int) -> int:
    row = Campaign.objects.filter(pk=campaign).first()
    return len(look_at(row)) if row else 0


@shared_task
def thin_reports_task() -> int:
    """Delete old reports that are not kept; return how many."""
    return thin_reports(timezone.now())


@shared_task
def measure_storage_task() -> None:
    """Once a day, so that the page of storage has figures that are not old."""
    start_measuring(by=None)
