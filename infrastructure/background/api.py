from collections.abc import Callable
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_administrator
from infrastructure.background.jobs import JobRefused, cancel_job, job_for, run_again
from infrastructure.background.kinds import kind_of
from infrastructure.models import Job
from infrastructure.wording.reason_api import ReasonSerializerField


class RowErrorSerializer(serializers.Serializer):
    row = serializers.IntegerField(allow_null=True, help_text="from 1, as in the file; null for the whole of it")
    field = serializers.CharField(help_text="the column, or the clip")
    message = ReasonSerializerField()
    severity = serializers.ChoiceField(["error", "warning"])


class JobSerializer(serializers.ModelSerializer):
    note = ReasonSerializerField()
    error = ReasonSerializerField()
    errors = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ["id", "kind", "subject", "status", "done", "total", "note", "error", "errors", "created_at",
                  "finished_at"]  # fmt: skip

    @extend_schema_field(RowErrorSerializer(many=True))
    def get_errors(self, row: Job) -> Any:
        kind = kind_of(row.kind)
        return RowErrorSerializer(kind.problems(row.subject) if kind else [], many=True).data


class JobViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    @extend_schema(responses=JobSerializer)
    def retrieve(self, request: Request, pk: UUID) -> Reply:
        """How a piece of background work goes: ask again until it is `succeeded`, `failed` or `cancelled`."""
        return Reply(JobSerializer(job_for(request.user, pk)).data)

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: UUID) -> Reply:
        """End it, for administrators. A worker stops at the next progress that it reports."""
        return self._done(request, pk, cancel_job)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def again(self, request: Request, pk: UUID) -> Reply:
        """Run what failed again, for administrators: a new job, for the same person."""
        return self._done(request, pk, run_again, status=202)

    def _done(self, request: Request, pk: UUID, act: Callable[..., Job], *, status: int = 200) -> Reply:
        require_administrator(request.user)
        try:
            row = act(job_for(request.user, pk), by=request.user)
        except JobRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(JobSerializer(row).data, status=status)
