"""Which responses name their system, by the API. For staff; annotators have no way here."""

from django.http import HttpResponseBase
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import cleaned
from accounts.api.views import ApiViewSet
from analytics.measured.api import StatisticSerializer
from analytics.measured.forms import NamesForm
from analytics.measured.identity_leaks import Found, found_in, silent_pair_lines
from corpus.access import dataset_for, dataset_to_change
from infrastructure.background.api import JobSerializer
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from measurements.identity_leaks.scans import proposed_names, scan_job, start_scan
from measurements.models import IdentityHit

MOST_NAMES = 1000
PAIRS = {(200, "text/csv"): OpenApiTypes.STR}


class SystemShareSerializer(StatisticSerializer):
    system = serializers.CharField()
    leaks = serializers.IntegerField(help_text="responses that name it")


class HitSerializer(serializers.ModelSerializer):
    item = serializers.CharField(source="scanned.response.item.key")
    system = serializers.CharField(source="scanned.response.system.name")

    class Meta:
        model = IdentityHit
        fields = ["item", "system", "kind", "matched", "start", "of_transcript"]


class ScanSerializer(serializers.Serializer):
    ended_at = serializers.DateTimeField()
    names = serializers.ListField(child=serializers.CharField())
    systems = SystemShareSerializer(many=True)
    units = StatisticSerializer(help_text="the share of units with a response that names its system")
    n_hits = serializers.IntegerField()
    hits = HitSerializer(many=True, help_text="the first hundred")


class IdentityLeaksSerializer(serializers.Serializer):
    scan = ScanSerializer(allow_null=True, help_text="the latest that ended")
    proposed_names = serializers.ListField(child=serializers.CharField())
    job = JobSerializer(allow_null=True, help_text="of the scan that was started last")


class NewScanSerializer(serializers.Serializer):
    names = serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=MOST_NAMES,
        required=False,
        help_text="to look for, beside introductions; else those that are proposed",
    )


class IdentityLeakViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(IdentityLeaksSerializer), operation_id="identity_leaks")
    def list(self, request: Request, dataset: str) -> Reply:
        """Which responses name their system, by the latest scan."""
        row = dataset_for(request.user, dataset)
        found = found_in(row)
        said = {"scan": found and _scan(found), "proposed_names": proposed_names(row), "job": scan_job(row)}
        return Reply(IdentityLeaksSerializer(said).data)

    @extend_schema(request=NewScanSerializer, responses={202: JobSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """Have every text of the responses read for names of systems and for introductions."""
        row = dataset_to_change(request.user, dataset)
        names = self.checked(NewScanSerializer).get("names", proposed_names(row))
        kept = cleaned(NamesForm({"names": "\n".join(names)}))["names"]
        return Reply(JobSerializer(start_scan(row, names=kept, user=request.user)).data, status=202)

    @extend_schema(responses=PAIRS)
    @action(detail=False, url_path="pairs.csv")
    def pairs(self, request: Request, dataset: str) -> HttpResponseBase:
        """Pairs of responses without identity leaks, as units of a campaign take them."""
        row = dataset_for(request.user, dataset)
        return download(silent_pair_lines(row), name=f"{dataset}-pairs-without-names.csv", content_type=CSV)


def _scan(found: Found) -> dict[str, object]:
    systems = [{"system": name, "leaks": leaks, **vars(share)} for name, leaks, share in found.shares]
    return {
        "ended_at": found.scan.ended_at, "names": found.scan.names, "systems": systems, "units": vars(found.units),
        "n_hits": found.n_hits, "hits": found.hits,
    }  # fmt: skip
