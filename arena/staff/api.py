"""The arena of a campaign by the API: its terms, newcomers, and its votes as rows."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpResponseBase
from django.urls import reverse
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from arena.models import ArenaSettings
from arena.pairing.pool import pool_of
from arena.settings.forms import MOST, ArenaForm
from arena.settings.setup import CannotBeArena, Terms, arena_of, end_arena, set_arena
from arena.staff.newcomers import let_in, newcomers
from arena.voting.votes import FORMS, vote_rows
from campaigns.access import Right, campaign_for, require_names_shown
from campaigns.audit_log import record_download
from campaigns.models import Campaign
from corpus.models import System
from infrastructure.background.api import JobSerializer
from infrastructure.files.downloads import send_lines

VOTES = {(200, FORMS[form][0]): OpenApiTypes.STR for form in FORMS}
NUMBERS = ("votes_per_hour", "votes_per_address", "guests_per_address")


class ArenaTermsSerializer(serializers.Serializer):
    """How pairs are drawn, who may vote and how often; what is not named stays, or is as on the page."""

    rule = serializers.ChoiceField(ArenaSettings.Rule.values, required=False, help_text="which pair comes next")
    is_public = serializers.BooleanField(required=False, help_text="anyone with the address may vote")
    takes_guests = serializers.BooleanField(required=False, help_text="voters of a public arena need no account")
    reveals_names = serializers.BooleanField(required=False, help_text="after each vote; votes are then final")
    reason_required = serializers.BooleanField(required=False, help_text="fixed once the campaign is open")
    votes_per_hour = serializers.IntegerField(min_value=1, max_value=MOST, required=False, help_text="of one person")
    votes_per_address = serializers.IntegerField(min_value=1, max_value=MOST, required=False)
    guests_per_address = serializers.IntegerField(min_value=1, max_value=MOST, required=False)


class ArenaSerializer(serializers.ModelSerializer):
    campaign = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    link = serializers.SerializerMethodField(help_text="where people vote")
    systems = serializers.SerializerMethodField(help_text="that take part")
    newcomers = serializers.SerializerMethodField(help_text="systems of the dataset that do not take part")

    class Meta:
        model = ArenaSettings
        fields = ["campaign", "rule", "is_public", "takes_guests", "reveals_names", *NUMBERS, "link", "systems",
                  "newcomers"]  # fmt: skip

    def get_link(self, row: ArenaSettings) -> str:
        return str(self.context["request"].build_absolute_uri(reverse("arena", args=[row.campaign.slug])))

    def get_systems(self, row: ArenaSettings) -> int:
        return len(pool_of(row.campaign).systems)

    def get_newcomers(self, row: ArenaSettings) -> list[str]:
        return [system.name for system in newcomers(row.campaign)]


class NewcomerSerializer(serializers.Serializer):
    system = serializers.CharField(max_length=200, help_text="by name")


class ArenaViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(ArenaSerializer), operation_id="arena")
    def list(self, request: Request, campaign: str) -> Reply:
        """The arena of a campaign: its terms, its address, and who takes part."""
        return self._said(campaign_for(request.user, campaign, Right.VIEW))

    @extend_schema(request=ArenaTermsSerializer, responses={200: ArenaSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Run a draft as an arena, or change the terms of one. It is opened, paused and closed as its campaign."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        said = self.checked(ArenaTermsSerializer)
        form = ArenaForm(_terms_now(row) | said, campaign=row)
        cleaned(form)
        try:
            set_arena(row, terms=form.terms, reason_required=form.needs_reason, by=request.user)
        except CannotBeArena as refusal:
            raise Conflict(refusal) from refusal
        return self._said(row)

    @extend_schema(request=None, responses={204: None})
    @action(detail=False, methods=["post"])
    def end(self, request: Request, campaign: str) -> Reply:
        """Hand out units from the list again, while it is a draft."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        try:
            end_arena(row)
        except CannotBeArena as refusal:
            raise Conflict(refusal) from refusal
        return Reply(status=204)

    @extend_schema(request=NewcomerSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"], url_path="let-in")
    def let_in(self, request: Request, campaign: str) -> Reply:
        """Let a system take part that was imported later, as soon as its audio is prepared."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        _required(row)
        name = self.checked(NewcomerSerializer)["system"]
        if (system := System.objects.filter(dataset=row.dataset_id, name=name).first()) is None:
            raise Unprocessable("There is no such system in its dataset.", [("system", "There is none.")])
        return Reply(JobSerializer(let_in(row, system, user=request.user)).data, status=202)

    @extend_schema(responses=VOTES)
    @action(detail=False, url_path="votes.<slug:form>")
    def votes(self, request: Request, campaign: str, form: str) -> HttpResponseBase:
        """Every vote as a row, as `csv` or `jsonl`, in the shape of LMArena's battles."""
        row = campaign_for(request.user, campaign, Right.EXPORT)
        _required(row)
        if form not in FORMS:
            raise Http404("Votes of an arena can be had as csv and as jsonl.")
        require_names_shown(row)
        record_download(row, f"votes.{form}", by=request.user)
        content_type, written = FORMS[form]
        return send_lines(
            request, written(vote_rows(row)), name=f"{campaign}-votes.{form}", content_type=content_type
        )

    def _said(self, row: Campaign) -> Reply:
        return Reply(ArenaSerializer(_required(row), context=self.get_serializer_context()).data)


def _required(row: Campaign) -> ArenaSettings:
    if (found := arena_of(row)) is None:
        raise Http404("This campaign is no arena.")
    return found


def _terms_now(row: Campaign) -> dict[str, Any]:
    """As the form of the page begins."""
    there, required = arena_of(row), any(it.required for it in row.protocol.aspects if it.scale.kind.is_written)
    terms = {name: getattr(there, name) if there else value for name, value in asdict(Terms()).items()}
    return terms | {"reason_required": there is not None and required}
