"""The audit log by the API, for administrators."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import cleaned
from accounts.api.views import ApiViewSet
from accounts.audit_log.entries import worded
from accounts.audit_log.search import AuditSearch, entries_like
from accounts.models import AuditEntry
from accounts.people.rights import require_administrator

FILTERS = [
    OpenApiParameter("kind", enum=AuditEntry.Subject.values, description="of subject"),
    OpenApiParameter("event", description="a code, as entries have it"),
    OpenApiParameter("person", description="who did it or whom it concerns: a username, or # and a number"),
    OpenApiParameter("subject", description="part of the subject's name"),
    OpenApiParameter("since", OpenApiTypes.DATE, description="this day and later"),
    OpenApiParameter("until", OpenApiTypes.DATE, description="this day and before"),
]


class AuditEntrySerializer(serializers.ModelSerializer):
    by = serializers.IntegerField(
        source="by_id", allow_null=True, help_text="number of the account; null for the installation itself"
    )
    text = serializers.SerializerMethodField(help_text="what happened, in words")

    class Meta:
        model = AuditEntry
        fields = ["id", "at", "by", "event", "text", "params", "subject_kind", "subject_number", "subject_name"]

    def get_text(self, row: AuditEntry) -> str:
        return worded(row)


class AuditLogViewSet(ApiViewSet):
    @extend_schema(parameters=FILTERS, responses=AuditEntrySerializer(many=True))
    def list(self, request: Request) -> Reply:
        """What changed rights, data or the secrecy of names, newest first. For administrators."""
        require_administrator(request.user)
        return self.page(entries_like(**cleaned(AuditSearch(request.query_params))), AuditEntrySerializer)
