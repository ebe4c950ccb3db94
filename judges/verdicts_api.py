"""Verdicts that were given elsewhere, taken in as on their page."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.bodies import StrictJSON
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import Right, campaign_for
from campaigns.api.jobs import RowErrorSerializer
from judges.imported.forms import VerdictsForm
from judges.imported.plan import plan_verdicts
from judges.imported.writing import VerdictsRefused, units_by_key, write_verdicts

MOST_TOLD = 50


class VerdictsSerializer(serializers.Serializer):
    """The fields of the page."""

    file = serializers.FileField(help_text="CSV, JSON or JSON Lines: one row per judge, unit, order and aspect")
    judge = serializers.CharField(max_length=100, required=False, help_text="where no column says which judge it was")
    order = serializers.ChoiceField(["ab", "ba"], required=False, help_text="where no column says it")
    columns = serializers.CharField(required=False, help_text="under other names: `unit = pair_number`, one per line")
    settings = serializers.CharField(
        max_length=500, required=False, help_text="columns that tell judges apart, with commas between them"
    )


class ImportedRunSerializer(serializers.Serializer):
    run = serializers.IntegerField(source="pk")
    judge = serializers.IntegerField(source="judge_id")
    title = serializers.CharField(source="judge.title")


class ImportedVerdictsSerializer(serializers.Serializer):
    runs = ImportedRunSerializer(many=True)
    new = serializers.IntegerField(help_text="verdicts that came")
    there = serializers.IntegerField(help_text="that were there already")
    warnings = RowErrorSerializer(many=True)


class VerdictImportViewSet(ApiViewSet):
    parser_classes = [MultiPartParser, StrictJSON]

    @extend_schema(request={"multipart/form-data": VerdictsSerializer}, responses={201: ImportedVerdictsSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Take in a table of verdicts; nothing is written while a row is at fault."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        form = VerdictsForm(request.POST, request.FILES)
        cleaned(form)
        table = form.table
        plan = plan_verdicts(table.rows, table.columns, protocol=row.protocol, units=units_by_key(row))
        if faults := plan.errors:
            errors = [(f"file.{it.row or 0}.{it.field}", it.message) for it in faults[:MOST_TOLD]]
            raise Unprocessable(f"{len(faults)} faults: nothing was written.", errors)
        try:
            done = write_verdicts(row, plan, user=request.user)
        except VerdictsRefused as refusal:
            raise Conflict(refusal) from refusal
        told = {"runs": done.runs, "new": done.new, "there": done.there, "warnings": plan.problems}
        return Reply(ImportedVerdictsSerializer(told).data, status=201)
