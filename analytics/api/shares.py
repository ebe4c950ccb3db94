"""Links by which one report can be read without an account, by the rights of the pages."""

from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply
from rest_framework.reverse import reverse

from accounts.api.views import ApiViewSet
from analytics.models import ReportShare
from analytics.reports.pages.rights import report_for
from analytics.reports.storage import MOST_SHARED_DAYS, share, take_back
from campaigns.access import Right


class ShareSerializer(serializers.ModelSerializer):
    address = serializers.SerializerMethodField(help_text="all who have it can read the report")

    class Meta:
        model = ReportShare
        fields = ["id", "address", "created_at", "expires_at"]

    def get_address(self, row: ReportShare) -> str:
        return str(reverse("shared-report", [row.token], request=self.context["request"]))


class NewShareSerializer(serializers.Serializer):
    days = serializers.IntegerField(
        min_value=1, max_value=MOST_SHARED_DAYS, required=False, help_text="until it is taken back, if none are named"
    )


class ReportShareViewSet(ApiViewSet):
    lookup_value_converter = "int"

    @extend_schema(responses=ShareSerializer(many=True))
    def list(self, request: Request, report: UUID) -> Reply:
        """The links to a report that are open."""
        row = report_for(request.user, report, Right.EXPORT)
        lasting = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
        return self.page(row.shares.filter(lasting, revoked_at=None), ShareSerializer)

    @extend_schema(request=NewShareSerializer, responses={201: ShareSerializer})
    def create(self, request: Request, report: UUID) -> Reply:
        """A link for reading. The report stays for good."""
        row = report_for(request.user, report, Right.EXPORT)
        days = self.checked(NewShareSerializer).get("days")
        until = timezone.now() + timedelta(days=days) if days else None
        made = share(row, user=request.user, expires_at=until)
        return Reply(ShareSerializer(made, context=self.get_serializer_context()).data, status=201)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, report: UUID, pk: int) -> Reply:
        """Take the link back: it leads nowhere then."""
        found = report_for(request.user, report, Right.EXPORT).shares.filter(pk=pk).first()
        if found is None:
            raise Http404("This report has no such link.")
        take_back(found, by=request.user)
        return Reply(status=204)
