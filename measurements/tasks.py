"""The jobs of measurements."""

from django.utils.translation import gettext_lazy as _

from corpus.models import Dataset
from infrastructure.background.kinds import JobKind, register
from infrastructure.background.subjects import Subjects
from measurements.clip_features.jobs import KIND as EXTRACT_FEATURES
from measurements.clip_features.jobs import extract_features_of
from measurements.identity_leaks import scans
from measurements.models import IdentityScan, MetricRun
from measurements.scores.computing import run_metrics
from measurements.scores.jobs import KIND as COMPUTE_METRICS

register(
    JobKind(
        COMPUTE_METRICS,
        _("Metrics"),
        run_metrics,
        subjects=Subjects(MetricRun, name="dataset__name", url="dataset", args=("dataset__slug",)),
        repeatable=True,
        cancellable=True,
    ),
    JobKind(
        scans.KIND,
        _("Search for responses that name their system"),
        scans.run_scan,
        subjects=Subjects(IdentityScan, name="dataset__name", url="dataset", args=("dataset__slug",)),
        repeatable=True,
        cancellable=True,
    ),
    JobKind(
        EXTRACT_FEATURES,
        _("Features of clips"),
        extract_features_of,
        subjects=Subjects(Dataset, name="name", url="dataset", args=("slug",)),
        repeatable=True,
        cancellable=True,
    ),
)
