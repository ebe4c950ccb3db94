"""Whom voters favour, groups of accounts that came alike, and the board with and without some voters."""

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.views import ApiViewSet
from analytics.quality.pages.favour import FavourPage, GroupRow, SharedPreference, favour_page
from campaigns.access import Right, campaign_for
from infrastructure.whole_numbers import row_id


class PreferenceSerializer(serializers.Serializer):
    """Which system is favoured, or (where `is_for` is false) its opponents, and by how much evidence."""

    system = serializers.CharField(help_text="its name, or its code while names are hidden")
    is_for = serializers.BooleanField(help_text="false: against this system")
    n = serializers.IntegerField(help_text="votes with this system")
    took = serializers.FloatField(help_text="of these, what it (or its opponents) took; a tie is half")
    expected = serializers.FloatField(help_text="what the others' board lets one expect")
    evidence = serializers.FloatField(help_text="an e-value, valid at every look; flagged from 100 on")


class FavouringVoterSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="member.pk", help_text="of the membership")
    annotator = serializers.CharField(source="member.pseudonym", help_text="a pseudonym")
    preference = PreferenceSerializer()
    is_enough = serializers.BooleanField(help_text="the evidence is 100 or more")
    is_believed = serializers.BooleanField(help_text="marked by e-BH: on average at most one in twenty is wrong")
    is_flagged = serializers.BooleanField(help_text="a rule applied")
    is_paused = serializers.BooleanField(help_text="gets no more units")
    left_out = serializers.BooleanField(help_text="no answer is used")


class FavouringGroupSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(["link", "address", "burst"], help_text="what they have in common")
    annotators = serializers.SerializerMethodField(help_text="ids of memberships")
    preference = PreferenceSerializer()
    is_enough = serializers.BooleanField(help_text="the evidence is 100 or more")

    def get_annotators(self, row: GroupRow) -> list[int]:
        return [member.pk for member in row.members]


class SharedPreferenceSerializer(serializers.Serializer):
    """Some accounts favour this system, or vote against it, which is known of all together and of none by itself."""

    system = serializers.CharField()
    is_for = serializers.BooleanField()
    evidence = serializers.FloatField()
    annotators = serializers.SerializerMethodField(help_text="ids of those whose own votes point there most")

    def get_annotators(self, row: SharedPreference) -> list[int]:
        return [member.pk for member in row.members]


class TwoBoardsSerializer(serializers.Serializer):
    system = serializers.CharField(source="name")
    place = serializers.IntegerField(source="row.with_them.place", allow_null=True)
    place_without = serializers.IntegerField(source="row.without.place", allow_null=True)
    rating = serializers.FloatField(source="row.with_them.rating", allow_null=True, help_text="points")
    rating_without = serializers.FloatField(source="row.without.rating", allow_null=True, help_text="points")


class FavourSerializer(serializers.Serializer):
    tolerated = serializers.FloatField(source="rule.tolerated", help_text="the share won in an even pair")
    action = serializers.CharField(source="rule.action", help_text="what the rule does")
    voters_weighed = serializers.IntegerField(source="voters")
    why_not = serializers.SerializerMethodField(help_text="why nobody could be weighed; empty otherwise")
    voters = FavouringVoterSerializer(source="rows", many=True, help_text="those with the most evidence first")
    groups = FavouringGroupSerializer(many=True)
    together = SharedPreferenceSerializer(many=True)
    board = TwoBoardsSerializer(many=True, help_text="with those in `without`, and without them")

    def get_why_not(self, page: FavourPage) -> str:
        return str(page.why_not or "")


WITHOUT = OpenApiParameter(
    "without", int, many=True,
    description="memberships that the second board does not have; by default all voters with enough evidence",
)  # fmt: skip


class FavourViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(
        responses=forced_singular_serializer(FavourSerializer), parameters=[WITHOUT], operation_id="favour"
    )
    def list(self, request: Request, campaign: str) -> Reply:
        """Who prefers a system more than the board without them and a taste explain, and what that changes."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        asked = [row_id(pk) for pk in request.query_params.getlist("without")]
        return Reply(FavourSerializer(favour_page(row, without=asked or None)).data)
