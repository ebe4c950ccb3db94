"""Campaigns from draft to closed, their units and their people."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from accounts.models import User
from accounts.people.rights import require_account, require_launcher
from campaigns.access import Right, campaign_for, campaigns_with, require_names_shown
from campaigns.launch.create import Draft, draft_campaign
from campaigns.launch.forms import AnswersForm, ProtocolForm, SystemsForm, UnitsForm
from campaigns.launch.lifecycle import (
    CannotOpen,
    WrongStatus,
    close_campaign,
    open_campaign,
    pause_campaign,
    preparation,
    prepare_audio,
)
from campaigns.launch.sample_units import How
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from campaigns.people.members import LastAdmin, add_member, end_membership
from campaigns.protocol_composer.known_protocols import known_protocol
from corpus.access import datasets_to_launch
from corpus.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET
from corpus.models import Dataset, System, Unit
from infrastructure.background.api import JobSerializer
from infrastructure.deletion.api import RenamableViewSet

WAYS = [how for how in How.values if how != How.FILE]


class CampaignSerializer(serializers.ModelSerializer):
    dataset = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    protocol = serializers.SerializerMethodField(help_text="name/version")

    class Meta:
        model = Campaign
        fields = ["slug", "title", "dataset", "protocol", "protocol_digest", "status", "answers_per_unit",
                  "target_lufs", "show_waveform", "closes_at", "closes_when_complete", "archived_at", "created_at",
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


class NewCampaignSerializer(serializers.Serializer):
    """The choices of the steps of a launch; what is not named is as the pages begin with."""

    title = serializers.CharField(max_length=120, help_text="annotators read it, so let it name no system")
    dataset = serializers.CharField(max_length=80, help_text="its slug")
    systems = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, help_text="by name; all, if none is named"
    )
    protocol = serializers.CharField(max_length=101, help_text="name/version, or the name alone")
    listening = serializers.ChoiceField(
        ["full", "seconds", "none"], required=False, help_text="in place of the protocol's own rule"
    )
    target_lufs = serializers.FloatField(
        min_value=QUIETEST_TARGET,
        max_value=LOUDEST_TARGET,
        default=-23.0,
        allow_null=True,
        help_text="null: play every clip at its own level",
    )
    show_waveform = serializers.BooleanField(default=True)
    units = serializers.ChoiceField(WAYS, required=False, help_text="of pairs: all, subset or imported; else: every")
    per_pair = serializers.IntegerField(min_value=1, max_value=1000, default=4, help_text="items, for a subset")
    repeat_share = serializers.IntegerField(min_value=0, max_value=50, default=0, help_text="percent of the units")
    answers_per_unit = serializers.IntegerField(min_value=1, max_value=100, default=1)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_when_complete = serializers.BooleanField(default=False)


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
        draft = _draft(request.user, self.checked(NewCampaignSerializer))
        try:
            row = draft_campaign(draft, user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal, [("units", refusal)]) from refusal
        return Reply(CampaignWithJobSerializer(row).data, status=202)

    @extend_schema(responses=CampaignWithJobSerializer)
    def retrieve(self, request: Request, slug: str) -> Reply:
        """One campaign."""
        return Reply(CampaignWithJobSerializer(campaign_for(request.user, slug, Right.VIEW)).data)

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def open(self, request: Request, slug: str) -> Reply:
        """Let annotators in. What stands in the way is in `errors`."""
        return self._turned(request, slug, open_campaign)

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Reply:
        """Keep annotators out for now."""
        return self._turned(request, slug, pause_campaign)

    @extend_schema(request=None, responses=CampaignWithJobSerializer)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, slug: str) -> Reply:
        """End it for good."""
        return self._turned(request, slug, partial(close_campaign, by=request.user))

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def audio(self, request: Request, slug: str) -> Reply:
        """Prepare the audio (again)."""
        row = campaign_for(request.user, slug, Right.MANAGE)
        if row.status != Campaign.Status.DRAFT:
            raise Conflict("The audio of a campaign that has opened is as it is.")
        return Reply(JobSerializer(prepare_audio(row, user=request.user)).data, status=202)

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
        """The units of the study, without checks."""
        row = campaign_for(request.user, campaign, Right.VIEW)
        require_names_shown(row)  # at the places where reviewers meet them
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


def _draft(user: User, said: dict[str, Any]) -> Draft:
    """By the forms of the launch, so that what they refuse is refused here. Raises ValidationError."""
    datasets = datasets_to_launch(user)
    if (dataset := datasets.filter(slug=said["dataset"]).first()) is None:
        raise ValidationError({"dataset": ["You have no such dataset to launch a campaign over."]})
    systems = {"title": said["title"], "dataset": dataset.pk, "systems": _systems(dataset, said.get("systems"))}
    first = cleaned(SystemsForm(systems, datasets=datasets, dataset=dataset))
    level = {"match_loudness": said["target_lufs"] is not None, "target_lufs": said["target_lufs"] or -23.0}
    known = known_protocol(said["protocol"])
    asked = {name: said.get(name, "") for name in ("listening", "show_waveform")}
    asked["protocol"] = known.choice if known else said["protocol"]
    second = cleaned(ProtocolForm(asked | level))
    protocol = replace(second["protocol"], **({"listening": second["listening"]} if second["listening"] else {}))
    has_imported = protocol.unit == "pair" and dataset.units.filter(imported=True).exists()
    begins_with = How.EVERY if protocol.unit != "pair" else How.IMPORTED if has_imported else How.ALL
    how = {"how": said.get("units", begins_with), "pace": 1} | {n: said[n] for n in ("per_pair", "repeat_share")}
    third = cleaned(UnitsForm(how, kind=protocol.unit, has_imported=has_imported, keeps_file=True))
    end = {name: said.get(name) for name in ("answers_per_unit", "closes_at", "closes_when_complete")}
    fourth = cleaned(AnswersForm(end))
    return Draft(
        title=first["title"],
        dataset=dataset,
        systems=tuple(first["systems"]),
        protocol=protocol,
        target_lufs=said["target_lufs"],
        show_waveform=said["show_waveform"],
        how=third["how"],
        per_pair=third.get("per_pair"),
        repeat_share=third["repeat_share"],
        **fourth,
    )


def _systems(dataset: Dataset, names: list[str] | None) -> list[int]:
    """The ids, all of the dataset's where none is named. Raises ValidationError."""
    there = dict(System.objects.filter(dataset=dataset).values_list("name", "pk"))
    if unknown := [name for name in names or () if name not in there]:
        raise ValidationError({"systems": [f"This dataset has no system {name!r}." for name in unknown]})
    return [there[name] for name in names or there]
