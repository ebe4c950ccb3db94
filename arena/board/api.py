import json

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, NotYet
from accounts.api.views import ApiViewSet
from analytics.data.hidden_names import names_are_hidden
from analytics.data.votes.table import Subject
from arena.board.files import as_json
from arena.board.name_locks import CannotLock, hide_names, plan_of, shown_table
from arena.standings.choices import ERRORS, METHODS, STEPS, TIES, NoSuchBoard, Settings, not_resampled, offer_of
from arena.standings.refresh import refresh
from arena.standings.subjects import label_set_for
from campaigns.access import Right, campaign_for

ASKED = [
    OpenApiParameter("aspect", description="of the protocol; else the first that says who is better"),
    OpenApiParameter("category", description="of items"),
    OpenApiParameter(
        "by",
        description="an evaluator; a group: `no-link`, or `link-` and an invitation's number; or a judge: `judge-` "
        "and the number of a run that is done",
    ),
    OpenApiParameter("excluded", enum=["", "1"], description="with what was left out; not of a judge"),
    OpenApiParameter("method", enum=METHODS),
    OpenApiParameter("ties", enum=TIES, description="`without_…` of typed ties alone"),
    OpenApiParameter(
        "errors",
        enum=ERRORS,
        description="sandwich errors over voters and items, or each vote for itself; or resamples of votes "
        "(`bootstrap`), or of voters with all their votes, both refused with `davidson` and `contextual`",
    ),
    OpenApiParameter("k", enum=STEPS, description="of Elo"),
    OpenApiParameter(
        "order",
        description="in which Elo takes the votes: as recorded; `shuffled`, the mean over 1,000 orders with the ends "
        "of 95 % of them; or `by:` and a column that came with the pairs",
    ),
]


class StandingSerializer(serializers.Serializer):
    subject = serializers.CharField()
    settings = serializers.DictField()
    counts_sha256 = serializers.CharField()
    votes_sha256 = serializers.CharField()
    version = serializers.CharField()
    created_at = serializers.DateTimeField()
    n = serializers.IntegerField()
    analysis_plan = serializers.DictField()
    table = serializers.DictField(help_text="systems in islands that votes connect, with ratings and intervals")


class AnalysisPlanSerializer(serializers.Serializer):
    """The settings of the board; what is not named is as the board begins with."""

    aspect = serializers.CharField(required=False, max_length=200)
    method = serializers.ChoiceField(METHODS, required=False)
    ties = serializers.ChoiceField(TIES, required=False)
    errors = serializers.ChoiceField(ERRORS, required=False)


class StandingViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        responses=forced_singular_serializer(StandingSerializer), parameters=ASKED, operation_id="standing"
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """Where systems stand by the votes of this moment, or by the verdicts of one judge's run.

        While names are hidden, systems have codes. Of a judge, `table.judged` counts the units without a vote.
        """
        return _standing(campaign_for(request.user, campaign, Right.VIEW), request)

    @extend_schema(request=AnalysisPlanSerializer, responses={204: None})
    @action(detail=False, methods=["post"], url_path="hide-names")
    def hide_names(self, request: Request, campaign: str) -> Reply:
        """Hide the names of the systems until the campaign closes, and fix by which settings its board is read."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        settings = _settings(row, self.checked(AnalysisPlanSerializer))
        try:
            hide_names(row, user=request.user, settings=settings)
        except CannotLock as refusal:
            raise Conflict("The campaign is closed, so names are no longer hidden.") from refusal
        return Reply(status=204)


class LabelSetStandingViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        responses=forced_singular_serializer(StandingSerializer), parameters=ASKED, operation_id="label_set_standing"
    )
    def list(self, request: Request, label_set: int) -> Reply:
        """Where systems stand by the labels of an imported set."""
        return _standing(label_set_for(request.user, label_set), request)


def _settings(subject: Subject, asked: dict[str, str]) -> Settings:
    """Raises ValidationError for a board that there is not."""
    try:
        settings = offer_of(subject).settings(asked)
    except NoSuchBoard as refusal:
        raise ValidationError(str(refusal)) from refusal
    if not_resampled(asked, settings):
        raise ValidationError("Only Bradley–Terry ratings with ties as half wins, or left out, are resampled.")
    return settings


def _standing(subject: Subject, request: Request) -> Reply:
    settings = _settings(subject, request.query_params.dict())
    if (standing := refresh(subject, settings)) is None:
        raise NotYet("The board is being computed. Try again in a moment.")
    table = shown_table(subject, standing.table, hidden=names_are_hidden(subject))
    return Reply(json.loads(as_json(standing, table, plan_of(subject))))
