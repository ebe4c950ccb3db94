"""How long identities and recordings are kept after the close, by the API."""

from django.utils import timezone
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import cleaned
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_administrator
from analytics.retention.deletion import set_retention, terms_of
from analytics.retention.forms import MOST_DAYS, RetentionForm
from analytics.retention.overview import CampaignTerms, terms_of_all
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, Retention

DAYS = "after the close; 0: for ever, null: as the installation has it"


class TermSerializer(serializers.Serializer):
    days = serializers.IntegerField(help_text="after the close; 0: for ever")
    is_own = serializers.BooleanField(help_text="false: as the installation has it")
    installation = serializers.IntegerField(help_text="days of the installation")
    goes_at = serializers.DateTimeField(allow_null=True)
    gone_at = serializers.DateTimeField(allow_null=True)


class RetentionSerializer(serializers.Serializer):
    identity = TermSerializer(help_text="of annotators")
    audio = TermSerializer(help_text="recordings; they also wait for other campaigns over the dataset")


class NewRetentionSerializer(serializers.Serializer):
    """What is not named stays."""

    identity_days = serializers.IntegerField(
        min_value=0, max_value=MOST_DAYS, required=False, allow_null=True, help_text=DAYS
    )
    audio_days = serializers.IntegerField(
        min_value=0, max_value=MOST_DAYS, required=False, allow_null=True, help_text=DAYS
    )


class CampaignRetentionSerializer(RetentionSerializer):
    """Of one of all campaigns."""

    campaign = serializers.SlugField(source="campaign.slug")
    title = serializers.CharField(source="campaign.title")
    closed_at = serializers.DateTimeField(source="campaign.closed_at", allow_null=True)
    is_overdue = serializers.SerializerMethodField(help_text="something is to be deleted by now: the night does it")

    def get_is_overdue(self, row: CampaignTerms) -> bool:
        return row.is_overdue(timezone.now())


class TitleSerializer(serializers.Serializer):
    title = serializers.CharField(required=False, max_length=200)


class RetentionOfAllViewSet(ApiViewSet):
    @extend_schema(
        parameters=[OpenApiParameter("title", description="part of a campaign's title")],
        responses=CampaignRetentionSerializer(many=True),
    )
    def list(self, request: Request) -> Reply:
        """How long identities and recordings of every campaign are kept. For administrators."""
        require_administrator(request.user)
        asked = TitleSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        rows = Campaign.objects.select_related("retention", "dataset")
        if title := asked.validated_data.get("title"):
            rows = rows.filter(title__icontains=title)
        found = terms_of_all(self.paginate_queryset(rows) or ())
        return self.get_paginated_response(CampaignRetentionSerializer(found, many=True).data)


class RetentionViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(RetentionSerializer), operation_id="retention")
    def list(self, request: Request, campaign: str) -> Reply:
        """How long identities and recordings of a campaign are kept."""
        return _said(campaign_for(request.user, campaign, Right.INVITE))

    @extend_schema(request=NewRetentionSerializer, responses={200: RetentionSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Set how long they are kept."""
        row = campaign_for(request.user, campaign, Right.INVITE)
        kept = Retention.objects.filter(campaign=row).values("identity_days", "audio_days").first()
        said = dict(kept or {}) | self.checked(NewRetentionSerializer)
        set_retention(row, **cleaned(RetentionForm(said)), by=request.user)
        return _said(row)


def _said(row: Campaign) -> Reply:
    return Reply(RetentionSerializer(terms_of(row)).data)
