"""Baselines: every judge that needs no key, over one campaign. What ran is not run again."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from campaigns.models import Campaign
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.kinds.contract import Kind
from judges.models import ACTIVE, Judge, Run
from judges.runs.lifecycle import CannotRun, Plan, cancel_run, require_examples, start_run, top_up
from judges.runs.progress import runs_of

#: In the order in which they are started; the last to be started is listed first.
BASELINES = ("random", "always_first", "longest", "loudest", "fastest", "majority", "trace_rules", "dnsmos")
STOPPABLE = (*ACTIVE, Run.Status.PAUSED)


@dataclass(frozen=True)
class BaselineProgress:
    """The baselines' runs, the first started first, and the titles of those that are not for this campaign."""

    runs: tuple[Run, ...]
    unfit: tuple[tuple[str, Reason], ...]
    to_start: int

    @property
    def total(self) -> int:
        return sum(run.n for run in self.runs)  # type: ignore[attr-defined]

    @property
    def said(self) -> int:
        return sum(run.n_said for run in self.runs)  # type: ignore[attr-defined]

    @property
    def active(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.is_active)

    @property
    def ended(self) -> int:
        return len(self.runs) - len(self.active)

    @property
    def topic(self) -> str:
        """Of the run that a worker takes first; empty where none is to be done."""
        return self.active[0].topic if self.active else ""


@transaction.atomic
def start_baselines(campaign: Campaign, *, user: User, plan: Plan | None = None) -> list[Run]:
    """A run of each that fits and has none yet, cancelled ones aside; return those. Units that came since are added.

    A judge that learns from labels takes the dataset's newest labels from which it can learn. Whoever asks meanwhile
    waits, and finds these. Raises CannotRun.
    """
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status == Campaign.Status.DRAFT:
        raise CannotRun(reasons.STILL_A_DRAFT())
    there = {run.judge.kind: run for run in _runs(campaign)}
    for run in there.values():
        if run.status == Run.Status.DONE:
            top_up(run)
    return [
        start_run(campaign, _judge(kind, user), plan=planned, user=user)
        for kind, planned in _startable(campaign, plan or Plan())
        if kind.name not in there
    ]


def cancel_baselines(campaign: Campaign) -> int:
    """Stop those that are under way; what they said stays. Return how many were stopped."""
    stopped = 0
    for run in _runs(campaign).filter(status__in=STOPPABLE):
        try:
            cancel_run(run)
        except CannotRun:
            continue  # it ended at this moment
        stopped += 1
    return stopped


def baseline_progress(campaign: Campaign) -> BaselineProgress:
    """How they go, and which would be started now. In a few queries, whatever was judged."""
    runs = tuple(_runs(campaign))
    there = {run.judge.kind for run in runs}
    unfit = dict(_unfit(campaign))
    left = [name for name in BASELINES if name not in there and name not in unfit]
    titles = tuple((KINDS[name].title, reason) for name, reason in unfit.items() if name not in there)
    return BaselineProgress(runs, titles, len(left))


def _runs(campaign: Campaign) -> QuerySet[Run]:
    """The newest of each judge stands last, so that it counts where a kind has several."""
    rows = runs_of(campaign).filter(judge__kind__in=BASELINES, perturbation__isnull=True, unperturbed=None)
    return rows.exclude(status=Run.Status.CANCELLED).order_by("pk")


def _judge(kind: Kind, user: User) -> Judge:
    return make_judge(kind, title=kind.title, settings={}, language_model=None, user=user)


def _startable(campaign: Campaign, plan: Plan) -> Iterator[tuple[Kind, Plan]]:
    for kind in map(KINDS.__getitem__, BASELINES):
        planned = _with_examples(campaign, kind, plan)
        if not kind.fits(campaign.protocol, {}) and planned is not None:
            yield kind, planned


def _unfit(campaign: Campaign) -> Iterator[tuple[str, Reason]]:
    for kind in map(KINDS.__getitem__, BASELINES):
        if reason := kind.fits(campaign.protocol, {}):
            yield kind.name, reason
        elif _with_examples(campaign, kind, Plan()) is None:
            yield kind.name, reasons.NOTHING_TO_LEARN_FROM()


def _with_examples(campaign: Campaign, kind: Kind, plan: Plan) -> Plan | None:
    """The plan, for a kind that learns with labels that it can learn from; None where there are none."""
    if not kind.needs_examples({}):
        return plan
    unsaved = Judge(kind=kind.name, settings={})
    for labels in campaign.dataset.label_sets.order_by("-pk"):
        planned = replace(plan, label_set=labels)
        try:
            require_examples(campaign, unsaved, planned)
        except CannotRun:
            continue
        return planned
    return None
