"""Verdicts that were given elsewhere, taken in by a job as on their page."""

from dataclasses import replace
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.bodies import StrictJSON
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import Right, campaign_for
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.mapping.request_bodies import mapping_in
from infrastructure.background.api import JobSerializer
from infrastructure.files.upload_limits import takes_files
from infrastructure.wording.reason_api import ReasonsSerializerField
from judges.imported.columns import UnusableColumns
from judges.imported.forms import MAX_BYTES, VerdictsForm
from judges.imported.uploads import ImportRefused, begin_verdict_import, cancel_verdict_import, job_of
from judges.models import VerdictImport


class VerdictsSerializer(serializers.Serializer):
    """The fields of the page."""

    file = serializers.FileField(help_text="CSV, JSON or JSON Lines: one row per judge, unit, order and aspect")
    judge = serializers.CharField(max_length=100, required=False, help_text="where no column says which judge it was")
    order = serializers.ChoiceField(["ab", "ba"], required=False, help_text="where no column says it")
    columns = serializers.CharField(required=False, help_text="under other names: `unit = pair_number`, one per line")
    settings = serializers.CharField(
        max_length=500, required=False, help_text="columns that tell judges apart, with commas between them"
    )
    mapping = serializers.CharField(
        required=False,
        help_text="JSON, instead of columns, judge, order and settings: what each column becomes, as of a dataset, "
        "with the shape `verdicts`; or a downloaded recipe",
    )
    recipe = serializers.CharField(max_length=200, required=False, help_text="instead of mapping: a recipe of yours")
    unknown_as_missing = serializers.BooleanField(
        required=False, help_text="values that the scale does not have are missing, rather than faults"
    )


class VerdictImportSerializer(serializers.ModelSerializer):
    report = ReasonsSerializerField()
    job = serializers.SerializerMethodField()

    class Meta:
        model = VerdictImport
        fields = ["id", "table_name", "status", "report", "job", "created_at"]

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, row: VerdictImport) -> object:
        job = job_of(row)
        return JobSerializer(job).data if job else None


class VerdictImportViewSet(ApiViewSet):
    lookup_value_converter = "uuid"
    parser_classes = [MultiPartParser, StrictJSON]

    @takes_files(most=MAX_BYTES)
    @extend_schema(request={"multipart/form-data": VerdictsSerializer}, responses={202: VerdictImportSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Have a table of verdicts taken in by a job; nothing is written while a row is at fault.

        Ask again until it is `imported`, `failed` or `cancelled`: its report has the faults by row, how many verdicts
        are new and were there, and the runs.
        """
        row = campaign_for(request.user, campaign, Right.MANAGE)
        form = VerdictsForm(request.POST, request.FILES)
        file = cleaned(form)["file"]
        options = replace(form.options, mapping=mapping_in(request))
        try:
            made = begin_verdict_import(row, file, options=options, user=request.user)
        except (UnreadableManifest, UnusableColumns) as fault:
            raise Unprocessable(str(fault), [("file", str(fault))]) from fault
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(VerdictImportSerializer(made).data, status=202)

    @extend_schema(responses=VerdictImportSerializer)
    def retrieve(self, request: Request, campaign: str, pk: UUID) -> Reply:
        """How far it is, and what is wrong with the table."""
        return Reply(VerdictImportSerializer(self._import(request, campaign, pk)).data)

    @extend_schema(request=None, responses=VerdictImportSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, campaign: str, pk: UUID) -> Reply:
        """Stop it; nothing of it stays."""
        row = self._import(request, campaign, pk)
        try:
            cancel_verdict_import(row)
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        row.refresh_from_db()
        return Reply(VerdictImportSerializer(row).data)

    def _import(self, request: Request, campaign: str, pk: UUID) -> VerdictImport:
        row = campaign_for(request.user, campaign, Right.MANAGE)
        if (found := row.verdict_imports.filter(pk=pk).first()) is None:
            raise Http404("There is no such import of verdicts into this campaign.")
        return found
