"""Files of a campaign's answers and verdicts: asked for, made in the background, fetched until they expire."""

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.http.request import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply
from rest_framework.reverse import reverse

from accounts.api.pages import NewestByTime
from accounts.api.problems import Conflict, cleaned
from accounts.api.views import ApiViewSet
from analytics.data.inclusion import MORE
from analytics.exports.formats.registry import FORMATS, formats_for
from analytics.exports.forms import ExportForm
from analytics.exports.making import ExportRefused, begin_exports, delete_export
from analytics.exports.serving import export_file, export_for
from analytics.models import Export
from campaigns.access import Right, campaign_for
from infrastructure.background.api import JobSerializer
from infrastructure.wording.reason_api import ReasonSerializerField

FILES = {(200, it.content_type.partition(";")[0]): OpenApiTypes.BINARY for it in FORMATS.values()}


class FormatSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    content_type = serializers.CharField()


class WantedSerializer(serializers.Serializer):
    formats = serializers.ListField(
        child=serializers.ChoiceField(list(FORMATS)), min_length=1, max_length=len(FORMATS)
    )
    more = serializers.ListField(
        child=serializers.ChoiceField(list(MORE)),
        default=list,
        help_text="answers beside those that are used: left out, to checks, or reviewers' own",
    )
    judges = serializers.BooleanField(default=False, help_text="with verdicts, in the same columns")
    text = serializers.BooleanField(default=False, help_text="with what people wrote, who may have said who they are")
    fresh = serializers.BooleanField(default=False, help_text="with pseudonyms of its own, so that it joins no other")
    licence = serializers.CharField(default="", allow_blank=True, max_length=40, help_text="for the dataset card")
    language = serializers.CharField(default="", allow_blank=True, max_length=3, help_text="for the dataset card")


class LeftOutSerializer(serializers.Serializer):
    n = serializers.IntegerField()
    reason = ReasonSerializerField()


class ExportSerializer(serializers.ModelSerializer):
    campaign = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    wanted = serializers.DictField()
    left_out = LeftOutSerializer(many=True)
    job = serializers.SerializerMethodField(help_text="until it is made")
    url = serializers.SerializerMethodField(help_text="of the file; empty until it is made, and once it has expired")

    class Meta:
        model = Export
        fields = ["id", "campaign", "format", "wanted", "created_at", "made_at", "expires_at", "rows", "size",
                  "sha256", "left_out", "job", "url"]  # fmt: skip

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, row: Export) -> object:
        return JobSerializer(row.job).data if row.job else None

    def get_url(self, row: Export) -> str:
        return reverse("api:export-file", [row.pk], request=self.context["request"]) if row.is_ready else ""


class BegunSerializer(serializers.Serializer):
    exports = ExportSerializer(many=True)


class ExportFormatViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=FormatSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The formats that the answers of this campaign have the shape for."""
        row = campaign_for(request.user, campaign, Right.EXPORT)
        return Reply(FormatSerializer(formats_for(row), many=True).data)


class CampaignExportViewSet(ApiViewSet):
    pagination_class = NewestByTime

    @extend_schema(responses=ExportSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The exports of a campaign that have not expired."""
        row = campaign_for(request.user, campaign, Right.EXPORT)
        known = row.exports.filter(format__in=FORMATS).select_related("campaign", "job")
        return self.page(known, ExportSerializer)

    @extend_schema(request=WantedSerializer, responses={202: BegunSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """One export for each format, made in the background. Ask for each until it has a `url`."""
        row = campaign_for(request.user, campaign, Right.EXPORT)
        form = ExportForm(_posted(self.checked(WantedSerializer)), known=formats_for(row))
        formats = cleaned(form)["formats"]
        try:
            made = begin_exports(row, formats, wanted=form.wanted, user=request.user)
        except ExportRefused as refusal:
            raise Conflict(refusal) from refusal
        serializer = BegunSerializer({"exports": made}, context=self.get_serializer_context())
        return Reply(serializer.data, status=202)


class ExportViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    @extend_schema(responses=ExportSerializer)
    def retrieve(self, request: Request, pk: UUID) -> Reply:
        """How far it is; then where its file is, and until when."""
        return Reply(ExportSerializer(export_for(request.user, pk), context=self.get_serializer_context()).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: UUID) -> Reply:
        """Delete it, and its file, before it expires."""
        delete_export(export_for(request.user, pk))
        return Reply(status=204)

    @extend_schema(responses=FILES)
    @action(detail=True)
    def file(self, request: Request, pk: UUID) -> HttpResponseBase:
        """The file itself. Its hash is the export's `sha256`."""
        return export_file(request, export_for(request.user, pk))


def _posted(said: dict[str, Any]) -> QueryDict:
    """What was said, as the form of the page would send it."""
    posted = QueryDict(mutable=True)
    for name, value in said.items():
        if isinstance(value, list):
            posted.setlist(name, value)
        elif value:
            posted[name] = "on" if value is True else value
    return posted
