"""Which reports a user may see."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from analytics.models import AskedReport, Report
from analytics.reports.contract import ReportKind
from analytics.reports.kinds import KINDS
from analytics.reports.pages.serving import kind_of
from analytics.reports.storage import require_names_shown_in
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign


def right_to(kind: ReportKind) -> Right:
    return Right.REVIEW if kind.about_people else Right.VIEW


def kinds_for(campaign: Campaign, user: User) -> list[ReportKind]:
    """The kinds that this person may see."""
    rights = rights_in(campaign, user)
    return [kind for kind in KINDS.values() if right_to(kind) in rights]


def kind_for(user: User, slug: str, kind: str) -> tuple[Campaign, ReportKind]:
    """The campaign and the kind, for those who may see such a report. Raises Http404, PermissionDenied."""
    if kind not in KINDS:
        raise Http404("There is no such kind of report.")
    return campaign_for(user, slug, right_to(KINDS[kind])), KINDS[kind]


def report_for(user: User, pk: UUID, right: Right = Right.VIEW) -> Report:
    """Raises Http404 for those without a part in its campaign, PermissionDenied where their role falls short."""
    row = Report.objects.select_related("campaign__dataset").filter(pk=pk, campaign__deleting_since=None).first()
    if row is None:
        raise Http404("There is no such report; one that nobody keeps is thrown away after a while.")
    _require(user, row, right, right_to(kind_of(row)))
    require_names_shown_in(row)
    return row


def asked_report_for(user: User, pk: UUID) -> AskedReport:
    """Raises what `report_for` raises."""
    there = AskedReport.objects.filter(campaign__deleting_since=None)
    row = there.select_related("campaign__dataset", "job").filter(pk=pk).first()
    if row is None:
        raise Http404("Nobody asked for such a report lately.")
    _require(user, row, Right.VIEW, right_to(KINDS[row.kind]) if row.kind in KINDS else Right.VIEW)
    return row


def _require(user: User, row: Report | AskedReport, *needed: Right) -> None:
    rights = rights_in(row.campaign, user)
    if Right.VIEW not in rights:
        raise Http404("There is no such report among yours.")
    if not set(needed) <= rights:
        raise PermissionDenied(_("Your role in this campaign does not allow this."))
