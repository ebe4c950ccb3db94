from decimal import Decimal
from typing import cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from corpus.models import Item
from infrastructure.wording.reason_field import ReasonField
from judges.backends.parameters import LimitName, Parameters


class LanguageModel(models.Model):
    """A model behind an endpoint with OpenAI's chat API."""

    class SoundForm(models.TextChoices):
        NONE = "", _("It takes none")
        INPUT_AUDIO = "input_audio", _("input_audio, as OpenAI has it")
        AUDIO_URL = "audio_url", _("audio_url with the data in it, as vLLM takes it")

    class LimitName(models.TextChoices):
        MAX_TOKENS = "max_tokens", "max_tokens"
        MAX_COMPLETION_TOKENS = "max_completion_tokens", _("max_completion_tokens, as reasoning models want it")
        NONE = "none", _("none is sent")

    title = models.CharField(max_length=80)
    base_url = models.CharField(max_length=300)
    model = models.CharField(max_length=200, help_text="as the server calls it")
    sound_form = models.CharField(
        max_length=12, choices=SoundForm, blank=True, default="", help_text="how it takes sound; empty if it does not"
    )
    sealed_key = models.TextField(blank=True, help_text="the API key, encrypted; empty where none is needed")
    limit_name = models.CharField(
        max_length=24,
        choices=LimitName,
        default=LimitName.MAX_TOKENS,
        db_default=LimitName.MAX_TOKENS,
        help_text="what the limit of a reply is called",
    )
    sends_temperature = models.BooleanField(default=True, db_default=True, help_text="whether it takes a temperature")
    reasoning_effort = models.CharField(
        max_length=20, blank=True, default="", db_default="", help_text="as the server calls it; empty: not sent"
    )
    thinking_tokens = models.PositiveIntegerField(
        default=0, db_default=0, help_text="added to the limit of each reply"
    )
    extra_body = models.JSONField(null=True, help_text="further parameters, by name")
    sealed_headers = models.TextField(
        blank=True, default="", db_default="", help_text="further headers as JSON, encrypted"
    )
    timeout_s = models.PositiveSmallIntegerField(default=120)
    at_once = models.PositiveSmallIntegerField(default=4, help_text="calls that may be under way at the same time")
    requests_per_minute = models.PositiveIntegerField(null=True)
    tokens_per_minute = models.PositiveIntegerField(null=True)
    left_until = models.DateTimeField(
        null=True, help_text="the server asked for a pause until then; it is not called before"
    )
    shared = models.BooleanField(default=False, help_text="whether others who manage campaigns may use it")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    disabled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["title", "pk"]

    def __str__(self) -> str:
        return self.title

    @property
    def parameters(self) -> Parameters:
        """What it is sent beside the messages."""
        return Parameters(
            limit_name=cast(LimitName, self.limit_name),
            sends_temperature=self.sends_temperature,
            reasoning_effort=self.reasoning_effort,
            thinking_tokens=self.thinking_tokens,
            extra_body=self.extra_body or {},
        )


#: Prices of tokens that may cost something else than the text around them.
PRICES_OF_KINDS = ("usd_audio_in", "usd_cached_in", "usd_reasoning_out", "usd_audio_out")


class Price(models.Model):
    """The price of a model from a time on. A change is a new row; calls keep the price of their time."""

    language_model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="prices")
    usd_in = models.DecimalField(max_digits=10, decimal_places=4, help_text="per million tokens of the question")
    usd_out = models.DecimalField(max_digits=10, decimal_places=4, help_text="per million tokens of the reply")
    usd_audio_in = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="of sound in the question; empty: as its text"
    )
    usd_cached_in = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="of the question, read from a cache; empty: as its text"
    )
    usd_reasoning_out = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="of thinking; empty: as the reply"
    )
    usd_audio_out = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="of sound in the reply; empty: as its text"
    )
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(usd_in__gte=0, usd_out__gte=0), name="a_price_is_not_negative"),
            *(
                models.CheckConstraint(
                    condition=Q(**{name: None}) | Q(**{f"{name}__gte": 0}), name=f"{name}_is_not_negative"
                )
                for name in PRICES_OF_KINDS
            ),
        ]

    def __str__(self) -> str:
        return f"{self.language_model}: {self.usd_in} in, {self.usd_out} out"

    @property
    def parts(self) -> list[Decimal | None]:
        """In the order in which a table has them."""
        question = [self.usd_in, self.usd_audio_in, self.usd_cached_in]
        return [*question, self.usd_out, self.usd_reasoning_out, self.usd_audio_out]


class Permit(models.Model):
    """A permission for one call. Rows of the last minute count the calls and tokens."""

    language_model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="permits")
    holder = models.CharField(max_length=32, help_text="the worker slot's holder, whose heartbeat keeps it")
    tokens = models.PositiveIntegerField(help_text="as estimated, then as the server counted")
    taken_at = models.DateTimeField()
    until = models.DateTimeField(null=True, help_text="under way until then; empty once it is over")

    class Meta:
        ordering = ["taken_at"]
        indexes = [models.Index(fields=["language_model", "taken_at"], name="permits_of_the_last_minute")]

    def __str__(self) -> str:
        return f"a call of {self.language_model}"


class DraftRun(models.Model):
    """One request to a model to draft criteria for items that had none."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="draft_runs")
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="+")
    n_per_item = models.PositiveSmallIntegerField(default=3)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    stopped_at = models.DateTimeField(null=True, help_text="since when nothing more is asked")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"drafts for {self.campaign} by {self.language_model}"


class DraftReply(models.Model):
    """The model's reply for one item. A reply that could not be read is missing, and counted."""

    class Status(models.TextChoices):
        OK = "ok", _("read")
        REPAIRED = "repaired", _("read, with words around it")
        UNPARSED = "unparsed", _("could not be read")
        REFUSED = "refused", _("the model refused")
        ERROR = "error", _("the server failed")
        SKIPPED = "skipped", _("nothing to ask about")

    FAILED = (Status.UNPARSED, Status.REFUSED, Status.ERROR, Status.SKIPPED)

    run = models.ForeignKey(DraftRun, on_delete=models.CASCADE, related_name="replies")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=8, choices=Status)
    message = ReasonField()
    prompt = models.TextField(blank=True)
    raw = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    seconds = models.FloatField(default=0.0)
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="one_draft_reply_per_item"),
            models.CheckConstraint(condition=Q(seconds__gte=0), name="a_draft_reply_takes_time"),
        ]

    def __str__(self) -> str:
        return f"{self.status}: {self.item}"
