"""Reports in the background: requested, computed by a job, found by the user who asked."""

from django.db import transaction

from accounts.models import User
from analytics.models import AskedReport
from analytics.reports.contract import ReportKind
from analytics.reports.kinds import KINDS
from analytics.reports.pages.settings import as_address, read_settings
from analytics.reports.source import Settings
from analytics.reports.storage import latest, report_of
from campaigns.models import Campaign
from infrastructure.background.jobs import JobFailed, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import Reasoned
from stats import reasons

KIND = "make-report"


class NoReport(Reasoned, ValueError):
    """There can be no such report of this campaign yet."""


def ask_report(campaign: Campaign, kind: ReportKind, settings: Settings, *, user: User) -> AskedReport:
    """With the report of the data as they are now where it is kept, else with the job that computes it.

    A report that is already being computed is not requested twice. Raises NoReport.
    """
    if why := kind.why_not(campaign):
        raise NoReport(why)
    asked = {"campaign": campaign, "kind": kind.name, "settings": as_address(settings)}
    if (kept := latest(campaign, kind, settings)) is not None:
        return AskedReport.objects.create(**asked, by=user, report=kept)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        under_way = AskedReport.objects.filter(**asked, report=None, job__status__in=["queued", "running"])
        return under_way.first() or _begin(asked, user)


def make_report(subject: str, progress: ShowProgress) -> None:
    """The job's work; done already, or the campaign deleted meanwhile: nothing is done."""
    row = AskedReport.objects.select_related("campaign__dataset").filter(pk=subject, report=None).first()
    if row is None:
        return
    if (kind := KINDS.get(row.kind)) is None:
        raise JobFailed(reasons.REPORT_GONE())
    if why := kind.why_not(row.campaign):
        raise JobFailed(why)
    settings = read_settings(row.campaign, kind, row.settings)
    AskedReport.objects.filter(pk=row.pk).update(report=report_of(row.campaign, kind, settings, progress=progress))


def show_report_job(job: Job) -> None:
    """A requested report whose job is run again shows the new one."""
    AskedReport.objects.filter(pk=job.subject, report=None).update(job=job)


def _begin(asked: dict[str, object], user: User) -> AskedReport:
    row = AskedReport.objects.create(**asked, by=user)
    row.job = start_job(KIND, subject=row.pk, started_by=user)
    row.save(update_fields=["job"])
    return row
