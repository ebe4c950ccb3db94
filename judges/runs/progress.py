"""How a run goes, for its page: counts that add up, the pace, the bill and what went wrong."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from campaigns.models import Campaign
from infrastructure.background.workers import NOTICE, SILENCE, last_sign_of_life, start_command
from infrastructure.wording.reasons import Reason
from judges.backends.contract import CUT_OFF, TOKEN_KINDS
from judges.kinds.imported import IMPORTED
from judges.language_models.calls.budgets import reserved_usd
from judges.models import Call, Run, Verdict, VerdictCall
from judges.runs.worker_slots import WORKER_SLOTS

PACE = timedelta(seconds=60)
MOST_FAULTS = 8


@dataclass(frozen=True)
class Fault:
    status: str
    message: Reason | None
    n: int


@dataclass(frozen=True)
class RunProgress:
    """`total` is every verdict wanted; those missing are part of it, and of every share."""

    counts: dict[str, int]
    per_minute: float
    remaining: timedelta | None
    spent_usd: Decimal
    reserved_usd: Decimal
    unpriced: int
    is_unpriced: bool
    tokens_in: int
    tokens_out: int
    calls: int
    cached: int
    by_kind: dict[str, int]
    cut_off: int
    estimated: int
    models: list[tuple[str, int]]
    faults: list[Fault]
    no_worker: bool
    command: str

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def waiting(self) -> int:
        return self.counts[Verdict.Status.WAITING]

    @property
    def said(self) -> int:
        return self.total - self.waiting

    @property
    def read(self) -> int:
        return sum(self.counts[status] for status in Verdict.READ)

    @property
    def missing(self) -> int:
        return sum(self.counts[status] for status in Verdict.MISSING)

    @property
    def by_status(self) -> list[tuple[str, str, int]]:
        return [(str(status), str(status.label), self.counts[status]) for status in Verdict.Status]


def progress_of(run: Run) -> RunProgress:
    verdicts = Verdict.objects.filter(run=run)
    counted = dict(verdicts.order_by().values_list("status").annotate(n=Count("pk")))
    counts = {str(status): counted.get(status, 0) for status in Verdict.Status}
    per_minute = _pace(verdicts)
    sums = verdicts.aggregate(tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"))
    uses = _uses(run)
    waiting, unpriced = counts[Verdict.Status.WAITING], _unpriced(run.pk).count()
    return RunProgress(
        counts=counts,
        per_minute=per_minute,
        remaining=timedelta(minutes=waiting / per_minute) if per_minute and run.is_active else None,
        spent_usd=run.spent_usd,
        reserved_usd=reserved_usd(run),
        unpriced=unpriced,
        is_unpriced=unpriced > 0 or run.judge.kind == IMPORTED.name,
        tokens_in=sums["tokens_in"] or 0,
        tokens_out=sums["tokens_out"] or 0,
        calls=uses["calls"],
        cached=uses["cached"],
        by_kind={name: uses[name] or 0 for name in TOKEN_KINDS},
        cut_off=uses["cut_off"],
        estimated=uses["estimated"],
        models=_models(run),
        faults=_faults(verdicts),
        no_worker=_has_no_worker(run),
        command=start_command(),
    )


def _uses(run: Run) -> dict[str, int]:
    """The calls that verdicts rest on, and what they used beside plain text."""
    return VerdictCall.objects.filter(verdict__run=run).aggregate(
        calls=Count("pk"),
        cut_off=Count("pk", filter=Q(call__finish_reason=CUT_OFF)),
        estimated=Count("pk", filter=Q(call__cost_is_estimate=True, cached=False)),
        cached=Count("pk", filter=Q(cached=True)),
        **{name: Sum(f"call__{name}") for name in TOKEN_KINDS},
    )


def _unpriced(run: Any) -> QuerySet[Call]:
    """Calls that were billed at an unknown price."""
    return Call.objects.filter(made_for__run=run, cost_usd=None).exclude(status=Verdict.Status.ERROR)


def runs_of(campaign: Campaign) -> QuerySet[Run]:
    """The campaign's runs, newest first: their wanted, finished and missing verdicts, and if costs are unknown."""
    rows = Run.objects.filter(campaign=campaign).select_related("judge", "started_by").order_by("-pk")
    return rows.annotate(
        n=Count("verdicts"),
        n_said=Count("verdicts", filter=~Q(verdicts__status=Verdict.Status.WAITING)),
        n_missing=Count("verdicts", filter=Q(verdicts__status__in=Verdict.MISSING)),
        is_unpriced=Exists(_unpriced(OuterRef("pk"))) | Q(judge__kind=IMPORTED.name),
    )


def n_stopped_runs(campaign: Campaign) -> int:
    """How many runs stopped by a fault or at their budget, and wait for a decision."""
    return Run.objects.filter(campaign=campaign, status__in=(Run.Status.FAILED, Run.Status.OVER_BUDGET)).count()


def _pace(verdicts: QuerySet[Verdict]) -> float:
    """Verdicts a minute: over the last minute, or since the first one where that is less."""
    now = timezone.now()
    times = list(verdicts.filter(judged_at__gt=now - PACE).order_by("judged_at").values_list("judged_at", flat=True))
    if len(times) < 2 or times[0] is None:
        return 0.0
    return len(times) / max((now - times[0]).total_seconds() / 60, 1 / 60)


def _models(run: Run) -> list[tuple[str, int]]:
    """As the servers named them, with how many verdicts rest on each: it may change between the calls of one.

    More than one means that what answers changed within the run.
    """
    uses = VerdictCall.objects.filter(verdict__run=run).exclude(call__model="")
    named = Counter(dict(uses.order_by().values_list("call__model").annotate(n=Count("verdict", distinct=True))))
    imported = Verdict.objects.filter(run=run, calls=None).exclude(model="")
    named.update(dict(imported.order_by().values_list("model").annotate(n=Count("pk"))))
    return named.most_common()


def _faults(verdicts: QuerySet[Verdict]) -> list[Fault]:
    rows = verdicts.filter(status__in=Verdict.MISSING).order_by().values_list("status", "message")
    counted = rows.annotate(n=Count("pk")).order_by("-n", "message")[:MOST_FAULTS]
    labels = dict(Verdict.Status.choices)
    return [Fault(str(labels[status]), message, n) for status, message, n in counted]


def _has_no_worker(run: Run) -> bool:
    now = timezone.now()
    held = run.worker_slots.exclude(WORKER_SLOTS.free())
    if not run.is_active or now - run.created_at < NOTICE or held.exists():
        return False
    seen = last_sign_of_life()
    return seen is None or now - seen > SILENCE
