"""What was measured on responses: scores of metrics, likelihoods, and identity leaks."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from corpus.models import Dataset, Response, ResponseTurn, System
from infrastructure.wording.reason_field import ReasonField


class MetricRun(models.Model):
    """One computation of metrics over a dataset."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="metric_runs")
    names = models.JSONField(help_text="the metrics, as the registry calls them")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{len(self.names)} metrics over {self.dataset}"


class MetricScore(models.Model):
    """The score of a metric for a response or a system, or the reason why there is none."""

    class Source(models.TextChoices):
        COMPUTED = "computed", _("computed here")
        IMPORTED = "imported", _("imported")

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="metric_scores")
    response = models.ForeignKey(
        Response, on_delete=models.CASCADE, null=True, related_name="metric_scores", help_text="empty: of the system"
    )
    metric = models.CharField(max_length=60)
    version = models.CharField(max_length=20)
    source = models.CharField(max_length=8, choices=Source)
    value = models.FloatField(null=True)
    reason = ReasonField(help_text="why there is no value")
    n = models.PositiveIntegerField(default=1, help_text="responses that it is of; 0 where it is not known")
    made_of = models.JSONField(default=dict, blank=True, help_text="where inputs came from, if that can differ")
    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, null=True, related_name="scores")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["response", "metric", "version", "source"],
                condition=Q(response__isnull=False),
                name="one_score_per_response_and_metric",
            ),
            models.UniqueConstraint(
                fields=["system", "metric", "version", "source"],
                condition=Q(response__isnull=True),
                name="one_score_per_system_and_metric",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, reason__isnull=True) | Q(value__isnull=True, reason__isnull=False),
                name="a_score_is_a_value_or_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} of {self.response or self.system}: {self.value if self.value is not None else '–'}"


class LikelihoodSequence(models.Model):
    """A spoken language model's log-probabilities of one side of a pair."""

    class Side(models.TextChoices):
        POSITIVE = "positive"
        NEGATIVE = "negative"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="likelihoods")
    model = models.CharField(max_length=200, help_text="who gave the log-probabilities")
    pair = models.CharField(max_length=200)
    side = models.CharField(max_length=8, choices=Side)
    category = models.CharField(max_length=100, blank=True)
    logprobs = models.BinaryField(help_text="float32, little-endian, nats")
    unconditional = models.BinaryField(null=True)
    prompt_frames = models.PositiveIntegerField(null=True)
    per_frame = models.PositiveSmallIntegerField(default=1)
    imported_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "model", "pair", "side"], name="one_sequence_per_side_of_pair")
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.pair}, {self.side}"


class IdentityScan(models.Model):
    """One search of a dataset's texts for responses that name their system."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="identity_scans")
    names = models.JSONField(help_text="the names that were looked for")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"scan of {self.dataset}"


class ScannedResponse(models.Model):
    """A response that was read in a search, and whether it names its system."""

    scan = models.ForeignKey(IdentityScan, on_delete=models.CASCADE, related_name="responses")
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="+")
    is_hit = models.BooleanField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["scan", "response"], name="a_response_once_per_scan")]

    def __str__(self) -> str:
        return f"{self.response}: {'names its system' if self.is_hit else 'nothing'}"


class IdentityHit(models.Model):
    """Words by which a response names its system."""

    class Kind(models.TextChoices):
        NAME = "name", _("a name")
        INTRODUCTION = "introduction", _("an introduction")

    scanned = models.ForeignKey(ScannedResponse, on_delete=models.CASCADE, related_name="hits")
    turn = models.ForeignKey(ResponseTurn, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind)
    matched = models.CharField(max_length=300)
    start = models.PositiveIntegerField(help_text="place in the text")
    of_transcript = models.BooleanField(default=False, help_text="found in what a recogniser heard")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.matched}"
