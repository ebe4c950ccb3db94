"""How many raters, how many items, by the API."""

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from analytics.planning.ratings.asking import FROM, RATINGS, Planning, planning_of
from analytics.planning.ratings.forms import MOST_ITEMS, MOST_RATERS, MOST_SECONDS, MOST_SYSTEMS, QUANTITIES
from analytics.planning.ratings.plan import RatingPlan, plan_ratings
from analytics.planning.ratings.reasons import NO_RATINGS
from campaigns.access import Right, campaign_for
from stats.rater_models.components import FACETS, RESIDUAL
from stats.rater_models.decision import MOST_PER_RESPONSE

HALF = "half the width of the 95 % interval; null with fewer than three raters or items"


class PilotSerializer(serializers.Serializer):
    """The campaign's ratings so far."""

    ratings = serializers.IntegerField()
    systems = serializers.IntegerField()
    items = serializers.IntegerField()
    raters = serializers.IntegerField()
    imported = serializers.BooleanField(help_text="of people whose answers were imported")
    used = serializers.BooleanField(source="of_pilot", help_text="whether the variances here are theirs")


class DesignSerializer(serializers.Serializer):
    """A size of a study, what it can be expected to bring, and what it costs."""

    raters = serializers.IntegerField(source="found.size.raters", help_text="in all")
    items = serializers.IntegerField(source="found.size.items")
    per_response = serializers.IntegerField(source="found.size.per_response", help_text="raters of each response")
    ratings = serializers.IntegerField(help_text="of all systems")
    hours = serializers.FloatField()
    difference = serializers.FloatField(source="found.difference", allow_null=True, help_text=f"adjusted: {HALF}")
    plain_difference = serializers.FloatField(source="found.plain_difference", allow_null=True, help_text=HALF)
    mean = serializers.FloatField(source="found.mean", allow_null=True, help_text=HALF)
    generalizability = serializers.FloatField(
        source="found.reliability", allow_null=True, help_text="Eρ²; null where systems do not differ"
    )
    dependability = serializers.FloatField(
        source="found.dependability", allow_null=True, help_text="Φ; null where systems do not differ"
    )
    reaches = serializers.BooleanField(help_text="whether it is as narrow as is wanted")


class RatingPlanSerializer(serializers.Serializer):
    aspect = serializers.CharField()
    pilot = PilotSerializer()
    variances = serializers.DictField(child=serializers.FloatField(), help_text="by facet, as planned with")
    cheapest = DesignSerializer(allow_null=True, help_text="the fewest ratings that suffice; null where none do")
    by_per_response = DesignSerializer(many=True, help_text="the fewest items for each number of raters per response")
    least = serializers.FloatField(allow_null=True, help_text="the half width that endlessly many items would leave")
    fewest_raters = serializers.IntegerField(
        allow_null=True, help_text="raters in all that suffice with all items; null where no number does"
    )
    grid = DesignSerializer(many=True)


def _whole(name: str, most: int, description: str) -> OpenApiParameter:
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return OpenApiParameter(name, schema, description=description)


def _number(name: str, description: str, *, least: float = 0.0, most: float = 10_000.0) -> OpenApiParameter:
    schema = {"type": "number", "minimum": least, "maximum": most}
    return OpenApiParameter(name, schema, description=description)


class RatingPlanViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        parameters=[
            OpenApiParameter("aspect", description="a question answered by ratings; else the overall one"),
            OpenApiParameter("of", enum=[name for name, _title in QUANTITIES], description="what is to be known"),
            _number("half", "to within ±, in points of the scale", least=0.001, most=1_000.0),
            _whole("raters", MOST_RATERS, "that there are"),
            _whole("items", MOST_ITEMS, "that there are"),
            _whole("per_response", MOST_PER_RESPONSE, "raters of each response, in `grid`"),
            _whole("systems", MOST_SYSTEMS, "to be rated"),
            _whole("pace", MOST_SECONDS, "seconds per rating"),
            OpenApiParameter(FROM, enum=[RATINGS], description="the variances of the ratings so far, and no others"),
            *(_number(name, "a variance; else that of the ratings so far") for name in (*FACETS, RESIDUAL)),
        ],
        responses=forced_singular_serializer(RatingPlanSerializer),
        operation_id="rating_plan",
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """How many raters, how many items: what ratings of several sizes can be expected to bring, and cost."""
        found = planning_of(campaign_for(request.user, campaign, Right.MANAGE), request.query_params.dict())
        if found is None:
            raise Unprocessable(NO_RATINGS())
        cleaned(found.form)
        return _said(found, plan_ratings(found.form.components(), found.form.asked()))


def _said(found: Planning, plan: RatingPlan) -> Reply:
    counts = {name: getattr(found.pilot, name) for name in ("ratings", "systems", "items", "raters", "imported")}
    said = {
        "aspect": found.aspect.name,
        "pilot": counts | {"of_pilot": found.of_pilot},
        "variances": dict(found.form.components().variances),
        "cheapest": plan.cheapest,
        "by_per_response": plan.reaching,
        "least": plan.least,
        "fewest_raters": plan.fewest_raters,
        "grid": plan.grid,
    }
    return Reply(RatingPlanSerializer(said).data)
