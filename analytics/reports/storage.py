"""Reports as rows: computed once for the same data and settings, kept, shared, and thinned."""

import hashlib
import json
import time
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from analytics.data.hidden_names import names_are_hidden
from analytics.data.label_arrays import stamp_of
from analytics.models import AskedReport, Report, ReportShare
from analytics.reports.contract import ReportKind
from analytics.reports.output.encoding import decoded_figures, encoded_figures
from analytics.reports.output.figures import Figure
from analytics.reports.pages.settings import as_address
from analytics.reports.source import Settings, Source
from campaigns.access import require_names_shown
from campaigns.audit_log import record_in
from campaigns.models import Campaign
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import ReasonCode

COMPUTING = ReasonCode("computing_figures", "Computing figures")

#: How long a report that is not kept stays, when there is a newer one of its kind and settings.
STAYS = timedelta(days=30)
#: A link that does not last until it is taken back.
MOST_SHARED_DAYS = 3650
#: After this time, a process that was computing is considered dead.
LONGEST_S = 300
SHARED = AuditEvent(
    "report_shared", gettext_lazy("A link was made by which everybody can read a report and its names: %(report)s.")
)
UNSHARED = AuditEvent("report_unshared", gettext_lazy("A link to a report was closed: %(report)s."))


class BeingComputedError(Exception):
    """Another request is computing it: ask again in a moment."""


def no_progress(_done: int, _total: int, _note: str) -> None:
    """For who computes a report at once."""


def latest(campaign: Campaign, kind: ReportKind, settings: Settings) -> Report | None:
    """The report of the data as they are now, where it was computed already."""
    return Report.objects.filter(**_identity(Source(campaign, settings), kind)).first()


def report_of(
    campaign: Campaign, kind: ReportKind, settings: Settings, *, progress: ShowProgress = no_progress
) -> Report:
    """The report of the data as they are now. Computing it may take seconds."""
    source = Source(campaign, settings)
    identity = _identity(source, kind)
    if (kept := Report.objects.filter(**identity).first()) is not None:
        return kept
    began = time.perf_counter()
    computed = []
    for n, figure in enumerate(kind.figures(source), start=1):
        computed.append(figure)
        progress(n, n + 1, COMPUTING())
    figures = encoded_figures(computed)
    made = {"settings": as_address(settings), "figures": figures, "took_s": time.perf_counter() - began}
    row, _made = Report.objects.get_or_create(**identity, defaults=made)
    return row


def report_unless_under_way(campaign: Campaign, kind: ReportKind, settings: Settings) -> Report:
    """The same for pages, of which one computes what several ask for. Raises BeingComputedError for the others."""
    identity = _identity(Source(campaign, settings), kind)
    mine = f"report-{_sha256(identity | {'campaign': campaign.pk})}"
    if not cache.add(mine, True, LONGEST_S):
        raise BeingComputedError
    try:
        return report_of(campaign, kind, settings)
    finally:
        cache.delete(mine)


def figures_of(report: Report) -> list[Figure]:
    return decoded_figures(report.figures)


def require_names_shown_in(report: Report) -> None:
    """Raise PermissionDenied for a report that names the systems, because it is older than the lock on names."""
    campaign = report.campaign
    if names_are_hidden(campaign) and report.computed_at < campaign.name_lock.made_at:
        require_names_shown(campaign)


def keep(report: Report) -> None:
    """Have it stay for good, so that its address does."""
    Report.objects.filter(pk=report.pk, kept_at=None).update(kept_at=timezone.now())


@transaction.atomic
def share(report: Report, *, user: User, expires_at: datetime | None = None) -> ReportShare:
    keep(report)
    link = ReportShare.objects.create(report=report, created_by=user, expires_at=expires_at)
    record_in(report.campaign, SHARED, by=user, report=report.kind)
    return link


@transaction.atomic
def take_back(link: ReportShare, *, by: User) -> None:
    if ReportShare.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record_in(link.report.campaign, UNSHARED, by=by, report=link.report.kind)


def thin_reports(now: datetime) -> int:
    """Delete old reports that are not kept. They can be computed again as long as the data are the same."""
    AskedReport.objects.filter(asked_at__lt=now - STAYS).delete()
    gone, _by_model = Report.objects.filter(kept_at=None, computed_at__lt=now - STAYS).delete()
    return gone


def _identity(source: Source, kind: ReportKind) -> dict[str, object]:
    campaign = source.campaign
    stamp = [*stamp_of(campaign), *kind.more_stamps(source), names_are_hidden(campaign)]
    return {
        "campaign": campaign,
        "kind": kind.name,
        "settings_digest": _sha256(as_address(source.settings)),
        "data_sha256": _sha256(stamp),
        "version": kind.version,
    }


def _sha256(said: object) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()
