"""The work of judges in the background. Tasks take ids, re-read, and return early if nothing is to do."""

from celery import shared_task

from campaigns import jobs
from judges import identity_scans, metric_scores
from judges.budgets import drop_lapsed
from judges.drafts import KIND, draft_criteria_of
from judges.feature_jobs import KIND as EXTRACT_FEATURES
from judges.feature_jobs import extract_features_of
from judges.imported.uploads import KIND as IMPORT_VERDICTS
from judges.imported.uploads import import_verdicts_of
from judges.lanes import ring_lost_lanes
from judges.models import ACTIVE, Run
from judges.working import finish_if_done, work_lane

jobs.register(KIND, draft_criteria_of)
jobs.register(metric_scores.KIND, metric_scores.run_metrics)
jobs.register(identity_scans.KIND, identity_scans.run_scan)
jobs.register(jobs.SCAN_IMPORTED, identity_scans.scan_imported)
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
