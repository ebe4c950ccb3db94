"""Language models: added with a key that never comes out, tried, priced and disabled, by the actions of the pages."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, cleaned
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_launcher
from accounts.tokens.tokens import JUDGE
from judges.backends.contract import JudgeError
from judges.language_models.forms import ModelForm
from judges.language_models.parameter_forms import as_posted
from judges.language_models.prices import PRICES, price_of
from judges.language_models.registry import add_model_with_terms, change_terms, disable_model, models_for, try_model
from judges.language_models.term_forms import TermsForm
from judges.models import LanguageModel, Price

LARGEST = 2**31 - 1


class PriceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Price
        fields = [*PRICES, "since"]


class LanguageModelSerializer(serializers.ModelSerializer):
    has_key = serializers.SerializerMethodField()
    has_headers = serializers.SerializerMethodField()
    extra_body = serializers.SerializerMethodField(help_text="further parameters, by name")
    price = serializers.SerializerMethodField(help_text="US dollars per million tokens; null where none is named")

    class Meta:
        model = LanguageModel
        fields = ["id", "title", "base_url", "model", "sound_form", "timeout_s", "shared", "has_key", "has_headers",
                  "at_once", "requests_per_minute", "tokens_per_minute", "limit_name", "sends_temperature",
                  "reasoning_effort", "thinking_tokens", "extra_body", "price", "created_at"]  # fmt: skip

    def get_has_key(self, row: LanguageModel) -> bool:
        return bool(row.sealed_key)

    def get_has_headers(self, row: LanguageModel) -> bool:
        return bool(row.sealed_headers)

    @extend_schema_field(serializers.DictField())
    def get_extra_body(self, row: LanguageModel) -> object:
        return row.extra_body or {}

    @extend_schema_field(PriceSerializer(allow_null=True))
    def get_price(self, row: LanguageModel) -> object:
        prices = row.prices.all()
        return PriceSerializer(prices[len(prices) - 1]).data if prices else None


class ParametersSerializer(serializers.Serializer):
    """What the model is sent, and what its tokens cost, in US dollars per million."""

    limit_name = serializers.ChoiceField(
        LanguageModel.LimitName.choices, required=False, help_text="what the limit of a reply's tokens is called"
    )
    sends_temperature = serializers.BooleanField(required=False, help_text="reasoning models refuse one")
    reasoning_effort = serializers.CharField(max_length=20, required=False, allow_blank=True)
    thinking_tokens = serializers.IntegerField(
        min_value=0, max_value=200_000, required=False, help_text="added to the limit of each reply"
    )
    extra_body = serializers.DictField(required=False, help_text="sent as it is; shown with each call")
    extra_headers = serializers.DictField(
        child=serializers.CharField(max_length=1000), required=False, write_only=True, help_text="stored encrypted"
    )
    usd_in = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)
    usd_audio_in = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)
    usd_cached_in = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)
    usd_out = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)
    usd_reasoning_out = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)
    usd_audio_out = serializers.DecimalField(10, 4, min_value=0, required=False, allow_null=True)


class NewLanguageModelSerializer(ParametersSerializer):
    """What is not named is as the list of models has it, where it knows the model."""

    title = serializers.CharField(max_length=80)
    base_url = serializers.CharField(max_length=300, help_text="up to /v1")
    model = serializers.CharField(max_length=200, help_text="as the server calls it")
    api_key = serializers.CharField(
        max_length=500, default="", allow_blank=True, write_only=True, help_text="stored encrypted, never shown again"
    )
    timeout_s = serializers.IntegerField(min_value=5, max_value=900, default=120)
    sound_form = serializers.ChoiceField(LanguageModel.SoundForm.choices, required=False, allow_blank=True)
    shared = serializers.BooleanField(default=False, help_text="others who manage campaigns may use it")


class TermsSerializer(ParametersSerializer):
    """What is not named of parameters and prices stays as it is."""

    at_once = serializers.IntegerField(min_value=1, max_value=64)
    requests_per_minute = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False, allow_null=True)
    tokens_per_minute = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False, allow_null=True)


class TriedParametersSerializer(serializers.Serializer):
    limit_name = serializers.CharField()
    sends_temperature = serializers.BooleanField()
    reasoning_effort = serializers.CharField()
    thinking_tokens = serializers.IntegerField()


class TriedSerializer(serializers.Serializer):
    model = serializers.CharField(source="output.model", help_text="as the server named it")
    status = serializers.CharField(source="output.status", help_text="`ok` where it followed the instructions")
    seconds = serializers.FloatField(source="output.seconds")
    finish_reason = serializers.CharField(source="output.finish_reason", help_text="in the server's word")
    changed = serializers.BooleanField(help_text="whether it answered only with other parameters than it has")
    parameters = TriedParametersSerializer(help_text="with which it answered; keep them by `terms`")


class LanguageModelViewSet(ApiViewSet):
    lookup_value_converter = "int"
    scopes = {"try_": JUDGE}

    @extend_schema(responses=LanguageModelSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """The language models that you may use: your own, and those that are shared."""
        require_launcher(request.user)
        return self.page(models_for(request.user).prefetch_related("prices"), LanguageModelSerializer)

    @extend_schema(request=NewLanguageModelSerializer, responses={201: LanguageModelSerializer})
    def create(self, request: Request) -> Reply:
        """Add a model behind a chat endpoint."""
        require_launcher(request.user)
        form = ModelForm(as_posted(self.checked(NewLanguageModelSerializer)))
        headers = cleaned(form)["extra_headers"]
        terms: dict[str, Any] = {"parameters": form.parameters, "headers": headers, "prices": form.prices}
        row = add_model_with_terms(form.columns, **terms, user=request.user)
        return Reply(LanguageModelSerializer(row).data, status=201)

    @extend_schema(responses=LanguageModelSerializer)
    def retrieve(self, _request: Request, pk: int) -> Reply:
        """One language model, without its key."""
        return Reply(LanguageModelSerializer(self._model(pk)).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: int) -> Reply:
        """Stop using it, and delete its key. Its replies stay."""
        disable_model(self._model(pk), user=request.user)
        return Reply(status=204)

    @extend_schema(request=TermsSerializer, responses=LanguageModelSerializer)
    @action(detail=True, methods=["post"])
    def terms(self, request: Request, pk: int) -> Reply:
        """How it is asked from now on, what it is sent, and what it costs. Calls keep the price of their time."""
        row = self._model(pk)
        form = TermsForm(as_posted(self.checked(TermsSerializer)), model=row, price=price_of(row))
        headers = cleaned(form)["extra_headers"]
        terms: dict[str, Any] = {"parameters": form.parameters, "headers": headers, "prices": form.prices}
        change_terms(row, limits=form.limits, **terms, user=request.user)
        row.refresh_from_db()
        return Reply(LanguageModelSerializer(row).data)

    @extend_schema(request=None, responses=TriedSerializer)
    @action(detail=True, methods=["post"], url_path="try")
    def try_(self, _request: Request, pk: int) -> Reply:
        """Ask it for one word, now; where it refuses a parameter, without it."""
        try:
            return Reply(TriedSerializer(try_model(self._model(pk))).data)
        except JudgeError as error:
            raise Conflict(error) from error

    def _model(self, pk: int) -> LanguageModel:
        require_launcher(self.request.user)
        if (row := models_for(self.request.user).filter(pk=pk).first()) is None:
            raise Http404("There is no such model among yours.")
        return row
