"""The job that computes metrics, without what it computes with: statistics take a second to import."""

from corpus.models import Dataset
from infrastructure.background.jobs import latest_job
from infrastructure.models import Job
from measurements.models import MetricRun

KIND = "compute-metrics"


def metrics_job(dataset: Dataset) -> Job | None:
    """The latest, still to come, running or ended."""
    run = MetricRun.objects.filter(dataset=dataset).last()
    return latest_job(KIND, run.pk) if run else None
