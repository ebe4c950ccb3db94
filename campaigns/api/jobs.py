from collections.abc import Iterator
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.views import ApiViewSet
from campaigns.background.jobs import job_for
from campaigns.models import Campaign, Import, Job


class RowErrorSerializer(serializers.Serializer):
    row = serializers.IntegerField(allow_null=True, help_text="from 1, as in the file; null for the whole of it")
    field = serializers.CharField(help_text="the column, or the clip")
    message = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning"])


class JobSerializer(serializers.ModelSerializer):
    errors = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ["id", "kind", "subject", "status", "done", "total", "note", "error", "errors", "created_at",
                  "finished_at"]  # fmt: skip

    @extend_schema_field(RowErrorSerializer(many=True))
    def get_errors(self, row: Job) -> list[dict[str, Any]]:
        return list(row_errors(row))


class JobViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    @extend_schema(responses=JobSerializer)
    def retrieve(self, request: Request, pk: UUID) -> Reply:
        """How a piece of background work goes: ask again until it is `succeeded` or `failed`."""
        return Reply(JobSerializer(job_for(request.user, pk)).data)


def row_errors(row: Job) -> Iterator[dict[str, Any]]:
    """What the work found wrong, row by row."""
    if row.kind in {"import-check", "import-write"}:
        upload = Import.objects.filter(pk=row.subject).first()
        yield from upload.report.get("problems", []) if upload else []
    elif row.kind == "prepare-audio":
        campaign = Campaign.objects.filter(pk=row.subject).first()
        for problem in campaign.audio_problems if campaign else []:
            yield {"row": None, "field": problem["where"], "message": problem["message"], "severity": "error"}
