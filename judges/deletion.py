"""Judges: who may archive and delete them, and what of this app goes with them and with campaigns."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import AuditEntry, User
from accounts.people.rights import require_launcher
from campaigns.models import Campaign
from infrastructure.deletion.demo import stays_while
from infrastructure.deletion.subjects import Counted, Part, Subject, counts, goes_with, has_jobs, register
from infrastructure.whole_numbers import row_id
from judges.imported.uploads import KIND as IMPORT
from judges.language_models.criteria_drafts import KIND as DRAFT
from judges.models import (
    ACTIVE,
    Call,
    DraftReply,
    DraftRun,
    Judge,
    JudgeQualification,
    Reservation,
    Run,
    Verdict,
    VerdictAnswer,
    VerdictCall,
    VerdictImport,
    WorkerSlot,
)

GOES_ON = Q(status__in=(*ACTIVE, Run.Status.IMPORTING))
USED_ELSEWHERE = Q(uses__isnull=False)


def _page_of(run: Run) -> str:
    return reverse("run", args=[run.campaign.slug, run.pk])


def register_deletion() -> None:
    register(JUDGES)
    goes_with(
        Campaign,
        Part(Run, "campaign", busy=GOES_ON, page=_page_of),
        Part(JudgeQualification, "campaign"),
        Part(VerdictImport, "campaign", folder=lambda row: row.folder),
        Part(DraftRun, "campaign"),
        Part(DraftReply, "run__campaign"),
    )
    goes_with(Judge, Part(Run, "judge", busy=GOES_ON, page=_page_of), Part(JudgeQualification, "judge"))
    goes_with(
        Run,
        Part(WorkerSlot, "run"),
        Part(Reservation, "run"),
        Part(Verdict, "run"),
        Part(VerdictAnswer, "verdict__run"),
        Part(VerdictCall, "verdict__run"),
        Part(Call, "made_for__run", shared=USED_ELSEWHERE),
    )
    counts(Judge, Counted(Run, "judge__pk", ngettext_lazy("%(n)s run", "%(n)s runs", "n")))
    counts(Judge, Counted(Run, "judge__pk", _IN_CAMPAIGNS, distinct="campaign", is_loss=True))
    counts(Campaign, Counted(Run, "campaign", ngettext_lazy("%(n)s run of a judge", "%(n)s runs of judges", "n")))
    counts(Run, Counted(Verdict, "run", ngettext_lazy("%(n)s verdict", "%(n)s verdicts", "n")))
    has_jobs(VerdictImport, IMPORT)
    stays_while(Judge, Q(runs__campaign__is_demo=False))
    has_jobs(DraftRun, DRAFT)


def own_judge(user: User, pk: str) -> Judge:
    """For who made it, and administrators. Raises Http404, PermissionDenied."""
    require_launcher(user)
    row = Judge.objects.filter(pk=row_id(pk)).first()
    if row is None:
        raise Http404("There is no such judge.")
    if not _is_owner(user, row):
        raise PermissionDenied(_("Only who made a judge, or an administrator, can archive it."))
    return row


def _is_owner(user: User, row: Any) -> bool:
    return user.is_superuser or row.created_by_id == user.pk


_IN_CAMPAIGNS = ngettext_lazy(
    "%(n)s campaign in which it can no longer be compared with people",
    "%(n)s campaigns in which it can no longer be compared with people",
    "n",
)
JUDGES = Subject(
    kind="judge",
    model=Judge,
    title=_("Judges"),
    audit=AuditEntry.Subject.JUDGE,
    name="title",
    find=own_judge,
    may_delete=_is_owner,
    key=lambda row: str(row.pk),
    listing="judges",
    rename_note=_("Its kind and settings stay: other settings are another judge."),
    archive_note=_("It is no longer offered for new runs. Its runs and verdicts stay."),
    stays_note=_("The campaigns, the model that it asks, and replies that other judges use too."),
)
