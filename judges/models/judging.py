from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from campaigns.models import Campaign
from corpus.models import LabelSet, Unit
from infrastructure.models import Archivable, Claimable, Present
from infrastructure.wording.reason_field import ReasonField
from judges.models.imports import VerdictImport
from judges.models.language_models import LanguageModel


class Judge(Archivable):
    """A kind of judge with fixed settings; other settings are another judge.

    `kind_version` is that of the kind's prompts and thresholds when the judge was made; a kind that has moved on
    since is a new judge, too, so that a judge's verdicts can be put side by side.
    """

    title = models.CharField(max_length=120)
    kind = models.CharField(max_length=40, help_text="a name in judges.kinds")
    kind_version = models.CharField(max_length=20)
    settings = models.JSONField(default=dict, blank=True)
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, null=True, related_name="+")
    digest = models.CharField(max_length=64, help_text="SHA-256 of kind, version, settings and model")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Present["Judge"]()

    class Meta:
        ordering = ["title", "pk"]

    def __str__(self) -> str:
        return self.title


class Cause(models.TextChoices):
    """Why a verdict has no answer, or why a run stopped by itself."""

    EMPTY = "empty", _("empty replies")
    CUT_OFF = "cut_off", _("replies cut off at the limit of tokens")
    UNREADABLE = "unreadable", _("replies without a readable answer")
    REFUSED = "refused", _("refusals by the model")
    KEY = "key", _("a key that the server does not accept")
    NOT_FOUND = "not_found", _("no such model or address")
    REJECTED = "rejected", _("requests that the server does not take")
    UNAVAILABLE = "unavailable", _("a server that is busy or cannot be reached")
    NOT_ASKED = "not_asked", _("units that could not be judged")
    SAME_TEXT = "same_text", _("the same reply to everything")
    QUOTA = "quota", _("an account with nothing left")
    BUDGET = "budget", _("the budget")


class CompleteRuns(models.Manager["Run"]):
    """All runs but those that an import is still writing, whose verdicts are a part of what they will be."""

    def get_queryset(self) -> models.QuerySet["Run"]:
        return super().get_queryset().exclude(status=Run.Status.IMPORTING)


class Run(models.Model):
    """One judge over a campaign's units, with a verdict for every unit, order and sample.

    `perturbation` says what was done to the audio first; `unperturbed` is then the run to compare with.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("waiting for a worker")
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        OVER_BUDGET = "over_budget", _("stopped at its budget")
        CANCELLED = "cancelled", _("cancelled")
        FAILED = "failed", _("stopped by a fault")
        DONE = "done", _("done")
        #: By an import of verdicts: `objects` and pages leave it out until all of it is there.
        IMPORTING = "importing", _("being imported")

    class Orders(models.TextChoices):
        AB = "ab", _("as stored")
        BA = "ba", _("the other way round")
        BOTH = "both", _("both ways")

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="runs")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    orders = models.CharField(max_length=4, choices=Orders, default=Orders.AB)
    samples = models.PositiveSmallIntegerField(default=1)
    budget_usd = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    spent_usd = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        default=0,
        help_text="the calls made for this run, as far as prices are known",
    )
    unconfirmed_usd = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        default=0,
        help_text="the most that calls may have cost whose bill never came: cancelled, too slow, of a killed worker",
    )
    label_set = models.ForeignKey(
        LabelSet, on_delete=models.PROTECT, null=True, related_name="+", help_text="where examples are drawn from"
    )
    perturbation = models.JSONField(null=True)
    unperturbed = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="probes")
    status = models.CharField(max_length=12, choices=Status, default=Status.QUEUED)
    message = ReasonField(help_text="why it stopped, for the user who started it")
    stopped_for = models.CharField(
        max_length=12, blank=True, choices=Cause, help_text="what made it stop by itself the last time"
    )
    is_tried = models.BooleanField(
        default=False, help_text="whether its first replies were of use; until then one worker asks about a few units"
    )
    going_since = models.DateTimeField(default=timezone.now, help_text="when it was started, or went on")
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    verdict_import = models.ForeignKey(
        VerdictImport, on_delete=models.SET_NULL, null=True, related_name="+", help_text="that made it"
    )

    objects = CompleteRuns()
    with_importing = models.Manager["Run"]()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(spent_usd__gte=0, unconfirmed_usd__gte=0), name="a_run_is_not_paid_for_asking"
            )
        ]

    def __str__(self) -> str:
        return f"{self.judge} on {self.campaign}"

    @property
    def topic(self) -> str:
        """What pages that show this run listen to."""
        return f"run:{self.pk}"

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE


#: Workers are at it, or will be.
ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)


class WorkerSlot(Claimable):
    """The right of one worker to work on a run: at most one holds it, for a while, and a heartbeat renews it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="worker_slots")
    number = models.PositiveSmallIntegerField()
    idle_since = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, help_text="when a worker was last sent a message")

    class Meta:
        ordering = ["run", "number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_worker_slot_per_number")]

    def __str__(self) -> str:
        return f"{self.run}, worker slot {self.number}"

    @property
    def holder(self) -> str:
        """Under this name its worker holds permits and reservations, until another worker takes the slot."""
        return f"{self.pk}.{self.tries}"


class Reservation(models.Model):
    """The highest possible cost of one call in progress, reserved from its run's budget until it is billed."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="reservations")
    holder = models.CharField(max_length=32, help_text="the worker slot's holder, whose heartbeat keeps it")
    usd = models.DecimalField(max_digits=12, decimal_places=6)
    until = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(usd__gt=0), name="a_reservation_is_more_than_nothing")]

    def __str__(self) -> str:
        return f"${self.usd} of {self.run}"


class Verdict(Claimable):
    """A judge's answers to one unit in one order and sample: first waiting, then answered.

    What is unparsed, refused or an error has no answers, and counts as missing. The calls stay, whatever became of
    the verdict.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", _("to do")
        OK = "ok", _("read")
        REPAIRED = "repaired", _("read, with words around it")
        UNPARSED = "unparsed", _("could not be read")
        REFUSED = "refused", _("the model refused")
        ERROR = "error", _("failed")

    #: With answers.
    READ = (Status.OK, Status.REPAIRED)
    #: Without answers, and nothing more to come unless it is asked for again.
    MISSING = (Status.UNPARSED, Status.REFUSED, Status.ERROR)

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="verdicts")
    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="+")
    order = models.CharField(max_length=26, help_text="the slot heard as 1, as 2, …: `ba` has b heard as 1")
    sample = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    message = ReasonField(help_text="why there is no answer")
    cause = models.CharField(max_length=12, blank=True, choices=Cause, help_text="the kind of reason for that")
    reasoning = models.TextField(blank=True)
    said = models.JSONField(
        default=dict, blank=True, help_text="further output of the judge: features, votes of aspects"
    )
    model = models.CharField(max_length=200, blank=True, help_text="as the server named it")
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    seconds = models.FloatField(null=True)
    asked_again_at = models.DateTimeField(
        null=True, help_text="since when new replies are wanted and earlier ones no longer count"
    )
    judged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["run", "status"], name="verdicts_of_run_by_status")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "unit", "order", "sample"], name="one_verdict_per_unit_order_sample"
            ),
            models.CheckConstraint(
                condition=Q(status="waiting", judged_at=None) | (~Q(status="waiting") & Q(judged_at__isnull=False)),
                name="a_verdict_is_to_do_or_dated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.unit} {self.order}"


class VerdictAnswer(models.Model):
    """One aspect of a verdict, of the unit or (with a slot) of one of its responses."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="answers")
    aspect = models.CharField(max_length=60)
    slot = models.CharField(max_length=1, blank=True)
    value = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["verdict", "aspect", "slot"], name="one_value_per_verdict_aspect_and_slot"
            )
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value}"


class Call(models.Model):
    """One request to a model and its reply. Stored at once and never edited: the cache, and the bill.

    `key` is the SHA-256 of model, endpoint, messages (sound by its hash), parameters, order and sample.
    """

    key = models.CharField(max_length=64, db_index=True)
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="+")
    request = models.JSONField(help_text="the messages as rendered, sound by its hash, and the parameters")
    status = models.CharField(max_length=8, choices=Verdict.Status)
    message = ReasonField(help_text="why nothing came, or why nothing was read")
    raw = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)
    model = models.CharField(max_length=200, blank=True, help_text="as the server named it")
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    audio_in = models.PositiveIntegerField(null=True, help_text="of tokens_in: sound, where the server says so")
    cached_in = models.PositiveIntegerField(null=True, help_text="of tokens_in: read from a cache")
    reasoning_out = models.PositiveIntegerField(null=True, help_text="of tokens_out: thinking")
    audio_out = models.PositiveIntegerField(null=True, help_text="of tokens_out: sound")
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    cost_is_estimate = models.BooleanField(
        default=False,
        db_default=False,
        help_text="whether something that has a price of its own was not counted, and was estimated",
    )
    finish_reason = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="why the reply ended, in the server's word"
    )
    seconds = models.FloatField(default=0.0)
    attempts = models.PositiveSmallIntegerField(default=1)
    made_for = models.ForeignKey(
        Verdict, on_delete=models.SET_NULL, null=True, related_name="paid_calls", help_text="whose run paid for it"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.language_model}: {self.status}"


class VerdictCall(models.Model):
    """A call that a verdict is based on; `cached` if it was made for another verdict and cost nothing here."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="calls")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="uses")
    position = models.PositiveSmallIntegerField()
    cached = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["verdict", "position"], name="one_call_per_place_of_a_verdict")
        ]

    def __str__(self) -> str:
        return f"{self.verdict}, call {self.position}"
