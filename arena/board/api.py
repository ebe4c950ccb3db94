import json

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from analytics.data.hidden_names import names_are_hidden
from arena.board.files import as_json
from arena.board.name_locks import plan_of, shown_table
from arena.standings.choices import ERRORS, METHODS, STEPS, TIES, NoSuchBoard, not_resampled, offer_of
from arena.standings.refresh import refresh
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


class StandingViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        responses=forced_singular_serializer(StandingSerializer), parameters=ASKED, operation_id="standing"
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """Where systems stand by the votes of this moment, or by the verdicts of one judge's run.

        While names are hidden, systems have codes. Of a judge, `table.judged` counts the units without a vote.
        """
        row, asked = campaign_for(request.user, campaign, Right.VIEW), request.query_params.dict()
        try:
            settings = offer_of(row).settings(asked)
        except NoSuchBoard as refusal:
            raise ValidationError(str(refusal)) from refusal
        if not_resampled(asked, settings):
            raise ValidationError("Only Bradley–Terry ratings with ties as half wins, or left out, are resampled.")
        if (standing := refresh(row, settings)) is None:
            raise Conflict("The board is being computed. Try again in a moment.")
        table = shown_table(row, standing.table, hidden=names_are_hidden(row))
        return Reply(json.loads(as_json(standing, table, plan_of(row))))
