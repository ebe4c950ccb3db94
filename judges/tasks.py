"""The work of judges in the background. Tasks take ids, re-read, and return early if nothing is to do."""

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from infrastructure.background.kinds import JobKind, register
from infrastructure.background.subjects import Subjects
from judges.imported.uploads import KIND as IMPORT_VERDICTS
from judges.imported.uploads import import_verdicts_of, sweep_unmapped_tables
from judges.language_models.calls.budgets import drop_lapsed
from judges.language_models.criteria_drafts import KIND, draft_criteria_of
from judges.models import ACTIVE, DraftRun, Run, VerdictImport
from judges.runs.worker import finish_if_done, work_in_slot
from judges.runs.worker_slots import send_lost_slots

register(
    JobKind(
        KIND,
        _("Drafts of criteria"),
        draft_criteria_of,
        subjects=Subjects(DraftRun, name="campaign__title", url="rubric-drafts", args=("campaign__slug",)),
    ),
    JobKind(
        IMPORT_VERDICTS,
        _("Import of verdicts"),
        import_verdicts_of,
        subjects=Subjects(VerdictImport, name="campaign__title", url="verdict-import", args=("campaign__slug", "pk")),
    ),
)


@shared_task
def judge_slot_task(worker_slot_id: int) -> int:
    return work_in_slot(worker_slot_id)


@shared_task
def pick_up_runs_task() -> int:
    """Runs whose message was lost or whose worker died go on."""
    for run in Run.objects.filter(status__in=ACTIVE):
        finish_if_done(run)
    for run in Run.objects.filter(reservations__isnull=False).exclude(status__in=ACTIVE).distinct():
        drop_lapsed(run)
    return send_lost_slots()


@shared_task
def sweep_unmapped_tables_task() -> int:
    return sweep_unmapped_tables()
