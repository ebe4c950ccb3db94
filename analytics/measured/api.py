"""What is measured on a dataset, by the API: metrics, likelihoods and features, started, taken in and read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_account
from analytics.measured.forms import (
    MAX_TABLE_BYTES,
    DeltaForm,
    LikelihoodsForm,
    MetricsForm,
    ScoresForm,
    as_path,
)
from analytics.measured.table import likelihood_table, metric_table
from corpus.access import dataset_for, dataset_to_change
from corpus.imports.files.rows import UnreadableManifest
from infrastructure.background.api import JobSerializer
from infrastructure.files.upload_limits import takes_files
from infrastructure.wording.reason_api import ReasonSerializerField
from measurements.clip_features.jobs import dataset_clips, extracting_job, how_far, start_extracting
from measurements.imported_tables import CheckedTable
from measurements.likelihood.nll import DELTA
from measurements.likelihood.tables import import_likelihoods
from measurements.metrics.registry import METRICS
from measurements.scores.computing import start_metrics
from measurements.scores.jobs import metrics_job
from measurements.scores.tables import import_scores

MOST_PROBLEMS = 50
COMPUTED = sorted(name for name, metric in METRICS.items() if not metric.is_imported_only)


class IntervalSerializer(serializers.Serializer):
    low = serializers.FloatField()
    high = serializers.FloatField()
    level = serializers.FloatField()
    method = serializers.CharField()


class StatisticSerializer(serializers.Serializer):
    estimate = serializers.FloatField(allow_null=True, help_text="null where it is undefined; `reason` says why")
    n = serializers.IntegerField()
    left_out = serializers.SerializerMethodField(help_text="so many, without a value")
    method = serializers.CharField()
    interval = IntervalSerializer(allow_null=True)
    reason = ReasonSerializerField()

    def get_left_out(self, row: Mapping[str, Any]) -> int:
        return sum(part.n for part in row["excluded"])


class ScoreSerializer(StatisticSerializer):
    system = serializers.CharField()
    metric = serializers.CharField(help_text="its name")
    title = serializers.CharField()
    source = serializers.CharField(help_text="computed here, or imported")
    version = serializers.CharField()
    direction = serializers.CharField(help_text="what is better: `higher`, `lower`, or near this number")


class KnownMetricSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    axis = serializers.CharField()
    direction = serializers.CharField(help_text="what is better: `higher`, `lower`, or near this number")
    is_computed = serializers.SerializerMethodField(help_text="here; scores of others are imported")

    def get_is_computed(self, row: Any) -> bool:
        return not row.is_imported_only


class MetricsSerializer(serializers.Serializer):
    scores = ScoreSerializer(many=True, help_text="one for each system and metric")
    metrics = KnownMetricSerializer(many=True)
    job = JobSerializer(allow_null=True, help_text="that computed last; null: none did")


class NewMetricsSerializer(serializers.Serializer):
    names = serializers.ListField(child=serializers.ChoiceField(COMPUTED), min_length=1)


class TableSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="CSV, JSON Lines or Parquet, as the page describes it")


class TakenTableSerializer(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField(help_text="rows that were there already")
    left_out = serializers.IntegerField(help_text="scores of VERSA that are no numbers")
    unused = serializers.ListField(child=serializers.CharField(), help_text="columns that are not scores")


class LikelihoodSerializer(StatisticSerializer):
    model = serializers.CharField()
    category = serializers.CharField()
    kind = serializers.CharField(help_text="of likelihood")


class LikelihoodsSerializer(serializers.Serializer):
    delta = serializers.IntegerField(help_text="window in frames")
    shares = LikelihoodSerializer(many=True, help_text="of pairs whose right one is likelier")


class ExtractedSerializer(serializers.Serializer):
    feature = serializers.CharField(source="extractor.name")
    ok = serializers.IntegerField(help_text="clips")
    undefined = serializers.IntegerField()
    failed = serializers.IntegerField()
    missing = ReasonSerializerField(help_text="why it cannot be extracted here")


class FeaturesSerializer(serializers.Serializer):
    clips = serializers.IntegerField()
    extracted = ExtractedSerializer(many=True)
    job = JobSerializer(allow_null=True, help_text="that extracted last; null: none did")


class MetricViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(MetricsSerializer), operation_id="metrics")
    def list(self, request: Request, dataset: str) -> Reply:
        """The metrics that there are, and what they say of each system."""
        row = dataset_for(request.user, dataset)
        table = metric_table(row)
        scores = [
            {
                "system": system, "metric": column.metric.name, "title": column.metric.title, "source": column.source,
                "version": column.version, "direction": column.metric.direction, **vars(cell),
            }
            for system, cells in table.rows
            for column, cell in zip(table.columns, cells, strict=True)
            if cell is not None
        ]  # fmt: skip
        return Reply(MetricsSerializer({"scores": scores, "metrics": METRICS.values(), "job": metrics_job(row)}).data)

    @extend_schema(request=NewMetricsSerializer, responses={202: JobSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """Compute metrics over every response. While a run goes on, that one is it."""
        row = dataset_to_change(request.user, dataset)
        names = cleaned(MetricsForm(self.checked(NewMetricsSerializer), names=COMPUTED))["names"]
        try:
            job = start_metrics(row, names=names, user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal, [("names", refusal)]) from refusal
        return Reply(JobSerializer(job).data, status=202)

    @takes_files(most=MAX_TABLE_BYTES)
    @extend_schema(request={"multipart/form-data": TableSerializer}, responses={201: TakenTableSerializer})
    @action(detail=False, methods=["post"], parser_classes=[MultiPartParser])
    def scores(self, request: Request, dataset: str) -> Reply:
        """Take in a table of scores that were computed elsewhere, all of it or nothing."""
        row = dataset_to_change(request.user, dataset)
        file = cleaned(ScoresForm(request.data, request.FILES))["file"]
        return _taken(table_taken(file, lambda path: import_scores(row, path)))


class LikelihoodViewSet(ApiViewSet):
    pagination_class = None
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=forced_singular_serializer(LikelihoodsSerializer),
        parameters=[OpenApiParameter("delta", int, description="window in frames")],
        operation_id="likelihoods",
    )
    def list(self, request: Request, dataset: str) -> Reply:
        """How often each model found the right one of two likelier, by kind of likelihood."""
        row = dataset_for(request.user, dataset)
        delta = cleaned(DeltaForm({"delta": DELTA} | request.query_params.dict()))["delta"]
        kinds, rows = likelihood_table(row, delta=delta)
        shares = [
            {"model": model, "category": category, "kind": kind, **vars(cell)}
            for model, category, cells in rows
            for kind, cell in zip(kinds, cells, strict=True)
        ]
        return Reply(LikelihoodsSerializer({"delta": delta, "shares": shares}).data)

    @takes_files(most=MAX_TABLE_BYTES)
    @extend_schema(request={"multipart/form-data": TableSerializer}, responses={201: TakenTableSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """Take in log-probabilities of models, all of the table or nothing."""
        row = dataset_to_change(request.user, dataset)
        file = cleaned(LikelihoodsForm(request.data, request.FILES))["file"]
        return _taken(table_taken(file, lambda path: import_likelihoods(row, path, user=request.user)))


class FeatureViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(FeaturesSerializer), operation_id="features")
    def list(self, request: Request, dataset: str) -> Reply:
        """How far the features of a dataset's clips are extracted."""
        require_account(request.user)
        row = dataset_for(request.user, dataset)
        clips = dataset_clips(row)
        found = {"clips": clips.count(), "extracted": how_far(clips), "job": extracting_job(row)}
        return Reply(FeaturesSerializer(found).data)

    @extend_schema(request=None, responses={202: JobSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """Extract the features that are missing, and try again those that failed."""
        require_account(request.user)
        row = dataset_to_change(request.user, dataset)
        return Reply(JobSerializer(start_extracting(row, user=request.user)).data, status=202)


def table_taken(file: UploadedFile, take: Callable[[Path], CheckedTable[Any, Any]]) -> CheckedTable[Any, Any]:
    """Raises Unprocessable with what is wrong, row by row; then nothing was taken."""
    try:
        with as_path(file) as path:
            checked = take(path)
    except UnreadableManifest as unreadable:
        raise Unprocessable(str(unreadable), [("file", str(unreadable))]) from unreadable
    if checked.problems:
        some = [f"row {it.row}: {it.message}" if it.row else str(it.message) for it in checked.problems]
        raise Unprocessable("Nothing was taken.", [("file", it) for it in some[:MOST_PROBLEMS]])
    return checked


def _taken(checked: CheckedTable[Any, Any]) -> Reply:
    told = {"new": checked.n_new, "known": checked.n_known, "left_out": checked.n_left_out, "unused": checked.unused}
    return Reply(told, status=201)
