"""Review by the API: the queue, a unit with its answers, and what reviewers decide, by the actions of the pages."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.crypto import get_random_string
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Unprocessable
from accounts.api.repetition import HEADER
from accounts.api.views import ApiViewSet
from analytics.review.access import annotation_to, unit_for_reviewer
from analytics.review.queue import QueuedUnit, Sign, Work, review_units
from analytics.review.unit import reviewed_unit
from analytics.review.wanted import EVERY, LEAST_APART, ORDERS, STATES, annotator_in, read_wanted, wanted_units
from annotation.models import Assignment, BulkDecision, Reason
from annotation.review import comments
from annotation.review.adjudication import MAX_COMMENT, NotForReview, adjudicate, adjudicated_before
from annotation.review.bulk import decide_in_bulk, stop_bulk, undo_bulk
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.review.marks import REVIEWABLE, mark_units, undo_last_mark
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from protocols import InvalidAnswers
from protocols.questions import questions as questions_of

MOST_UNITS = 100_000
REASONS = [it.value for it in Reason if it != Reason.WITHDRAWN]


class ByNumber(PageNumberPagination):
    """The queue is put in order in memory, so its pages have numbers."""

    page_size = 100
    max_page_size = 500
    page_size_query_param = "page_size"


class QueuedUnitSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    number = serializers.IntegerField()
    item = serializers.CharField(source="row.item")
    is_control = serializers.BooleanField()
    answers_used = serializers.IntegerField(source="n_used")
    percent_apart = serializers.IntegerField(allow_null=True, help_text="of what the scale allows, of one aspect")
    aspect_apart = serializers.SerializerMethodField(help_text="that aspect")
    signs = serializers.ListField(child=serializers.CharField(), help_text="why it is in the queue")
    work = serializers.ListField(child=serializers.CharField(), help_text="what reviewers did about it")
    reviewed = serializers.BooleanField()

    def get_aspect_apart(self, row: QueuedUnit) -> str:
        return row.apart.aspect if row.apart else ""


class ReviewedAnswerSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="annotation.pk")
    annotator = serializers.CharField(source="rater", help_text="a pseudonym")
    heard_first = serializers.IntegerField(help_text="the response that this annotator heard first")
    seconds = serializers.FloatField()
    percent_heard = serializers.IntegerField(source="coverage", allow_null=True, help_text="of the clip heard least")
    confidence = serializers.CharField()
    is_used = serializers.BooleanField()
    left_out_because = serializers.SerializerMethodField()

    def get_left_out_because(self, row: Any) -> str:
        return row.decision.reason if row.decision and not row.is_used else ""


class ComparedSerializer(serializers.Serializer):
    aspect = serializers.CharField(source="title")
    response = serializers.IntegerField(source="place", allow_null=True, help_text="as the reviewer hears them")
    said = serializers.ListField(child=serializers.CharField(), help_text="in the order of `answers`; empty: nothing")
    adjudicated = serializers.CharField()


class ReviewQuestionSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="under which it is adjudicated")
    text = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField(), help_text="none: in words")


class CommentedSerializer(serializers.Serializer):
    by = serializers.CharField(source="by.username")
    made_at = serializers.DateTimeField()
    text = serializers.CharField()


class ReviewUnitSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    item = serializers.CharField()
    answers = ReviewedAnswerSerializer(many=True)
    compared = ComparedSerializer(many=True)
    questions = ReviewQuestionSerializer(many=True)
    adjudicated = serializers.DictField(child=serializers.CharField(), help_text="as `adjudicate` would send it")
    comments = CommentedSerializer(many=True)
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="by place; empty until `names` was asked for"
    )


class AdjudicateSerializer(serializers.Serializer):
    answers = serializers.DictField(child=serializers.CharField(allow_blank=True, max_length=5000))
    comment = serializers.CharField(max_length=MAX_COMMENT, default="", allow_blank=True)


class UseSerializer(serializers.Serializer):
    use = serializers.BooleanField(help_text="false: leave it out")
    reason = serializers.ChoiceField(REASONS, required=False, help_text="required where it is left out")
    comment = serializers.CharField(max_length=MAX_COMMENT, default="", allow_blank=True)

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        if not said["use"] and "reason" not in said:
            raise serializers.ValidationError({"reason": ["Choose why it is left out."]})
        return said | {"reason": said.get("reason", Reason.OTHER.value)}


class UseManySerializer(UseSerializer):
    units = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST_UNITS, help_text="ids of the queue"
    )
    annotator = serializers.IntegerField(required=False, min_value=1, help_text="id of an annotator: only theirs")


class BulkDecisionSerializer(serializers.ModelSerializer):
    units = serializers.SerializerMethodField(help_text="how many")
    answers = serializers.IntegerField(
        source="n_answers", allow_null=True, help_text="that changed; null while it is being done"
    )

    class Meta:
        model = BulkDecision
        fields = ["id", "use", "reason", "comment", "units", "answers", "made_at"]

    def get_units(self, row: BulkDecision) -> int:
        return len(row.units)


class AcceptSerializer(serializers.Serializer):
    accepted = serializers.BooleanField()
    reason = serializers.ChoiceField(REASONS, required=False, help_text="of a refusal")
    message = serializers.CharField(max_length=MAX_COMMENT, default="", allow_blank=True, help_text="they read it")


class CommentSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=MAX_COMMENT)


class MarkSerializer(serializers.Serializer):
    units = serializers.ListField(child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST_UNITS)
    done = serializers.BooleanField(default=True, help_text="false: open again")


class MarkedSerializer(serializers.Serializer):
    units = serializers.IntegerField(help_text="how many")
    done = serializers.BooleanField()


class ReviewViewSet(ApiViewSet):
    pagination_class = ByNumber
    lookup_value_converter = "int"

    @extend_schema(
        responses=QueuedUnitSerializer(many=True),
        parameters=[
            OpenApiParameter("sign", enum=[EVERY, *Sign, *Work], description="one reason; `every`: all units"),
            OpenApiParameter("state", enum=STATES),
            OpenApiParameter("units", enum=["study", "control"]),
            OpenApiParameter("q", description="of the item, its text, or an annotator"),
            OpenApiParameter("aspect", description="answers far apart in this aspect"),
            OpenApiParameter("apart", enum=LEAST_APART, description="so many percent at least"),
            OpenApiParameter("annotator", int, description="id of an annotator who answered"),
            OpenApiParameter("order", enum=[sign + it for it in ORDERS for sign in ("", "-")]),
        ],
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """The units to be reviewed, answers furthest apart first."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        wanted = read_wanted(request.query_params.dict())
        return self.page(wanted_units(row, review_units(row), wanted, request.user), QueuedUnitSerializer)

    @extend_schema(responses=ReviewUnitSerializer)
    def retrieve(self, request: Request, campaign: str, pk: int) -> Reply:
        """One unit with the answers of everybody, side by side, in the order in which this reviewer hears it."""
        row = unit_for_reviewer(request.user, campaign, pk, REVIEWABLE)
        names = comments.names_shown_to(row, request.user)
        seen = reviewed_unit(row, request.user, with_names=names is not None)
        by_place = {it.place: it.system for _turn, clips in seen.turns for it in clips if it.place and it.system}
        asked = [
            {"name": it.name, "text": it.text, "values": [option.value for option in it.options]}
            for it in questions_of(seen.protocol, n_responses=len(seen.order))
        ]
        found = {
            "id": row.pk,
            "item": row.unit.item.key,
            "answers": seen.answers,
            "compared": seen.compared,
            "questions": asked,
            "adjudicated": adjudicated_before(row, request.user),
            "comments": row.comments.select_related("by"),
            "systems": [by_place[place] for place in sorted(by_place)],
        }
        return Reply(ReviewUnitSerializer(found).data)

    @extend_schema(request=AdjudicateSerializer, responses={204: None})
    @action(detail=True, methods=["post"])
    def adjudicate(self, request: Request, campaign: str, pk: int) -> Reply:
        """Store the reviewer's own answers beside the others, as a rater of their own."""
        row = unit_for_reviewer(request.user, campaign, pk)
        said = self.checked(AdjudicateSerializer)
        try:
            adjudicate(
                row,
                reviewer=request.user,
                clicked=said["answers"],
                idempotency_key=_key_of(request),
                comment=said["comment"].strip(),
            )
        except InvalidAnswers as invalid:
            faults = [(f"answers.{name}", why) for name, why in invalid.errors.items()]
            raise Unprocessable("These are no answers to its questions.", faults) from invalid
        except NotForReview as refusal:
            raise Unprocessable(refusal) from refusal
        return Reply(status=204)

    @extend_schema(request=CommentSerializer, responses={201: CommentedSerializer})
    @action(detail=True, methods=["post"])
    def comment(self, request: Request, campaign: str, pk: int) -> Reply:
        """Add to the comments of a unit, which reviewers read."""
        row = unit_for_reviewer(request.user, campaign, pk, REVIEWABLE)
        text = self.checked(CommentSerializer)["text"]
        key = _key_of(request)
        made = _reviewed(lambda: comments.comment_on(row, reviewer=request.user, text=text, idempotency_key=key))
        return Reply(CommentedSerializer(made).data, status=201)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def names(self, request: Request, campaign: str, pk: int) -> Reply:
        """Have the systems of a unit named from now on, which is recorded."""
        row = unit_for_reviewer(request.user, campaign, pk)
        comments.show_names(row, reviewer=request.user)
        return Reply(status=204)

    @extend_schema(request=UseSerializer, responses={204: None})
    @action(detail=True, methods=["post"], url_path="answers/<int:annotation>/use")
    def use(self, request: Request, campaign: str, pk: int, annotation: int) -> Reply:
        """Leave an answer out of the analysis with a reason, or take it in again."""
        row = unit_for_reviewer(request.user, campaign, pk)
        said_of = annotation_to(row, annotation)
        said = self.checked(UseSerializer)
        decide = include_answers if said.pop("use") else exclude_answers
        decide(Assignment.objects.filter(pk=said_of.assignment_id), decider=Decider(person=request.user), **said)
        return Reply(status=204)

    @extend_schema(request=AcceptSerializer, responses={204: None})
    @action(detail=True, methods=["post"], url_path="answers/<int:annotation>/accept")
    def accept(self, request: Request, campaign: str, pk: int, annotation: int) -> Reply:
        """Accept an answer or not, with a message that its annotator reads."""
        row = unit_for_reviewer(request.user, campaign, pk)
        found, said = annotation_to(row, annotation), self.checked(AcceptSerializer)
        _reviewed(lambda: comments.review_answer(found, reviewer=request.user, **said))
        return Reply(status=204)

    @extend_schema(request=MarkSerializer, responses=MarkedSerializer)
    @action(detail=False, methods=["post"])
    def mark(self, request: Request, campaign: str) -> Reply:
        """Mark units as reviewed, or open them again."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        said = self.checked(MarkSerializer)
        n = mark_units(row, said["units"], reviewer=request.user, done=said["done"])
        return Reply(MarkedSerializer({"units": n, "done": said["done"]}).data)

    @extend_schema(request=None, responses=MarkedSerializer)
    @action(detail=False, methods=["post"], url_path="undo-mark")
    def undo_mark(self, request: Request, campaign: str) -> Reply:
        """Undo what you marked last."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        n, done = undo_last_mark(row, reviewer=request.user)
        return Reply(MarkedSerializer({"units": n, "done": done}).data)

    @extend_schema(responses=BulkDecisionSerializer(many=True))
    @action(detail=False, pagination_class=None)
    def decisions(self, request: Request, campaign: str) -> Reply:
        """Your last hundred decisions about the answers to many units, the newest first."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        return Reply(BulkDecisionSerializer(_mine(row, request).order_by("-pk")[:100], many=True).data)

    @extend_schema(request=UseManySerializer, responses={202: BulkDecisionSerializer})
    @action(detail=False, methods=["post"], url_path="use")
    def use_many(self, request: Request, campaign: str) -> Reply:
        """Leave out the answers to many units, or take them in again; many answers are decided in the background."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        said = self.checked(UseManySerializer)
        annotator = None
        if "annotator" in said and (annotator := annotator_in(row, str(said.pop("annotator")))) is None:
            raise Unprocessable("There is no such annotator.", [("annotator", "There is none.")])
        made = decide_in_bulk(row, said.pop("units"), reviewer=request.user, annotator=annotator, **said)
        return Reply(BulkDecisionSerializer(made).data, status=202)

    @extend_schema(request=None, responses=BulkDecisionSerializer)
    @action(detail=False, methods=["post"], url_path="decisions/<int:decision>/stop")
    def stop_use(self, request: Request, campaign: str, decision: int) -> Reply:
        """End a decision of yours while it is being done; what was decided stays, and can be undone."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        found = get_object_or_404(_mine(row, request), pk=decision)
        return Reply(BulkDecisionSerializer(stop_bulk(found, reviewer=request.user)).data)

    @extend_schema(request=None, responses={202: BulkDecisionSerializer})
    @action(detail=False, methods=["post"], url_path="decisions/<int:decision>/undo")
    def undo_use(self, request: Request, campaign: str, decision: int) -> Reply:
        """Undo a decision of yours about many answers, except where another person has decided since."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        found = get_object_or_404(_mine(row, request), pk=decision)
        return Reply(
            BulkDecisionSerializer(_reviewed(lambda: undo_bulk(found, reviewer=request.user))).data, status=202
        )


def _mine(campaign: Campaign, request: Request) -> QuerySet[BulkDecision]:
    return BulkDecision.objects.filter(campaign=campaign, by=request.user)


def _key_of(request: Request) -> str:
    return request.headers.get(HEADER, "")[:64] or get_random_string(32)


def _reviewed(act: Callable[[], Any]) -> Any:
    """Raises Unprocessable with what a reviewer may not do."""
    try:
        return act()
    except NotForReview as refusal:
        raise Unprocessable(refusal) from refusal
