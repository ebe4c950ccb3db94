"""The work of judges in the background. Tasks take ids, re-read, and return early if nothing is to do."""

from celery import shared_task

from campaigns.background import jobs
from judges.imported.uploads import KIND as IMPORT_VERDICTS
from judges.imported.uploads import import_verdicts_of
from judges.language_models.budgets import drop_lapsed
from judges.language_models.criteria_drafts import KIND, draft_criteria_of
from judges.models import ACTIVE, Run
from judges.runs.worker import finish_if_done, work_lane
from judges.runs.worker_slots import ring_lost_lanes
from measurements.clip_features.jobs import KIND as EXTRACT_FEATURES
from measurements.clip_features.jobs import extract_features_of
from measurements.identity_leaks import scans
from measurements.scores import computing

jobs.register(KIND, draft_criteria_of)
jobs.register(computing.KIND, computing.run_metrics)
jobs.register(scans.KIND, scans.run_scan)
jobs.register(jobs.SCAN_IMPORTED, scans.scan_imported)
jobs.register(IMPORT_VERDICTS, import_verdicts_of)
jobs.register(EXTRACT_FEATURES, extract_features_of)


@shared_task
def judge_lane_task(lane_id: int) -> int:
    return work_lane(lane_id)


@shared_task
def pick_up_runs_task() -> int:
    """Runs whose message was lost or whose worker died go on."""
    for run in Run.objects.filter(status__in=ACTIVE):
        finish_if_done(run)
    for run in Run.objects.filter(reservations__isnull=False).exclude(status__in=ACTIVE).distinct():
        drop_lapsed(run)
    return ring_lost_lanes()
