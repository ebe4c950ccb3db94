"""What of measurements goes with a dataset."""

from django.utils.translation import ngettext_lazy

from corpus.models import Dataset
from infrastructure.deletion.subjects import Counted, Part, counts, goes_with, has_jobs
from measurements.clip_features.jobs import KIND as EXTRACT
from measurements.identity_leaks.scans import KIND as SCAN
from measurements.models import (
    IdentityHit,
    IdentityScan,
    LikelihoodSequence,
    MetricRun,
    MetricScore,
    ScannedResponse,
)
from measurements.scores.jobs import KIND as COMPUTE


def register_deletion() -> None:
    goes_with(
        Dataset,
        Part(MetricRun, "dataset"),
        Part(MetricScore, "system__dataset"),
        Part(LikelihoodSequence, "dataset"),
        Part(IdentityScan, "dataset"),
        Part(ScannedResponse, "scan__dataset"),
        Part(IdentityHit, "scanned__scan__dataset"),
    )
    counts(Dataset, Counted(MetricScore, "system__dataset", ngettext_lazy("%(n)s score", "%(n)s scores", "n")))
    has_jobs(Dataset, EXTRACT)
    has_jobs(MetricRun, COMPUTE)
    has_jobs(IdentityScan, SCAN)
