"""What annotators have to do before their first unit, by the API: the gates of a draft, and the guidelines."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import ChecksFixed, Right, campaign_for
from campaigns.control_units.api import MOST_FAULTS, GoldSerializer
from campaigns.control_units.checks import GoldAnswer
from campaigns.entry_gates.forms import GateForm, GuidelinesForm
from campaigns.entry_gates.gates import giveaways, passing, set_gates, units_before_first_unit, units_met_again
from campaigns.entry_gates.guidelines import MAX_LENGTH, new_guidelines, newest_guidelines
from campaigns.entry_gates.settings import HEADPHONE_TRIALS, OF_UNITS, GatePlan
from campaigns.models import Campaign, Gate, GateKind, GuidelinesText, gates_of
from infrastructure.files.uploaded_tables import InvalidTable

KINDS = ", ".join(f"`{kind}`" for kind in GateKind.values)


class NewGateSerializer(serializers.Serializer):
    """A gate as the page sets it. What is not named is as it is, or as such a gate usually is."""

    tries = serializers.IntegerField(min_value=1, max_value=20, required=False)
    on_failure = serializers.ChoiceField(Gate.OnFailure.choices, required=False)
    valid_minutes = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True, help_text="null: for good"
    )
    pass_at = serializers.IntegerField(
        min_value=1, max_value=HEADPHONE_TRIALS, required=False, help_text="of headphones: trials to be right"
    )
    pass_db = serializers.FloatField(required=False, help_text="of the surroundings: noise to be noticed")
    threshold = serializers.FloatField(
        min_value=0.01, max_value=1, required=False, help_text="of the qualification: the share to be right"
    )
    units = GoldSerializer(many=True, required=False, help_text="of training and qualification, in place of theirs")


class NewGatesSerializer(serializers.Serializer):
    gates = serializers.DictField(
        child=NewGateSerializer(allow_null=True),
        help_text=f"by kind ({KINDS}); null: it is not asked for. Kinds that are not named stay",
    )


class GateSerializer(serializers.ModelSerializer):
    settings = serializers.DictField(help_text="of its kind: pass_at, pass_db, threshold")
    units = serializers.ListField(child=serializers.CharField(), help_text="their keys, in order")
    passed = serializers.IntegerField(help_text="so many people, by their last try")
    failed = serializers.IntegerField()
    could_not_run = serializers.IntegerField()
    under_way = serializers.IntegerField()
    median_score = serializers.FloatField(allow_null=True)

    class Meta:
        model = Gate
        fields = ["kind", "tries", "on_failure", "valid_minutes", "settings", "units", "passed", "failed",
                  "could_not_run", "under_way", "median_score"]  # fmt: skip


class GuidelinesSerializer(serializers.ModelSerializer):
    class Meta:
        model = GuidelinesText
        fields = ["version", "text", "made_at"]


class GatesSerializer(serializers.Serializer):
    gates = GateSerializer(many=True, help_text="that are asked for, in the order in which they are met")
    guidelines = GuidelinesSerializer(allow_null=True, help_text="the newest")
    names_systems = serializers.ListField(child=serializers.CharField(), help_text="texts that name a system")
    units_met_again = serializers.ListField(child=serializers.CharField(), help_text="units of the study among them")


class NewGuidelinesSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=MAX_LENGTH, help_text="`#` begins a heading, `-` an item of a list")


class EntryGatesViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(GatesSerializer), operation_id="entry_gates")
    def list(self, request: Request, campaign: str) -> Reply:
        """The entry gates of a campaign, how many people pass each, and the guidelines."""
        return _said(campaign_for(request.user, campaign, Right.MANAGE))

    @extend_schema(request=NewGatesSerializer, responses={200: GatesSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Set entry gates of a draft."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        said = self.checked(NewGatesSerializer)["gates"]
        units = {kind: [GoldAnswer(**it) for it in gate.pop("units")] for kind, gate in said.items() if _units(gate)}
        there = {gate.kind: gate for gate in gates_of(row)}
        plans = {kind: _plan(kind, gate, there.get(kind)) for kind, gate in said.items()}
        if others := sorted(units.keys() - set(OF_UNITS)):
            raise Unprocessable("Such a gate has no units.", [(f"gates.{it}.units", "It has none.") for it in others])
        try:
            set_gates(row, plans=plans, units=units)
        except InvalidTable as invalid:
            where = f"gates.{next(iter(units))}.units" if len(units) == 1 else "gates"
            faults = [(where, fault) for fault in invalid.faults[:MOST_FAULTS]]
            raise Unprocessable("These units cannot be used.", faults) from invalid
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        return _said(Campaign.objects.select_related("dataset").get(pk=row.pk))

    @extend_schema(request=NewGuidelinesSerializer, responses={201: GuidelinesSerializer})
    @action(detail=False, methods=["post"])
    def guidelines(self, request: Request, campaign: str) -> Reply:
        """A new version of the guidelines, which everybody reads before their next unit."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        text = cleaned(GuidelinesForm(self.checked(NewGuidelinesSerializer)))["text"]
        try:
            made = new_guidelines(row, text=text, user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal, [("text", refusal)]) from refusal
        return Reply(GuidelinesSerializer(made).data, status=201)


def _units(gate: Mapping[str, Any] | None) -> bool:
    return gate is not None and "units" in gate


def _plan(kind: str, said: Mapping[str, Any] | None, there: Gate | None) -> GatePlan | None:
    """What the form of the page makes of it. Raises ValidationError, at the place of what is wrong."""
    if kind not in GateKind.values:
        raise ValidationError({"gates": {kind: ["There is no such gate."]}})
    if said is None:
        return None
    begun = GateForm(kind=kind, gate=there)
    if unknown := sorted(said.keys() - begun.fields.keys()):
        raise ValidationError({"gates": {kind: {it: ["Such a gate has no such setting."] for it in unknown}}})
    values = {name: begun.get_initial_for_field(it, name) for name, it in begun.fields.items()} | {**said, "on": True}
    form = GateForm({f"{kind}-{name}": it for name, it in values.items() if it is not None}, kind=kind, gate=there)
    try:
        cleaned(form)
    except ValidationError as invalid:
        raise ValidationError({"gates": {kind: invalid.detail}}) from invalid
    return form.plan


def _said(row: Campaign) -> Reply:
    fared, units, newest = passing(row), units_before_first_unit(row), newest_guidelines(row)
    columns = ("kind", "tries", "on_failure", "valid_minutes", "settings")
    gates = [
        {name: getattr(gate, name) for name in columns}
        | vars(fared[gate.kind])
        | {"units": [it.unit.key for it in units.get(gate.kind, [])]}
        for gate in gates_of(row)
    ]
    found = {
        "gates": gates, "guidelines": newest, "names_systems": giveaways(row), "units_met_again": units_met_again(row)
    }  # fmt: skip
    return Reply(GatesSerializer(found).data)
