"""The units by which a campaign checks on those who answer, by the API."""

from typing import Any

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import ChecksFixed, Right, campaign_for
from campaigns.control_units.attention_checks.forms import RecordingsForm
from campaigns.control_units.attention_checks.making import MOST as MOST_TRAPS
from campaigns.control_units.attention_checks.making import start_traps
from campaigns.control_units.attention_checks.recordings import (
    LARGEST_BYTES,
    MOST_FILES,
    UnusableRecordings,
    forget_recordings,
    keep_recordings,
)
from campaigns.control_units.checks import MAX_TOLERANCE, GoldAnswer, checks_of, set_checks
from campaigns.models import Campaign, CampaignUnit
from infrastructure.background.api import JobSerializer
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable

MOST = 200
MOST_FAULTS = 100


class GoldSerializer(serializers.Serializer):
    """What passes for one aspect of one unit, in the stored frame, as exports have it."""

    unit = serializers.CharField(max_length=200, help_text="its key")
    aspect = serializers.CharField(max_length=200)
    value = serializers.CharField(max_length=200, help_text="such as a, b, both_good")
    slot = serializers.CharField(max_length=1, default="", allow_blank=True, help_text="of one response: a, b, …")
    tolerance = serializers.IntegerField(
        min_value=0, max_value=MAX_TOLERANCE, default=0, help_text="steps of the scale"
    )
    feedback = serializers.CharField(max_length=2000, default="", allow_blank=True)


class NewChecksSerializer(serializers.Serializer):
    """What is not named stays."""

    gold = GoldSerializer(many=True, required=False, help_text="in place of the gold units there are")
    identical = serializers.IntegerField(
        min_value=0, max_value=MOST, required=False, help_text="pairs of one response"
    )
    repeat = serializers.IntegerField(min_value=0, max_value=MOST, required=False, help_text="units that come twice")
    check_every = serializers.IntegerField(
        min_value=2, max_value=100, required=False, help_text="units between two checks, about"
    )


class GoldUnitSerializer(serializers.Serializer):
    unit = serializers.CharField(source="unit.key")
    expected = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), help_text="values that pass, by aspect"
    )


class ChecksSerializer(serializers.Serializer):
    gold = GoldUnitSerializer(many=True)
    identical = serializers.IntegerField()
    repeat = serializers.IntegerField()
    traps = serializers.IntegerField(help_text="units with a spoken instruction")
    check_every = serializers.IntegerField()


class TrapsSerializer(serializers.Serializer):
    n = serializers.IntegerField(min_value=0, max_value=MOST_TRAPS)
    seed = serializers.IntegerField(min_value=0, max_value=2_000_000_000, default=0)


class RecordingsSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="a WAV or FLAC named after its answer, or a ZIP of several; 10 s each")


class KeptRecordingsSerializer(serializers.Serializer):
    recorded = serializers.ListField(child=serializers.CharField(), help_text="the answers that have a recording")


class ChecksViewSet(ApiViewSet):
    pagination_class = None

    @extend_schema(responses=forced_singular_serializer(ChecksSerializer), operation_id="checks")
    def list(self, request: Request, campaign: str) -> Reply:
        """The gold units of a campaign with what passes, and how many other checks it has."""
        return self._said(campaign_for(request.user, campaign, Right.MANAGE))

    @extend_schema(request=NewChecksSerializer, responses={200: ChecksSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Set the gold units, identical pairs and repeats of a draft."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        said = self.checked(NewChecksSerializer)
        there = checks_of(row)
        numbers = {name: said.get(name, len(there[name])) for name in ("identical", "repeat")}
        gold = [GoldAnswer(**it) for it in said["gold"]] if "gold" in said else None
        every = said.get("check_every", row.check_every)
        try:
            set_checks(row, gold=gold, check_every=every, **numbers)
        except InvalidTable as invalid:
            faults = [("gold", fault) for fault in invalid.faults[:MOST_FAULTS]]
            raise Unprocessable("These gold answers cannot be used.", faults) from invalid
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        except ValueError as refusal:
            raise Unprocessable(refusal) from refusal
        return self._said(row)

    @extend_schema(request=TrapsSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"])
    def traps(self, request: Request, campaign: str) -> Reply:
        """Make units with a spoken instruction in a draft, in place of those there are."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        try:
            job = start_traps(row, user=request.user, **self.checked(TrapsSerializer))
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        except ValueError as refusal:
            raise Unprocessable(refusal) from refusal
        return Reply(JobSerializer(job).data, status=202)

    @takes_files(most=MOST_FILES * LARGEST_BYTES)
    @extend_schema(
        request={"multipart/form-data": RecordingsSerializer},
        responses={201: KeptRecordingsSerializer},
        methods=["post"],
    )
    @extend_schema(request=None, responses={204: None}, methods=["delete"])
    @action(detail=False, methods=["post", "delete"], url_path="traps/recordings", parser_classes=[MultiPartParser])
    def recordings(self, request: Request, campaign: str) -> Reply:
        """Take recordings in place of the packaged voice, or forget them; then make the traps again."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        try:
            if request.method == "DELETE":
                forget_recordings(row)
                return Reply(status=204)
            file = cleaned(RecordingsForm(request.data, request.FILES))["file"]
            keep_recordings(row, file, name=file.name)
        except UnusableRecordings as unusable:
            faults = [("file", fault) for fault in unusable.faults[:MOST_FAULTS]]
            raise Unprocessable("These recordings cannot be used.", faults) from unusable
        except ChecksFixed as refusal:
            raise Conflict(refusal) from refusal
        recorded = row.trap_recordings.order_by("name").values_list("name", flat=True)
        return Reply({"recorded": list(recorded)}, status=201)

    def _said(self, row: Campaign) -> Reply:
        there = checks_of(row)
        found: dict[str, Any] = {name: len(there[name]) for name in ("identical", "repeat")}
        traps = row.campaign_units.filter(purpose=CampaignUnit.Purpose.TRAP).count()
        row.refresh_from_db(fields=["check_every"])
        found |= {"gold": there[CampaignUnit.Purpose.GOLD], "traps": traps, "check_every": row.check_every}
        return Reply(ChecksSerializer(found).data)
