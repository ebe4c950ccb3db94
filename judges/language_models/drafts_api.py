"""Drafts of criteria by a language model, by the API: started, watched and stopped."""

from typing import Any

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from accounts.tokens.tokens import JUDGE
from campaigns.access import ChecksFixed, Right
from campaigns.models import Campaign
from campaigns.rubrics.api import campaign_with_criteria
from infrastructure.background.api import JobSerializer
from infrastructure.wording.reason_api import ReasonSerializerField
from judges.language_models.criteria_drafts import (
    FEWEST,
    MOST,
    drafts_job,
    items_to_draft,
    latest_run,
    start_drafts,
    stop_drafts,
)
from judges.language_models.forms import DraftsForm
from judges.language_models.registry import models_for
from judges.models import DraftReply


class NewDraftsSerializer(serializers.Serializer):
    model = serializers.IntegerField(min_value=1, help_text="id of a language model")
    n_per_item = serializers.IntegerField(min_value=FEWEST, max_value=MOST, default=3)


class FailedDraftSerializer(serializers.ModelSerializer):
    item = serializers.CharField(source="item.key")
    message = ReasonSerializerField()

    class Meta:
        model = DraftReply
        fields = ["item", "status", "message"]


class DraftsSerializer(serializers.Serializer):
    """The run that was started last."""

    job = JobSerializer(allow_null=True, help_text="null before the first run")
    model = serializers.IntegerField(allow_null=True)
    n_per_item = serializers.IntegerField(allow_null=True)
    read = serializers.IntegerField(help_text="items whose drafts came")
    failed = FailedDraftSerializer(many=True)
    waiting = serializers.IntegerField(help_text="items of the campaign without a criterion")
    stopped_at = serializers.DateTimeField(allow_null=True)


class CriteriaDraftsViewSet(ApiViewSet):
    pagination_class = None
    scopes = {"create": JUDGE}

    @extend_schema(responses=forced_singular_serializer(DraftsSerializer), operation_id="criteria_drafts")
    def list(self, request: Request, campaign: str) -> Reply:
        """How far the drafts of criteria by a language model are."""
        return _said(campaign_with_criteria(request, campaign, Right.MANAGE))

    @extend_schema(request=NewDraftsSerializer, responses={202: JobSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Have a language model draft criteria for every item that has none. People review them."""
        row = campaign_with_criteria(request, campaign, Right.MANAGE)
        said = cleaned(DraftsForm(self.checked(NewDraftsSerializer), models=models_for(request.user)))
        try:
            job = start_drafts(row, said["model"], n_per_item=said["n_per_item"], user=request.user)
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        except ValueError as refusal:
            raise Unprocessable(refusal) from refusal
        return Reply(JobSerializer(job).data, status=202)

    @extend_schema(request=None, responses=DraftsSerializer)
    @action(detail=False, methods=["post"])
    def stop(self, request: Request, campaign: str) -> Reply:
        """Ask for no more drafts; those that came stay."""
        row = campaign_with_criteria(request, campaign, Right.MANAGE)
        stop_drafts(row)
        return _said(row)


def _said(row: Campaign) -> Reply:
    run = latest_run(row)
    replies = run.replies.select_related("item") if run else DraftReply.objects.none()
    found: dict[str, Any] = {
        "job": drafts_job(row),
        "model": run.language_model_id if run else None,
        "n_per_item": run.n_per_item if run else None,
        "read": replies.exclude(status__in=DraftReply.FAILED).count(),
        "failed": replies.filter(status__in=DraftReply.FAILED),
        "waiting": items_to_draft(row).count(),
        "stopped_at": run.stopped_at if run else None,
    }
    return Reply(DraftsSerializer(found).data)
