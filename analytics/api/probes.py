"""Probes: a run's judge over perturbed copies, and how much of what it said stays."""

from typing import Any

from django import forms
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict
from accounts.api.views import ApiViewSet
from accounts.tokens.tokens import JUDGE
from analytics.comparison.probes import Probed, ProbedAspect, probe_report
from campaigns.access import Right
from judges.runs.api import RunWithCountsSerializer
from judges.runs.forms import ProbeForm
from judges.runs.lifecycle import CannotRun, run_for
from judges.runs.probes import start_probe
from judges.sounds.perturbations import NAMES


class PerturbationSerializer(serializers.Serializer):
    perturbation = serializers.ChoiceField(list(NAMES))
    value = serializers.FloatField(
        required=False,
        allow_null=True,
        help_text="dB below the speech, dB, percent or seconds; a usual one where it is not said",
    )


class ProbedAspectSerializer(serializers.Serializer):
    aspect = serializers.CharField(source="of.aspect")
    same = serializers.IntegerField(source="of.same")
    n = serializers.IntegerField(source="of.n", help_text="answers that both runs have")
    missing = serializers.IntegerField(source="of.missing", help_text="answers that one of the two lacks")
    share = serializers.FloatField(source="of.share", allow_null=True)
    low = serializers.SerializerMethodField(help_text="Wilson's interval, 95 %")
    high = serializers.SerializerMethodField()

    def get_low(self, found: ProbedAspect) -> float | None:
        return found.interval.low if found.interval else None

    def get_high(self, found: ProbedAspect) -> float | None:
        return found.interval.high if found.interval else None


class ProbedSerializer(serializers.Serializer):
    run = serializers.IntegerField(source="run.pk")
    perturbation = serializers.CharField(source="perturbation.name")
    value = serializers.FloatField(source="perturbation.value")
    aspects = ProbedAspectSerializer(many=True)


class ProbeViewSet(ApiViewSet):
    pagination_class = None
    scopes = {"create": JUDGE}

    @extend_schema(responses=ProbedSerializer(many=True))
    def list(self, request: Request, campaign: str, run: int) -> Reply:
        """How much of what the judge said of this run is the same on changed copies. Of probes that are done."""
        found: list[Probed] = probe_report(run_for(request.user, campaign, run, Right.VIEW))
        return Reply(ProbedSerializer(found, many=True).data)

    @extend_schema(request=PerturbationSerializer, responses={202: RunWithCountsSerializer})
    def create(self, request: Request, campaign: str, run: int) -> Reply:
        """Start a probe of a run that is done: a run of its own. Ask for that until its status is `done`."""
        row = run_for(request.user, campaign, run, Right.MANAGE)
        said: dict[str, Any] = self.checked(PerturbationSerializer)
        form = ProbeForm(said)
        if not form.is_valid():
            raise ValidationError({"value": _said_of(form)})
        try:
            probe = start_probe(row, form.cleaned_data["made"], user=request.user)
        except CannotRun as refusal:
            raise Conflict(refusal) from refusal
        return Reply(RunWithCountsSerializer(probe).data, status=202)


def _said_of(form: forms.Form) -> list[str]:
    """Of the form as a whole as well: what it finds wrong there is the value."""
    return [str(message) for messages in form.errors.values() for message in messages]
