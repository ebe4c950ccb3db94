"""What takes room, and removing what can go, by the API. For administrators of the installation."""

import shutil
from typing import Any

from django.conf import settings
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Unprocessable
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_administrator
from analytics.storage.clearing import CLEAR, KINDS, NothingToClear, start_clearing
from analytics.storage.measuring import MEASURE, measured, start_measuring
from infrastructure.background.api import JobSerializer
from infrastructure.models import Job


class ClearableSerializer(serializers.Serializer):
    n = serializers.IntegerField(help_text="files or folders")
    bytes = serializers.IntegerField()


class DatasetStorageSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    n = serializers.IntegerField(help_text="recordings")
    originals = serializers.IntegerField(help_text="bytes, as the others")
    delivered = serializers.IntegerField()
    traps = serializers.IntegerField()
    exports = serializers.IntegerField()
    uploads = serializers.IntegerField()


class StorageSerializer(serializers.Serializer):
    measured_at = serializers.DateTimeField(allow_null=True, help_text="null: it was never measured")
    database = serializers.IntegerField(allow_null=True, help_text="bytes")
    folders = serializers.DictField(child=serializers.IntegerField(), help_text="bytes of each")
    datasets = DatasetStorageSerializer(many=True, help_text="the largest first")
    clearable = serializers.DictField(child=ClearableSerializer(), help_text="what can be removed, by its kind")
    disk_free = serializers.IntegerField()
    disk_total = serializers.IntegerField()
    job = JobSerializer(allow_null=True, help_text="that measured or cleared last")


class ClearSerializer(serializers.Serializer):
    what = serializers.ChoiceField([kind.name for kind in KINDS])


class StorageViewSet(ApiViewSet):
    pagination_class = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_administrator(request.user)

    @extend_schema(responses=forced_singular_serializer(StorageSerializer), operation_id="storage")
    def list(self, _request: Request) -> Reply:
        """What takes room, as it was measured last."""
        kept, disk = measured(), shutil.disk_usage(settings.DATA_DIR)
        data = kept.data if kept else {}
        found = {
            "measured_at": kept and kept.at,
            "database": data.get("database"),
            "folders": data.get("folders", {}),
            "datasets": data.get("datasets", []),
            "clearable": data.get("clearable", {}),
            "disk_free": disk.free,
            "disk_total": disk.total,
            "job": Job.objects.filter(kind__in=[MEASURE, CLEAR]).order_by("-created_at").first(),
        }
        return Reply(StorageSerializer(found).data)

    @extend_schema(request=None, responses={202: JobSerializer})
    def create(self, request: Request) -> Reply:
        """Measure what takes room again."""
        return Reply(JobSerializer(start_measuring(by=request.user)).data, status=202)

    @extend_schema(request=ClearSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"])
    def clear(self, request: Request) -> Reply:
        """Remove what can be made again, or what nothing refers to."""
        what = self.checked(ClearSerializer)["what"]
        try:
            job = start_clearing(what, by=request.user)
        except NothingToClear as refusal:
            raise Unprocessable(refusal, [("what", refusal)]) from refusal
        return Reply(JobSerializer(job).data, status=202)
