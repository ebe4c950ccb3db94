"""Judges and their runs, by the actions of the pages."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import FirstFirst
from accounts.api.problems import Conflict, Unprocessable
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_launcher
from accounts.tokens.tokens import JUDGE, READ
from campaigns.access import Right, campaign_for, require_names_shown
from corpus.models import LabelSet
from infrastructure.deletion.api import RenamableViewSet
from infrastructure.wording.reason_api import ReasonSerializerField
from judges.definitions.judges import MAX_TITLE, judges_for, make_judge
from judges.kinds import KINDS
from judges.language_models.calls.budgets import reserved_usd
from judges.language_models.registry import models_for
from judges.models import Judge, Run, Verdict
from judges.runs.baselines import cancel_baselines, start_baselines
from judges.runs.estimates import Estimate, estimate
from judges.runs.lifecycle import (
    MOST_SAMPLES,
    CannotRun,
    Plan,
    cancel_run,
    judge_again,
    pause_run,
    require_examples,
    resume_run,
    run_for,
    start_run,
    top_up,
)
from judges.runs.progress import progress_of, runs_of

Turn = Callable[[Run], object]


class JudgeSerializer(serializers.ModelSerializer):
    model = serializers.IntegerField(source="language_model_id", allow_null=True)

    class Meta:
        model = Judge
        fields = ["id", "title", "kind", "kind_version", "settings", "model", "digest", "created_at"]


class NewJudgeSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(sorted(KINDS))
    title = serializers.CharField(max_length=MAX_TITLE)
    settings = serializers.DictField(default=dict, help_text="that differ from the kind's own")
    model = serializers.IntegerField(required=False, allow_null=True, help_text="id of a language model")


class PlanSerializer(serializers.Serializer):
    judge = serializers.IntegerField(min_value=1)
    orders = serializers.ChoiceField(Run.Orders.choices, default=Run.Orders.BOTH)
    samples = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLES, default=1)
    budget_usd = serializers.DecimalField(10, 4, required=False, allow_null=True, min_value=0)
    label_set = serializers.IntegerField(required=False, allow_null=True, help_text="where examples come from")


class BudgetSerializer(serializers.Serializer):
    budget_usd = serializers.DecimalField(10, 4, required=False, allow_null=True, min_value=0)


class EstimateSerializer(serializers.Serializer):
    verdicts = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost_usd = serializers.DecimalField(14, 6, allow_null=True, help_text="null where no price is named")
    seconds = serializers.SerializerMethodField()
    from_experience = serializers.BooleanField()

    def get_seconds(self, found: Estimate) -> float:
        return found.time.total_seconds()


class RunSerializer(serializers.ModelSerializer):
    message = ReasonSerializerField(help_text="why it stopped")
    judge = JudgeSerializer()
    campaign = serializers.SlugRelatedField(slug_field="slug", read_only=True)

    class Meta:
        model = Run
        fields = ["id", "campaign", "judge", "orders", "samples", "budget_usd", "spent_usd", "unconfirmed_usd",
                  "perturbation", "status", "message", "stopped_for", "created_at", "finished_at"]  # fmt: skip


class RunWithCountsSerializer(RunSerializer):
    verdicts = serializers.SerializerMethodField(help_text="how many there are of each status")
    reserved_usd = serializers.SerializerMethodField(help_text="held back for calls that are under way")

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "reserved_usd", "verdicts"]

    @extend_schema_field(serializers.DecimalField(12, 6))
    def get_reserved_usd(self, row: Run) -> str:
        return str(reserved_usd(row))

    @extend_schema_field(serializers.DictField(child=serializers.IntegerField()))
    def get_verdicts(self, row: Run) -> dict[str, int]:
        return progress_of(row).counts


class StoppedSerializer(serializers.Serializer):
    stopped = serializers.IntegerField(help_text="runs")


class VerdictAnswerSerializer(serializers.Serializer):
    aspect = serializers.CharField()
    slot = serializers.CharField()
    value = serializers.CharField()


class VerdictSerializer(serializers.ModelSerializer):
    message = ReasonSerializerField(help_text="why there is no answer")
    unit = serializers.CharField(source="unit.key")
    item = serializers.CharField(source="unit.item.key")
    answers = VerdictAnswerSerializer(many=True)

    class Meta:
        model = Verdict
        fields = ["id", "unit", "item", "order", "sample", "status", "message", "cause", "reasoning", "model",
                  "tokens_in", "tokens_out", "cost_usd", "seconds", "judged_at", "answers"]  # fmt: skip


class JudgeViewSet(RenamableViewSet):
    subject_kind = "judge"
    lookup_value_converter = "int"

    @extend_schema(responses=JudgeSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """The judges that you may run."""
        require_launcher(request.user)
        return self.page(judges_for(request.user), JudgeSerializer)

    @extend_schema(request=NewJudgeSerializer, responses={200: JudgeSerializer, 201: JudgeSerializer})
    def create(self, request: Request) -> Reply:
        """A judge of a kind with settings; where the same has another title, that one as it is, with 200."""
        require_launcher(request.user)
        said = self.checked(NewJudgeSerializer)
        model = models_for(request.user).filter(pk=said["model"]).first() if said.get("model") else None
        values: dict[str, Any] = {"title": said["title"], "settings": said["settings"], "language_model": model}
        try:
            row = make_judge(KINDS[said["kind"]], **values, user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal) from refusal
        has_title = row.title == said["title"].strip()
        return Reply(JudgeSerializer(row).data, status=201 if has_title else 200)

    @extend_schema(responses=JudgeSerializer)
    def retrieve(self, _request: Request, pk: int) -> Reply:
        """One judge with its kind and settings."""
        return Reply(JudgeSerializer(self._judge(pk)).data)

    def _judge(self, pk: int) -> Judge:
        require_launcher(self.request.user)
        if (row := judges_for(self.request.user).filter(pk=pk).first()) is None:
            raise Http404("There is no such judge among yours.")
        return row


class RunViewSet(ApiViewSet):
    lookup_value_converter = "int"
    scopes = {"create": JUDGE, "resume": JUDGE, "again": JUDGE, "top_up": JUDGE, "baselines": JUDGE, "estimate": READ}

    @extend_schema(responses=RunSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """The runs of a campaign."""
        row = campaign_for(request.user, campaign, Right.VIEW)
        return self.page(runs_of(row).select_related("campaign"), RunSerializer)

    @extend_schema(request=PlanSerializer, responses={202: RunWithCountsSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Start a run. Ask for it again until its status is `done`."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        judge, plan = self._planned(row)
        try:
            run = start_run(row, judge, plan=plan, user=request.user)
        except CannotRun as refusal:
            raise Conflict(refusal) from refusal
        return Reply(RunWithCountsSerializer(run).data, status=202)

    @extend_schema(responses=RunWithCountsSerializer)
    def retrieve(self, request: Request, campaign: str, pk: int) -> Reply:
        """One run, and how far it is."""
        return Reply(RunWithCountsSerializer(run_for(request.user, campaign, pk, Right.VIEW)).data)

    @extend_schema(request=PlanSerializer, responses=EstimateSerializer)
    @action(detail=False, methods=["post"])
    def estimate(self, request: Request, campaign: str) -> Reply:
        """What a run would take. Asks no model and writes nothing."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        judge, plan = self._planned(row)
        planned = Run(campaign=row, judge=judge, orders=plan.orders, samples=plan.samples, label_set=plan.label_set)
        if judge.kind not in KINDS:
            raise Conflict("This kind of judge is not part of this installation any more.")
        try:
            require_examples(row, judge, plan)
        except CannotRun as refusal:
            raise Conflict(refusal) from refusal
        return Reply(EstimateSerializer(estimate(row, judge, planned)).data)

    @extend_schema(request=None, responses={202: RunWithCountsSerializer(many=True)})
    @action(detail=False, methods=["post"], filter_backends=[], pagination_class=None)
    def baselines(self, request: Request, campaign: str) -> Reply:
        """Start every judge that needs no key, fits the protocol and has no run yet. Returns those started."""
        row = campaign_for(request.user, campaign, Right.MANAGE)
        try:
            started = start_baselines(row, user=request.user)
        except CannotRun as refusal:
            raise Conflict(refusal) from refusal
        return Reply(RunWithCountsSerializer(started, many=True).data, status=202)

    @extend_schema(request=None, responses=StoppedSerializer)
    @action(detail=False, methods=["post"], url_path="baselines/cancel")
    def cancel_baselines(self, request: Request, campaign: str) -> Reply:
        """Stop the baselines that are under way; their verdicts stay."""
        return Reply({"stopped": cancel_baselines(campaign_for(request.user, campaign, Right.MANAGE))})

    @extend_schema(request=None, responses=RunWithCountsSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, campaign: str, pk: int) -> Reply:
        """Ask nothing new; what is under way still comes."""
        return self._turned(run_for(request.user, campaign, pk, Right.MANAGE), pause_run)

    @extend_schema(request=BudgetSerializer, responses=RunWithCountsSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, campaign: str, pk: int) -> Reply:
        """Go on where it stopped, with another budget if one is given."""
        row = run_for(request.user, campaign, pk, Right.MANAGE)
        budget = self.checked(BudgetSerializer).get("budget_usd")
        return self._turned(row, lambda run: resume_run(run, budget_usd=budget))

    @extend_schema(request=None, responses=RunWithCountsSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, campaign: str, pk: int) -> Reply:
        """Stop for good; finished verdicts stay."""
        return self._turned(run_for(request.user, campaign, pk, Right.MANAGE), cancel_run)

    @extend_schema(request=None, responses={202: RunWithCountsSerializer})
    @action(detail=True, methods=["post"])
    def again(self, request: Request, campaign: str, pk: int) -> Reply:
        """Judge again what failed."""
        return self._turned(run_for(request.user, campaign, pk, Right.MANAGE), judge_again, status=202)

    @extend_schema(request=None, responses={202: RunWithCountsSerializer})
    @action(detail=True, methods=["post"], url_path="top-up")
    def top_up(self, request: Request, campaign: str, pk: int) -> Reply:
        """Judge the units that came since."""
        return self._turned(run_for(request.user, campaign, pk, Right.MANAGE), top_up, status=202)

    def _turned(self, row: Run, turn: Turn, *, status: int = 200) -> Reply:
        try:
            turn(row)
        except CannotRun as refusal:
            raise Conflict(refusal) from refusal
        row.refresh_from_db(fields=["status", "message", "budget_usd", "finished_at"])
        return Reply(RunWithCountsSerializer(row).data, status=status)

    def _planned(self, campaign: Any) -> tuple[Judge, Plan]:
        said = self.checked(PlanSerializer)
        if (judge := judges_for(self.request.user).filter(pk=said.pop("judge")).first()) is None:
            raise Unprocessable("There is no such judge among yours.", [("judge", "There is no such judge.")])
        if labels := said.pop("label_set", None):
            said["label_set"] = LabelSet.objects.filter(dataset=campaign.dataset_id, pk=labels).first()
            if said["label_set"] is None:
                raise Unprocessable("This dataset has no such label set.", [("label_set", "There is none.")])
        return judge, Plan(**said)


class VerdictViewSet(ApiViewSet):
    pagination_class = FirstFirst

    @extend_schema(
        responses=VerdictSerializer(many=True),
        parameters=[OpenApiParameter("status", enum=Verdict.Status.values, description="only these")],
    )
    def list(self, request: Request, campaign: str, run: int) -> Reply:
        """The judge's answers, in the stored frame; missing and pending ones as well."""
        row = run_for(request.user, campaign, run, Right.VIEW)
        require_names_shown(row.campaign)
        verdicts: Any = Verdict.objects.filter(run=row).select_related("unit__item").prefetch_related("answers")
        wanted = request.query_params.get("status", "")
        rows = verdicts.filter(status=wanted) if wanted in Verdict.Status.values else verdicts
        return self.page(rows, VerdictSerializer)
