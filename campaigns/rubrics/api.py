"""Criteria of a rubric by the API: how far their review is, each item's, and what reviewers decide."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import ChecksFixed, Right, campaign_for
from campaigns.models import Campaign, Criterion, FrozenRubric
from campaigns.rubrics.forms import CriteriaForm
from campaigns.rubrics.progress import acceptance, reviewed, unreviewed, used_items
from campaigns.rubrics.reviewing import MAX_TEXT, VERBS, add_criterion, decide, needs_none
from campaigns.rubrics.tables import MAX_BYTES, criteria_lines, take_criteria
from corpus.models import Item
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable

MOST_FAULTS = 100
TABLE = {(200, "text/csv"): OpenApiTypes.STR}


class AcceptedSerializer(serializers.Serializer):
    as_drafted = serializers.IntegerField()
    edited = serializers.IntegerField()
    dropped = serializers.IntegerField()
    waiting = serializers.IntegerField()


class RubricSerializer(serializers.Serializer):
    items = serializers.IntegerField(source="reviewed.total")
    items_reviewed = serializers.IntegerField(source="reviewed.done")
    drafts = AcceptedSerializer(help_text="what became of criteria that a model or a table brought")
    frozen_digest = serializers.CharField(
        help_text="SHA-256 of the criteria as they were when the campaign opened; empty before that"
    )


class CriterionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Criterion
        fields = ["id", "number", "text", "drafted_text", "state", "source", "model"]


class RubricItemSerializer(serializers.ModelSerializer):
    is_reviewed = serializers.SerializerMethodField(help_text="no draft waits, and one stands or none is needed")
    needs_none = serializers.BooleanField()
    of_dataset = serializers.SerializerMethodField(help_text="criteria that came with the dataset")
    criteria = CriterionSerializer(many=True)

    class Meta:
        model = Item
        fields = ["id", "key", "is_reviewed", "needs_none", "of_dataset", "criteria"]

    def get_is_reviewed(self, row: Any) -> bool:
        has_some = bool(row.n_standing or row.needs_none or "criteria" in row.facts)
        return row.n_drafted == 0 and has_some

    def get_of_dataset(self, row: Item) -> list[str]:
        return [str(it) for it in row.facts.get("criteria") or ()]


class NewCriterionSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=MAX_TEXT, help_text="a question with yes and no for its answers")


class CriterionDecisionSerializer(serializers.Serializer):
    verb = serializers.ChoiceField(list(VERBS))
    text = serializers.CharField(
        max_length=MAX_TEXT, default="", allow_blank=True, help_text="of an edited one, in place of the drafted text"
    )


class CriteriaTableSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="a CSV with the columns item and text, optionally number and state")
    reviewed = serializers.BooleanField(default=False, help_text="rows called accepted or edited stand at once")


class TakenCriteriaSerializer(serializers.Serializer):
    criteria = serializers.IntegerField(help_text="that came")


class RubricViewSet(ApiViewSet):
    pagination_class = None
    parser_classes = [MultiPartParser]

    @extend_schema(responses=forced_singular_serializer(RubricSerializer), operation_id="rubric")
    def list(self, request: Request, campaign: str) -> Reply:
        """How far the review of the criteria is. They are frozen when the campaign opens."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        frozen = FrozenRubric.objects.filter(campaign=row).first()
        found = {
            "reviewed": reviewed(row), "drafts": acceptance(row), "frozen_digest": frozen.digest if frozen else ""
        }  # fmt: skip
        return Reply(RubricSerializer(found).data)

    @takes_files(most=MAX_BYTES)
    @extend_schema(request={"multipart/form-data": CriteriaTableSerializer}, responses={201: TakenCriteriaSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Take in a table of criteria, all of it or, where a row is at fault, nothing."""
        row = campaign_with_criteria(request, campaign, Right.MANAGE)
        said = cleaned(CriteriaForm(request.data, request.FILES))
        try:
            n = take_criteria(row, said["file"], by=request.user, reviewed=said["reviewed"])
        except InvalidTable as invalid:
            faults = [("file", fault) for fault in invalid.faults[:MOST_FAULTS]]
            raise Unprocessable("Nothing was taken.", faults) from invalid
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        return Reply({"criteria": n}, status=201)

    @extend_schema(responses=TABLE)
    @action(detail=False, url_path="criteria.csv")
    def table(self, request: Request, campaign: str) -> HttpResponseBase:
        """Every criterion of the campaign's items, dropped ones too."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        return download(criteria_lines(row), name=f"{campaign}-criteria.csv", content_type=CSV)


class RubricItemViewSet(ApiViewSet):
    lookup_value_converter = "int"
    pagination_class = FirstFirst

    @extend_schema(
        responses=RubricItemSerializer(many=True),
        parameters=[OpenApiParameter("waiting", bool, description="only items that are to be reviewed")],
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """The items of the campaign with their criteria."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        rows = unreviewed(row) if request.query_params.get("waiting", "").lower() == "true" else used_items(row)
        return self.page(rows.prefetch_related("criteria"), RubricItemSerializer)

    @extend_schema(responses=RubricItemSerializer)
    def retrieve(self, request: Request, campaign: str, pk: int) -> Reply:
        """One item with its criteria, dropped ones too."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        return Reply(RubricItemSerializer(self._item(row, pk)).data)

    @extend_schema(request=NewCriterionSerializer, responses={201: RubricItemSerializer})
    @action(detail=True, methods=["post"])
    def criteria(self, request: Request, campaign: str, pk: int) -> Reply:
        """Add a criterion of your own to an item; it stands at once."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        item, text = self._item(row, pk), self.checked(NewCriterionSerializer)["text"]
        return self._decided(row, pk, lambda: add_criterion(row, item, text, by=request.user), status=201)

    @extend_schema(request=None, responses=RubricItemSerializer)
    @action(detail=True, methods=["post"])
    def none(self, request: Request, campaign: str, pk: int) -> Reply:
        """Say that an item needs no criterion of its own."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        item = self._item(row, pk)
        return self._decided(row, pk, lambda: needs_none(row, item, by=request.user))

    @extend_schema(request=CriterionDecisionSerializer, responses=RubricItemSerializer)
    @action(detail=True, methods=["post"], url_path="criteria/<int:criterion>/decide")
    def decide(self, request: Request, campaign: str, pk: int, criterion: int) -> Reply:
        """Accept a criterion as it was drafted, accept it with another text, or drop it."""
        row = campaign_with_criteria(request, campaign, Right.REVIEW)
        if not self._item(row, pk).criteria.filter(pk=criterion).exists():
            raise Http404("This item has no such criterion.")
        said = self.checked(CriterionDecisionSerializer)
        return self._decided(row, pk, lambda: decide(row, criterion, by=request.user, **said))

    def _decided(self, row: Campaign, pk: int, act: Callable[[], object], *, status: int = 200) -> Reply:
        try:
            act()
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        except ValueError as refusal:
            raise Unprocessable(refusal) from refusal
        return Reply(RubricItemSerializer(self._item(row, pk)).data, status=status)

    def _item(self, row: Campaign, pk: int) -> Item:
        rows: QuerySet[Item] = used_items(row).prefetch_related("criteria")
        if (item := rows.filter(pk=pk).first()) is None:
            raise Http404("This campaign has no such item.")
        return item


def campaign_with_criteria(request: Request, slug: str, right: Right) -> Campaign:
    """The campaign, if its items bring criteria. Raises Http404, PermissionDenied."""
    row = campaign_for(request.user, slug, right)
    if not row.protocol.item_criteria:
        raise Http404("The items of this campaign bring no criteria.")
    return row
