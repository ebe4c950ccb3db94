"""Campaigns from draft to closed, their units and their people."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst
from accounts.api.problems import Conflict, Unprocessable
from accounts.api.views import ApiViewSet
from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from accounts.people.rights import require_account, require_launcher
from campaigns.access import Right, campaign_for, campaigns_with, require_names_shown
from campaigns.audit_log import record_in_once_a_day
from campaigns.launch.cloning import clone_campaign
from campaigns.launch.create import change_draft, draft_campaign
from campaigns.launch.draft_bodies import (
    OF_UNITS,
    ChangedCampaignSerializer,
    LoudnessSerializer,
    NewCampaignSerializer,
    changed_draft,
    new_draft,
)
from campaigns.launch.edit import DropsUnits, NotADraft
from campaigns.launch.later_units import news_for, start_adding, takes_systems
from campaigns.launch.lifecycle import (
    CannotOpen,
    WrongStatus,
    close_campaign,
    open_campaign,
    pause_campaign,
    preparation,
    set_loudness_target,
)
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from campaigns.people.members import LastAdmin, add_member, end_membership
from campaigns.reasons import FIXED_ONCE_OPEN
from corpus.models import Unit
from infrastructure.background.api import JobSerializer
from infrastructure.deletion.actions import rename
from infrastructure.deletion.api import RenamableViewSet

#: Reviewers hear units without names; the list of units tells them all.
UNITS_NAMED = AuditEvent("units_named", gettext_lazy("The systems of all units were listed by the API."))


class CampaignSerializer(serializers.ModelSerializer):
    dataset = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    protocol = serializers.SerializerMethodField(help_text="name/version")

    class Meta:
        model = Campaign
        fields = ["slug", "title", "dataset", "protocol", "protocol_digest", "status", "answers_per_unit",
                  "target_lufs", "show_waveform", "closes_at", "closes_when_complete", "stops_when",
                  "stop_reached_at", "archived_at", "created_at",
                  "opened_at"]  # fmt: skip

    def get_protocol(self, row: Campaign) -> str:
        return f"{row.protocol.name}/{row.protocol.version}"


class CampaignWithJobSerializer(CampaignSerializer):
    preparation = serializers.SerializerMethodField(help_text="of the audio; a campaign opens after it")

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "preparation"]

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_preparation(self, row: Campaign) -> object:
        job = preparation(row)
        return JobSerializer(job).data if job else None


class RenamedCampaignSerializer(CampaignWithJobSerializer):
    name = serializers.CharField(source="title")

    class Meta(CampaignWithJobSerializer.Meta):
        fields = [*CampaignWithJobSerializer.Meta.fields, "name"]


class LaterUnitsSerializer(serializers.Serializer):
    systems = serializers.ListField(
        child=serializers.CharField(max_length=200), default=list, help_text="new ones that join, by name"
    )


class UnitSerializer(serializers.ModelSerializer):
    id = serializers.IntegerField(source="unit.pk")
    key = serializers.CharField(source="unit.key")
    kind = serializers.ChoiceField(Unit.Kind.choices, source="unit.kind")
    item = serializers.CharField(source="unit.item.key")
    systems = serializers.SerializerMethodField(help_text="whose response is a, b, …")

    class Meta:
        model = CampaignUnit
        fields = ["id", "key", "kind", "item", "systems", "position"]

    def get_systems(self, row: CampaignUnit) -> dict[str, str]:
        sides = {"a": row.unit.a, "b": row.unit.b} | {one.slot: one.response for one in row.unit.members.all()}
        return {slot: said.system.name for slot, said in sides.items() if said}


class MemberSerializer(serializers.ModelSerializer):
    username = serializers.SerializerMethodField(help_text="empty for guests")

    class Meta:
        model = Membership
        fields = ["id", "username", "role", "pseudonym", "created_at", "ended_at"]

    def get_username(self, row: Membership) -> str:
        return "" if row.user.is_guest else row.user.username


class NewMemberSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150, help_text="of an account that is there")
    role = serializers.ChoiceField(Role.choices)


class CampaignViewSet(RenamableViewSet):
    subject_kind = "campaign"
    lookup_field = "slug"
    lookup_value_converter = "slug"

    @extend_schema(responses=CampaignSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """The campaigns that you may look into."""
        require_account(request.user)
        return self.page(campaigns_with(request.user, Right.VIEW).select_related("dataset"), CampaignSerializer)

    @extend_schema(request=NewCampaignSerializer, responses={202: CampaignWithJobSerializer})
    def create(self, request: Request) -> Reply:
        """A draft with its units. Its audio is being prepared; open it when that `succeeded`."""
        require_launcher(request.user)
        draft = new_draft(request.user, self.checked(NewCampaignSerializer))
        try:
            row = draft_campaign(draft, user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal, [("units", refusal)]) from refusal
        return Reply(CampaignWithJobSerializer(row).data, status=202)

    @extend_schema(responses=CampaignWithJobSerializer)
    def retrieve(self, request: Request, slug: str) -> Reply:
        """One campaign."""
        return Reply(CampaignWithJobSerializer(campaign_for(request.user, slug, Right.VIEW)).data)

    @extend_schema(request=ChangedCampaignSerializer, responses=RenamedCampaignSerializer)
    def partial_update(self, _request: Request, **where: Any) -> Reply:
        """Give a campaign another name, or change a draft: what is not named stays.

        A new `title` brings a new `slug`. Where units are chosen again, gold units and others made by hand would go:
        this is refused unless `drop_units` says so.
        """
        row = campaign_for(self.request.user, where["slug"], Right.MANAGE)
        said = self.checked(ChangedCampaignSerializer, partial=True)
        if "name" in said:
            self.turned(rename, said.pop("name"))
            row.refresh_from_db()
        may_drop = said.pop("drop_units", False)
        return Reply(RenamedCampaignSerializer(self._changed(row, said, may_drop=may_drop) if said else row).data)

    @extend_schema(request=None, responses={201: CampaignSerializer})
    @action(detail=True, methods=["post"])
    def clone(self, request: Request, slug: str) -> Reply:
        """Make a new draft like this campaign, without its people and its answers."""
        row = campaign_for(request.user, slug, Right.MANAGE)
        require_launcher(request.user)
        try:
            return Reply(CampaignSerializer(clone_campaign(row, user=request.user)).data, status=201)
        except WrongStatus as refusal:
            raise Conflict(refusal) from refusal

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def open(self, request: Request, slug: str) -> Reply:
        """Let annotators in. What stands in the way is in `errors`."""
        return self._turned(request, slug, partial(open_campaign, by=request.user))

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Reply:
        """Keep annotators out for now."""
        return self._turned(request, slug, partial(pause_campaign, by=request.user))

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, slug: str) -> Reply:
        """End it for good."""
        return self._turned(request, slug, partial(close_campaign, by=request.user))

    @extend_schema(request=LoudnessSerializer, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def audio(self, request: Request, slug: str) -> Reply:
        """Prepare the audio of a draft (again), with another loudness where `target_lufs` is sent."""
        row = campaign_for(request.user, slug, Right.MANAGE)
        target = self.checked(LoudnessSerializer).get("target_lufs", row.target_lufs)
        try:
            job = set_loudness_target(row, target, user=request.user)
        except WrongStatus as refusal:
            raise Conflict(refusal) from refusal
        return Reply(JobSerializer(job).data, status=202)

    @extend_schema(request=LaterUnitsSerializer, responses={202: JobSerializer})
    @action(detail=True, methods=["post"], url_path="later-units")
    def later_units(self, request: Request, slug: str) -> Reply:
        """Add the units of what came into the dataset since its units were chosen, while the campaign runs."""
        row = campaign_for(request.user, slug, Right.MANAGE)
        names = self.checked(LaterUnitsSerializer)["systems"]
        news = news_for(row)
        joining = {it.name: it for it in news.systems} if news and takes_systems(row) else {}
        if unknown := [name for name in names if name not in joining]:
            faults = [("systems", f"{name!r} is no new system that can join.") for name in unknown]
            raise Unprocessable("There are no such new systems.", faults)
        try:
            job = start_adding(row, systems=[joining[name] for name in names], user=request.user)
        except WrongStatus as refusal:
            raise Conflict(refusal) from refusal
        return Reply(JobSerializer(job).data, status=202)

    def _changed(self, row: Campaign, said: dict[str, Any], *, may_drop: bool) -> Campaign:
        if row.status != Campaign.Status.DRAFT:
            raise Conflict(FIXED_ONCE_OPEN())
        draft, units = changed_draft(self.request.user, row, said), bool(OF_UNITS & said.keys())
        try:
            return change_draft(row, draft, user=self.request.user, choose_units=units, may_drop=may_drop)
        except NotADraft as refusal:
            raise Conflict(refusal) from refusal
        except DropsUnits as drops:
            why = f"{drops.n} units made by hand do not fit this, such as gold units. Send drop_units to let them go."
            raise Conflict(why, [("drop_units", why)]) from drops
        except ValueError as refusal:
            raise Unprocessable(refusal, [("units", refusal)]) from refusal

    def _turned(self, request: Request, slug: str, turn: Callable[[Campaign], Campaign]) -> Reply:
        row = campaign_for(request.user, slug, Right.MANAGE)
        try:
            turned = turn(row)
        except CannotOpen as refusal:
            raise Conflict(refusal, [("", one.message) for one in refusal.obstacles]) from refusal
        except WrongStatus as refusal:
            raise Conflict(refusal) from refusal
        return Reply(CampaignWithJobSerializer(turned).data)


class UnitViewSet(ApiViewSet):
    pagination_class = FirstFirst

    @extend_schema(responses=UnitSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The units of the study with whose responses they are, which is recorded; without checks."""
        row = campaign_for(request.user, campaign, Right.VIEW)
        require_names_shown(row)  # at the places where reviewers meet them
        record_in_once_a_day(row, UNITS_NAMED, by=request.user)
        study = row.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
        units: Any = study.select_related("unit__item", "unit__a__system", "unit__b__system")
        return self.page(units.prefetch_related("unit__members__response__system"), UnitSerializer)


class MemberViewSet(ApiViewSet):
    pagination_class = FirstFirst
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Membership]:
        row = campaign_for(self.request.user, self.kwargs["campaign"], Right.INVITE)
        return row.memberships.select_related("user")

    @extend_schema(responses=MemberSerializer(many=True))
    def list(self, _request: Request, campaign: str) -> Reply:
        """All members."""
        del campaign
        return self.page(self.rows(), MemberSerializer)

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Give a role to a user with an account."""
        row = campaign_for(request.user, campaign, Right.INVITE)
        said = self.checked(NewMemberSerializer)
        user = User.objects.filter(username=said["username"], is_guest=False).first()
        if user is None:
            raise Unprocessable("There is no such account.", [("username", "There is no such account.")])
        return Reply(
            MemberSerializer(add_member(row, user=user, role=said["role"], by=request.user)).data, status=201
        )

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, campaign: str, pk: int) -> Reply:
        """Take the role away; what the person answered stays."""
        del campaign
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("There is no such member.")
        try:
            end_membership(row, by=request.user)
        except LastAdmin as refusal:
            raise Conflict(refusal) from refusal
        return Reply(status=204)
