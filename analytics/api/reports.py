"""Reports: asked for, computed in the background, read as figures and taken as files; by the rights of the pages."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse as django_reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply
from rest_framework.reverse import reverse

from accounts.api.pages import Pages
from accounts.api.problems import Conflict, Unprocessable
from accounts.api.views import ApiViewSet
from analytics.models import AskedReport, Report
from analytics.reports.contract import Option
from analytics.reports.jobs import NoReport, ask_report
from analytics.reports.kinds import KINDS
from analytics.reports.looks import ONE_LOOK, has_intervals, made_while_answers_arrived
from analytics.reports.output.figures import Figure
from analytics.reports.output.files import json_of
from analytics.reports.output.wording import text
from analytics.reports.pages.rights import asked_report_for, kind_for, kinds_for, report_for
from analytics.reports.pages.serving import PICTURES, TEXTS, forms_of, of_figure, whole
from analytics.reports.pages.settings import choices, no_choices, read_settings
from analytics.reports.storage import figures_of, keep
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from infrastructure.background.api import JobSerializer
from infrastructure.wording.reason_api import ReasonSerializerField

TEX = {(200, TEXTS["tex"]): OpenApiTypes.STR}
DRAWN = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
FIGURE = {(200, it): OpenApiTypes.BINARY for it in (*TEXTS.values(), *(DRAWN[form] for form in PICTURES))}


class ReportValueSerializer(serializers.Serializer):
    value = serializers.CharField(allow_blank=True)
    title = serializers.CharField()


class ReportOptionSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="a setting; what is not said of it is its first value")
    title = serializers.SerializerMethodField()
    values = serializers.SerializerMethodField()

    def get_title(self, option: Option) -> str:
        return text(option.title)

    @extend_schema_field(ReportValueSerializer(many=True))
    def get_values(self, option: Option) -> list[dict[str, str]]:
        return [{"value": value, "title": text(title)} for value, title in option.values]


class ReportKindSerializer(serializers.Serializer):
    kind = serializers.CharField()
    title = serializers.CharField()
    lead = serializers.CharField(help_text="what it tells")
    why_not = ReasonSerializerField(help_text="why there can be none yet")
    options = ReportOptionSerializer(many=True)


class AskSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(list(KINDS))
    settings = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=200), default=dict, help_text="by name of the option"
    )


class AskedReportSerializer(serializers.ModelSerializer):
    campaign = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    settings = serializers.DictField(child=serializers.CharField())
    job = serializers.SerializerMethodField(help_text="null where the report was there already")
    report = serializers.UUIDField(source="report_id", allow_null=True, help_text="null until it is computed")

    class Meta:
        model = AskedReport
        fields = ["id", "campaign", "kind", "settings", "asked_at", "job", "report"]

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, row: AskedReport) -> object:
        return JobSerializer(row.job).data if row.job else None


class ReportSerializer(serializers.ModelSerializer):
    campaign = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    settings = serializers.DictField(child=serializers.CharField())
    made_while_answers_arrive = serializers.SerializerMethodField(
        help_text="whether the campaign took answers then: its intervals hold for one look, and one may look again"
    )

    class Meta:
        model = Report
        fields = [
            "id", "campaign", "kind", "settings", "data_sha256", "version", "computed_at", "took_s", "kept_at",
            "made_while_answers_arrive",
        ]  # fmt: skip

    def get_made_while_answers_arrive(self, row: Report) -> bool:
        return made_while_answers_arrived(row)


class FigureSerializer(serializers.Serializer):
    key = serializers.CharField()
    title = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField(required=False, help_text="why there is no table")
    columns = serializers.ListField(child=serializers.DictField(child=serializers.CharField()), required=False)
    rows = serializers.ListField(child=serializers.DictField(), required=False, help_text="by the keys of columns")
    files = serializers.DictField(child=serializers.CharField(), help_text="addresses, by form: csv, tex, svg, …")


class WholeReportSerializer(ReportSerializer):
    page = serializers.SerializerMethodField(help_text="its address for people; permanent once the report is kept")
    figures = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField(help_text="of the whole report, by form")
    intervals = serializers.SerializerMethodField(help_text="for how many looks: one look; null where it has none")

    class Meta(ReportSerializer.Meta):
        fields = [*ReportSerializer.Meta.fields, "page", "figures", "files", "intervals"]

    def get_intervals(self, row: Report) -> str | None:
        return ONE_LOOK if has_intervals(figures_of(row)) else None

    def get_page(self, row: Report) -> str:
        return str(self.context["request"].build_absolute_uri(django_reverse("kept-report", args=[row.pk])))

    @extend_schema_field(FigureSerializer(many=True))
    def get_figures(self, row: Report) -> list[dict[str, Any]]:
        found = figures_of(row)
        figures = json.loads(json_of(row, found))["figures"]
        return [said | {"files": self._files(row, figure)} for said, figure in zip(figures, found, strict=True)]

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_files(self, row: Report) -> dict[str, str]:
        return {"tex": reverse("api:report-tex", [row.pk], request=self.context["request"])}

    def _files(self, row: Report, figure: Figure) -> dict[str, str]:
        request = self.context["request"]
        return {
            form: reverse("api:report-figure", [row.pk, figure.key, form], request=request)
            for form in forms_of(figure)
        }


class ReportKindViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=ReportKindSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The kinds of reports that you may see of a campaign, with the settings that there are here."""
        row = campaign_for(request.user, campaign, Right.VIEW)
        kinds = [
            {
                "kind": kind.name,
                "title": text(kind.title),
                "lead": text(kind.lead),
                "why_not": kind.why_not(row),
                "options": [choice.option for choice in choices(row, kind, {})],
            }
            for kind in kinds_for(row, request.user)
        ]
        return Reply(ReportKindSerializer(kinds, many=True).data)


class ComputedAt(Pages):
    ordering = "-computed_at"


class CampaignReportViewSet(ApiViewSet):
    pagination_class = ComputedAt

    @extend_schema(responses=ReportSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The reports of a campaign that were computed and not thrown away yet."""
        row: Campaign = campaign_for(request.user, campaign, Right.VIEW)
        seen = [kind.name for kind in kinds_for(row, request.user)]
        rows = row.reports.filter(kind__in=seen).select_related("campaign").defer("figures")
        return self.page(rows, ReportSerializer)

    @extend_schema(request=AskSerializer, responses={202: AskedReportSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """The report of the answers as they are now. Ask again for what this replies until its `report` is there."""
        campaign_for(request.user, campaign, Right.VIEW)
        said = self.checked(AskSerializer)
        row, kind = kind_for(request.user, campaign, said["kind"])
        if wrong := list(no_choices(row, kind, said["settings"])):
            raise Unprocessable("There are no such settings.", [(f"settings.{name}", why) for name, why in wrong])
        try:
            asked = ask_report(row, kind, read_settings(row, kind, said["settings"]), user=request.user)
        except NoReport as refusal:
            raise Conflict(refusal) from refusal
        return Reply(AskedReportSerializer(asked).data, status=202)


class AskedReportViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    @extend_schema(responses=AskedReportSerializer)
    def retrieve(self, request: Request, pk: UUID) -> Reply:
        """How far a report is that was asked for."""
        return Reply(AskedReportSerializer(asked_report_for(request.user, pk)).data)


class ReportViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    @extend_schema(responses=WholeReportSerializer)
    def retrieve(self, request: Request, pk: UUID) -> Reply:
        """A report as it was computed: every figure with its rows, intervals, and what was left out."""
        row = report_for(request.user, pk)
        return Reply(WholeReportSerializer(row, context=self.get_serializer_context()).data)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def keep(self, request: Request, pk: UUID) -> Reply:
        """Keep the report permanently. Reports that no user keeps are deleted after a while."""
        keep(report_for(request.user, pk))
        return Reply(status=204)

    @extend_schema(responses=TEX)
    @action(detail=True, url_path="report.tex")
    def tex(self, request: Request, pk: UUID) -> HttpResponse:
        """The whole report as tables in LaTeX."""
        return whole(report_for(request.user, pk), "tex")

    @extend_schema(responses=FIGURE)
    @action(detail=True, url_path="figures/<slug:key>.<slug:form>")
    def figure(self, request: Request, pk: UUID, key: str, form: str) -> HttpResponse:
        """One figure: as `csv`, `json` or `tex`, and where there is a picture as `svg`, `png` or `pdf`."""
        return of_figure(report_for(request.user, pk), key, form)
