"""Webhooks of a campaign and their deliveries, by the actions of the pages."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst, NewestByTime
from accounts.api.problems import Conflict, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import Right, campaign_for
from campaigns.models import EventKind, Webhook
from campaigns.webhooks.forms import WebhookForm
from campaigns.webhooks.hooks import CHOSEN, CannotSend, add_webhook, disable_webhook, send_again, send_test
from infrastructure.models import Delivery
from infrastructure.whole_numbers import row_id
from infrastructure.wording.reason_api import ReasonSerializerField

EVENTS = [(kind.value, str(kind.value)) for kind in CHOSEN]


class WebhookSerializer(serializers.ModelSerializer):
    events = serializers.ListField(child=serializers.ChoiceField(EVENTS))
    disabled_because = ReasonSerializerField()

    class Meta:
        model = Webhook
        fields = ["id", "url", "events", "created_at", "failing_since", "failures", "paused_until", "disabled_at",
                  "disabled_because"]  # fmt: skip


class WebhookWithSecretSerializer(WebhookSerializer):
    secret = serializers.SerializerMethodField(
        help_text="signs the requests; shown only once, and empty if the same `Idempotency-Key` is repeated"
    )

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]

    def get_secret(self, _row: Webhook) -> str:
        return str(self.context["secret"])


class NewWebhookSerializer(serializers.Serializer):
    url = serializers.CharField(max_length=500)
    events = serializers.ListField(child=serializers.ChoiceField(EVENTS), allow_empty=False)


class DeliverySerializer(serializers.ModelSerializer):
    kind = serializers.ChoiceField([(kind.value, str(kind.value)) for kind in EventKind])
    message = ReasonSerializerField()

    class Meta:
        model = Delivery
        fields = ["id", "kind", "body", "created_at", "status", "tries", "due_at", "tried_at", "response_status",
                  "took_ms", "message"]  # fmt: skip


def webhooks_for(view: ApiViewSet) -> QuerySet[Webhook]:
    """Those of the campaign in the address, for those who may manage it. Raises Http404, PermissionDenied."""
    campaign = campaign_for(view.request.user, view.kwargs["campaign"], Right.MANAGE)
    return Webhook.objects.filter(campaign=campaign).select_related("campaign")


def webhook_for(view: ApiViewSet, pk: int) -> Webhook:
    if (hook := webhooks_for(view).filter(pk=row_id(str(pk))).first()) is None:
        raise Http404("There is no such address.")
    return hook


class WebhookViewSet(ApiViewSet):
    lookup_value_converter = "int"
    pagination_class = FirstFirst
    not_stored = ("secret",)

    @extend_schema(responses=WebhookSerializer(many=True))
    def list(self, _request: Request, campaign: str) -> Reply:
        """The addresses that receive the campaign's events, and those that were disabled."""
        del campaign
        return self.page(webhooks_for(self), WebhookSerializer)

    @extend_schema(request=NewWebhookSerializer, responses={201: WebhookWithSecretSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Add an address for events. Only this response contains its secret."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        said: dict[str, Any] = cleaned(WebhookForm(self.checked(NewWebhookSerializer)))
        try:
            hook, secret = add_webhook(row, **said, user=request.user)
        except CannotSend as refusal:
            raise Conflict(refusal) from refusal
        return Reply(WebhookWithSecretSerializer(hook, context={"secret": secret}).data, status=201)

    @extend_schema(responses=WebhookSerializer)
    def retrieve(self, _request: Request, campaign: str, pk: int) -> Reply:
        """One address, and how it fares."""
        del campaign
        return Reply(WebhookSerializer(webhook_for(self, pk)).data)

    @extend_schema(responses={204: None})
    def destroy(self, _request: Request, campaign: str, pk: int) -> Reply:
        """Tell it nothing more, and forget its secret. Its log stays for a while."""
        del campaign
        disable_webhook(webhook_for(self, pk), by=self.request.user)
        return Reply(status=204)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def test(self, _request: Request, campaign: str, pk: int) -> Reply:
        """Send it a `webhook.test`; ask for its deliveries to see what became of it."""
        del campaign
        try:
            sent = send_test(webhook_for(self, pk))
        except CannotSend as refusal:
            raise Conflict(refusal) from refusal
        return Reply(DeliverySerializer(sent).data, status=202)


class DeliveryViewSet(ApiViewSet):
    lookup_value_converter = "uuid"
    pagination_class = NewestByTime

    @extend_schema(responses=DeliverySerializer(many=True))
    def list(self, _request: Request, campaign: str, webhook: int) -> Reply:
        """Deliveries to an address, finished and pending, the newest first."""
        del campaign
        return self.page(webhook_for(self, webhook).deliveries.all(), DeliverySerializer)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def again(self, _request: Request, campaign: str, webhook: int, pk: UUID) -> Reply:
        """Send the same event once more, now, under the same id."""
        del campaign
        row = webhook_for(self, webhook).deliveries.filter(pk=pk).select_related("endpoint").first()
        if row is None:
            raise Http404("There is no such delivery.")
        try:
            send_again(row)
        except CannotSend as refusal:
            raise Conflict(refusal) from refusal
        row.refresh_from_db()
        return Reply(DeliverySerializer(row).data, status=202)
