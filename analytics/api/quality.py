"""Whose answers are used: annotators with what signals say of them, decisions about them, and the rules."""

from dataclasses import asdict
from typing import Any

from django.http import Http404
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from analytics.quality import decisions
from analytics.quality.pages.forms import PARTS, DecisionForm, RulesForm
from analytics.quality.pages.overview import AnnotatorRow, overview
from analytics.quality.rules import differing, rules_of
from analytics.quality.signals import SIGNALS
from annotation.models import Reason
from annotation.review.exclusions import MAX_COMMENT
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, Membership, Role
from campaigns.quality.rule import MOST_ANSWERS, Action
from campaigns.quality.rules import set_rules


class AnnotatorSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="member.pk", help_text="of the membership")
    annotator = serializers.CharField(source="member.pseudonym", help_text="a pseudonym")
    answers = serializers.IntegerField(source="n")
    is_paused = serializers.BooleanField(help_text="gets no more units")
    signals = serializers.SerializerMethodField(help_text="values by name; null where there is nothing to go by")
    flagged = serializers.SerializerMethodField(help_text="signals that went beyond what the rules tolerate")

    def get_signals(self, row: AnnotatorRow) -> dict[str, float | None]:
        return {cell.signal.name: cell.kept.value if cell.kept else None for cell in row.cells}

    def get_flagged(self, row: AnnotatorRow) -> list[str]:
        return [cell.signal.name for cell in row.cells if cell.is_flagged]


class DecisionSerializer(serializers.Serializer):
    decision = serializers.ChoiceField(
        list(decisions.DECISIONS),
        help_text="`pause` and `resume`: whether units are given; `exclude` and `include`: whether all answers are "
        "used; `accept` and `decline`: the work. None follows from another",
    )
    reason = serializers.ChoiceField(Reason.values, default=Reason.OTHER.value)
    comment = serializers.CharField(max_length=MAX_COMMENT, default="", allow_blank=True)


class RuleSerializer(serializers.Serializer):
    """What is done when a signal goes beyond what is tolerated."""

    tolerated = serializers.FloatField(min_value=0, max_value=1)
    minimum = serializers.IntegerField(min_value=1, max_value=MOST_ANSWERS, help_text="answers before it speaks up")
    action = serializers.ChoiceField([it.value for it in Action])


class RulesSerializer(serializers.Serializer):
    rules = serializers.DictField(child=RuleSerializer(), help_text="by signal; those that are not named stay")


class AnnotatorViewSet(ApiViewSet):
    pagination_class = None
    lookup_value_converter = "int"

    @extend_schema(responses=AnnotatorSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """Everybody who answers, with what the signals say, those with most flags first."""
        row = campaign_for(request.user, campaign, Right.REVIEW)
        return Reply(AnnotatorSerializer(overview(row).rows, many=True).data)

    @extend_schema(request=DecisionSerializer, responses={204: None})
    @action(detail=True, methods=["post"])
    def decide(self, request: Request, campaign: str, pk: int) -> Reply:
        """Pause an annotator, leave all their answers out or take them in again, accept or decline the work."""
        member = _member(campaign_for(request.user, campaign, Right.REVIEW), pk)
        said = self.checked(DecisionSerializer)
        decide = decisions.DECISIONS[said.pop("decision")]
        try:
            decide(member, by=request.user, **cleaned(DecisionForm(said)))
        except ValueError as refusal:
            raise Unprocessable(refusal, [("comment", refusal)]) from refusal
        return Reply(status=204)


class QualityRulesViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(RulesSerializer), operation_id="quality_rules")
    def list(self, request: Request, campaign: str) -> Reply:
        """What is done when a signal goes beyond what is tolerated, for every signal."""
        return _rules(campaign_for(request.user, campaign, Right.MANAGE))

    @extend_schema(request=RulesSerializer, responses={200: RulesSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Change the rules of some signals, from now on."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        said = self.checked(RulesSerializer)["rules"]
        if unknown := sorted(said.keys() - SIGNALS.keys()):
            raise Unprocessable(
                "There are no such signals.", [(f"rules.{name}", "There is none.") for name in unknown]
            )
        now = rules_of(row)
        posted = {
            f"{name}.{part}": (said[name] if name in said else asdict(rule))[part]
            for name, rule in now.items()
            for part in PARTS
        }
        form = RulesForm(posted, rules=now)
        cleaned(form)
        set_rules(row, rules=differing(row, form.rules), user=request.user)
        return _rules(row)


def _rules(row: Campaign) -> Reply:
    rules: dict[str, Any] = {name: asdict(rule) for name, rule in rules_of(row).items()}
    return Reply(RulesSerializer({"rules": rules}).data)


def _member(campaign: Campaign, pk: int) -> Membership:
    members = campaign.memberships.filter(role=Role.ANNOTATOR, answers_withdrawn_at=None)
    if (found := members.filter(pk=pk).select_related("user", "campaign").first()) is None:
        raise Http404("There is no such annotator in this campaign.")
    return found
