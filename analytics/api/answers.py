"""What was said, by people and in imported label sets, and how raters compare."""

import json
from typing import Any

from django.db.models import Count, Prefetch, QuerySet
from django.http import Http404, HttpResponseBase
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst
from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_account
from analytics.comparison.page import json_text
from analytics.data.inclusion import MORE, answers_in, read_use, standing_use_decisions
from analytics.data.label_arrays import PEOPLE
from analytics.exports.label_files import tidy_file, trace_file
from analytics.judged.cache import CannotQualify, comparison_of, qualify_judge
from analytics.judged.counting import NAMES
from analytics.reports.pages.settings import counting_choices, counting_of, not_among
from annotation.models import Annotation, Answer
from campaigns.access import Right, campaign_for, require_names_shown
from campaigns.audit_log import record_download
from campaigns.models import Membership, Role
from corpus.access import datasets_for
from corpus.models import Label, LabelSet
from infrastructure.wording.reason_api import ReasonSerializerField
from judges.models import JudgeQualification
from judges.runs.lifecycle import run_for

WITH = OpenApiParameter(
    "with", enum=list(MORE), many=True, description="answers beside those that are used: left out, or to checks"
)
CSV = {(200, "text/csv"): OpenApiTypes.STR}
JSONL = {(200, "application/jsonl"): OpenApiTypes.STR}


class GivenSerializer(serializers.Serializer):
    """One answer, in the stored frame: `a` and `b` are the unit's sides, whatever the screen showed."""

    aspect = serializers.CharField()
    slot = serializers.CharField(help_text="whose response it is about; empty for the unit")
    value = serializers.CharField()
    acceptable_a = serializers.BooleanField(allow_null=True)
    acceptable_b = serializers.BooleanField(allow_null=True)


class AnnotationSerializer(serializers.ModelSerializer):
    unit = serializers.CharField(source="assignment.campaign_unit.unit.key")
    item = serializers.CharField(source="assignment.campaign_unit.unit.item.key")
    purpose = serializers.CharField(source="assignment.campaign_unit.purpose")
    order = serializers.CharField(source="assignment.order", help_text="the slot heard as 1, as 2, …")
    annotator = serializers.SerializerMethodField(help_text="a pseudonym")
    excluded = serializers.SerializerMethodField(help_text="why it is left out; empty where it is used")
    answers = GivenSerializer(many=True)

    class Meta:
        model = Annotation
        fields = ["assignment", "unit", "item", "purpose", "annotator", "order", "shown_at", "recorded_at",
                  "confidence", "flag", "language", "listening", "excluded", "answers"]  # fmt: skip

    def get_annotator(self, row: Annotation) -> str:
        return str(self.context["pseudonyms"].get(row.assignment.annotator_id, ""))

    def get_excluded(self, row: Annotation) -> str:
        return str(self.context["excluded"].get(row.assignment_id, ""))


class LabelSetSerializer(serializers.ModelSerializer):
    dataset = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    n_units = serializers.IntegerField()

    class Meta:
        model = LabelSet
        fields = ["id", "dataset", "name", "rater", "purpose", "protocol", "created_at", "n_units"]


class LabelSerializer(serializers.ModelSerializer):
    unit = serializers.CharField(source="annotation.unit.key")

    class Meta:
        model = Label
        fields = ["id", "unit", "aspect", "slot", "value", "acceptable_a", "acceptable_b"]


class ComparisonSerializer(serializers.Serializer):
    campaign = serializers.CharField()
    reference = serializers.CharField()
    units = serializers.IntegerField()
    resamples = serializers.IntegerField()
    seed = serializers.IntegerField()
    intervals = serializers.ChoiceField(["every look", "one look"], help_text="how often they may be looked at")
    over_people = serializers.BooleanField(help_text="whether intervals allow for other people, beside other units")
    planned_size_reached = serializers.BooleanField(
        help_text="then intervals for one look at that size stand beside, as `kappa_planned_low` and so on"
    )
    rows = serializers.ListField(
        child=serializers.DictField(),
        help_text="one for each aspect and rater, and for every two judges; the columns are those of the CSV",
    )


class ReferenceSerializer(serializers.Serializer):
    reference = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="the key of a rater; else the campaign's people"
    )


class QualificationSerializer(serializers.ModelSerializer):
    reason = ReasonSerializerField(help_text="why it did not qualify")

    class Meta:
        model = JudgeQualification
        fields = ["judge", "aspect", "right", "n", "people", "qualified", "reason", "made_at"]


class AnswerViewSet(ApiViewSet):
    pagination_class = FirstFirst

    @extend_schema(responses=AnnotationSerializer(many=True), parameters=[WITH])
    def list(self, request: Request, campaign: str) -> Reply:
        """What people answered; those answers that stand."""
        row = campaign_for(request.user, campaign, Right.EXPORT)
        require_names_shown(row)  # with the units' systems, answers tell who is ahead
        record_download(row, "answers, by the API", by=request.user)
        self.of = row
        given: Any = answers_in(row, read_use(request.query_params.getlist("with")))
        given = given.select_related("assignment__campaign_unit__unit__item")
        return self.page(
            given.prefetch_related(Prefetch("answers", Answer.objects.order_by("pk"))), AnnotationSerializer
        )

    def get_serializer_context(self) -> dict[str, Any]:
        members = Membership.objects.filter(campaign=self.of, role=Role.ANNOTATOR)
        left_out = standing_use_decisions(self.of).filter(use=False)
        context: dict[str, Any] = super().get_serializer_context() | {
            "pseudonyms": dict(members.values_list("user_id", "pseudonym")),
            "excluded": dict(left_out.values_list("assignment_id", "reason")),
        }
        return context


class LabelSetViewSet(ApiViewSet):
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[LabelSet]:
        require_account(self.request.user)
        mine = LabelSet.objects.filter(dataset__in=datasets_for(self.request.user)).select_related("dataset")
        return mine.annotate(n_units=Count("annotations"))

    @extend_schema(responses=LabelSetSerializer(many=True))
    def list(self, _request: Request) -> Reply:
        """Answers that were imported, by origin and rater."""
        return self.page(self.rows(), LabelSetSerializer)

    @extend_schema(responses=LabelSetSerializer)
    def retrieve(self, _request: Request, pk: int) -> Reply:
        """One label set."""
        return Reply(LabelSetSerializer(self._labels(pk)).data)

    @extend_schema(responses=LabelSerializer(many=True))
    @action(detail=True, pagination_class=FirstFirst)
    def labels(self, _request: Request, pk: int) -> Reply:
        """The labels, in the stored frame."""
        rows = Label.objects.filter(annotation__label_set=self._labels(pk))
        return self.page(rows.select_related("annotation__unit"), LabelSerializer)

    @extend_schema(responses=CSV, parameters=[WITH])
    @action(detail=True, url_path="answers.csv")
    def answers(self, request: Request, pk: int) -> HttpResponseBase:
        """The labels as a table of answers, which can be imported again."""
        return tidy_file(request, self._labels(pk))

    @extend_schema(responses=JSONL, parameters=[WITH])
    @action(detail=True, url_path="trace.jsonl")
    def trace(self, request: Request, pk: int) -> HttpResponseBase:
        """The labels in the shape of the TRACE release. Only labels of pairs have it."""
        return trace_file(request, self._labels(pk))

    def _labels(self, pk: int) -> LabelSet:
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("There is no such label set among yours.")
        return row


#: What each choice of how answers count may say; nothing is as usual.
COUNTED = {
    "missing": "missing verdicts are wrong, or `left_out`, or count `half`",
    "differ": "where both orders disagree there is no answer, or a `tie`, or `two` votes",
    "over": "people count over all pairs, or over those `judged`",
    "ties": "in; or `out` where people say one, or where either does (`winners`), or `both_good` or `both_bad` alone",
    "people_aspect": "the aspect of people that judges are compared with, where it is not their own",
}


class ComparisonViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        responses=forced_singular_serializer(ComparisonSerializer),
        parameters=[
            OpenApiParameter("reference", description="the key of a rater; else the campaign's people"),
            *(OpenApiParameter(name, description=COUNTED[name]) for name in NAMES),
        ],
        operation_id="comparison",
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """Every judge, annotator and label set beside one reference, by aspect."""
        row, said = campaign_for(request.user, campaign, Right.VIEW), request.query_params.dict()
        reference = said.pop("reference", "")
        ways = counting_choices(row, said)
        if wrong := dict(not_among(ways, said)):
            raise serializers.ValidationError({name: [why] for name, why in wrong.items()})
        counting = counting_of(ways)
        found = comparison_of(row, reference, counting=counting)
        if reference not in {"", PEOPLE, *(there := dict(found.references))}:
            possible = ", ".join(there) or "none"
            raise serializers.ValidationError(
                {"reference": [f"There is no such reference here. There is {possible}."]}
            )
        return Reply(json.loads(json_text(found, campaign=row.slug, reference=found.reference, counting=counting)))

    @extend_schema(request=ReferenceSerializer, responses={201: QualificationSerializer})
    @action(detail=False, methods=["post"], url_path="runs/<int:run>/qualify")
    def qualify(self, request: Request, campaign: str, run: int) -> Reply:
        """Take the labels of this campaign as the labelled prompts by which the judge of a run qualifies."""
        row = run_for(request.user, campaign, run, Right.MANAGE)
        reference = self.checked(ReferenceSerializer)["reference"]
        try:
            made = qualify_judge(row.campaign, row, reference=reference, user=request.user)
        except CannotQualify as refusal:
            raise Conflict(refusal) from refusal
        return Reply(QualificationSerializer(made).data, status=201)
