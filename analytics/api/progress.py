"""How a campaign goes, as its page shows it."""

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.views import ApiViewSet
from analytics.monitoring.progress import pulse
from campaigns.access import Right, campaign_for


class ProgressSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    units = serializers.IntegerField(source="coverage.units")
    units_complete = serializers.IntegerField(source="coverage.complete", help_text="with all answers wanted")
    answers_wanted = serializers.IntegerField(source="wanted")
    answers_used = serializers.IntegerField(source="used")
    answers_left_out = serializers.IntegerField(source="exclusions.excluded")
    answers_last_day = serializers.IntegerField(source="last_day")
    annotators_at_work = serializers.IntegerField(source="at_work")
    annotators_today = serializers.IntegerField(source="today")
    complete_at = serializers.DateTimeField(
        source="finish.at", allow_null=True, help_text="at the pace of the last hours; null where that tells nothing"
    )


class ProgressViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(ProgressSerializer), operation_id="progress")
    def list(self, request: Request, campaign: str) -> Reply:
        """How far a campaign is: its units, answers and annotators at this moment."""
        return Reply(ProgressSerializer(pulse(campaign_for(request.user, campaign, Right.VIEW))).data)
