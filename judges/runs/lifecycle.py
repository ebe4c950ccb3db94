"""Runs: a judge over a campaign's units. The rows are the truth, and messages only wake workers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, CampaignUnit
from campaigns.reasons import CAMPAIGN_ARCHIVED
from corpus.datasets.units import slots_of
from corpus.models import LabelSet, Unit, UnitMember
from infrastructure.live.announcements import announce
from infrastructure.whole_numbers import row_id
from infrastructure.wording.reasons import Reasoned
from judges import reasons
from judges.cases.few_shot import Examples
from judges.definitions.judges import judges_for, why_not
from judges.kinds import KINDS
from judges.language_models.prices import price_of
from judges.models import ACTIVE, Judge, Run, Verdict, WorkerSlot
from judges.runs.worker_slots import WORKER_SLOTS
from judges.sounds.perturbations import Perturbation
from judges.webhook_events import tell_of_end

MOST_SAMPLES = 25
#: The slots of a unit that is no whole item.
OF_KIND = {"pair": "ab", "single": "a"}
BATCH = 1000
#: So many units are looked at for examples beside them.
LOOKED_AT = 20


class CannotRun(Reasoned, ValueError):
    """A run that cannot be started or go on; the reason is for the user who wanted it."""


@dataclass(frozen=True)
class Plan:
    """What a run is to do: the orders, how often each, for how much at most."""

    orders: str = Run.Orders.AB
    samples: int = 1
    budget_usd: Decimal | None = None
    label_set: LabelSet | None = None
    perturbation: Perturbation | None = None
    unperturbed: Run | None = None


def start_run(campaign: Campaign, judge: Judge, *, plan: Plan, user: User) -> Run:
    """Write the run with a verdict to do for every unit, order and sample, and call the workers. Raises CannotRun."""
    _require_possible(campaign, judge, plan, user)
    with transaction.atomic():
        run = Run.objects.create(
            campaign=campaign,
            judge=judge,
            orders=plan.orders,
            samples=plan.samples,
            budget_usd=plan.budget_usd,
            label_set=plan.label_set,
            perturbation=plan.perturbation.to_json() if plan.perturbation else None,
            unperturbed=plan.unperturbed,
            is_tried=not KINDS[judge.kind].asks_model,
            started_by=user,
        )
        if not _add_verdicts(run):
            raise CannotRun(reasons.NO_UNITS_TO_JUDGE())
        WorkerSlot.objects.bulk_create(WorkerSlot(run=run, number=number) for number in range(n_worker_slots(judge)))
        _call_workers(run)
    return run


def pause_run(run: Run) -> None:
    """Ask nothing new; what is under way still comes. Raises CannotRun."""
    _turn(run, from_=ACTIVE, to=Run.Status.PAUSED)


def cancel_run(run: Run) -> None:
    """Stop for good, in the middle of a call if need be; finished verdicts stay. Raises CannotRun."""
    stoppable = (*ACTIVE, Run.Status.PAUSED, Run.Status.OVER_BUDGET, Run.Status.FAILED)
    _turn(run, from_=stoppable, to=Run.Status.CANCELLED)


def resume_run(run: Run, *, budget_usd: Decimal | None = None) -> None:
    """Go on where it stopped, with another budget if one is given. Raises CannotRun."""
    stopped = (Run.Status.PAUSED, Run.Status.OVER_BUDGET, Run.Status.FAILED)
    _require_unarchived(run.campaign)
    if reason := why_not(run.judge, run.campaign.protocol):
        raise CannotRun(reason)
    if budget_usd is not None:
        Run.objects.filter(pk=run.pk, status__in=stopped).update(budget_usd=budget_usd)
    run.refresh_from_db()
    if run.budget_usd is not None and run.spent_usd + run.unconfirmed_usd >= run.budget_usd:
        raise CannotRun(reasons.NO_BUDGET_LEFT())
    if run.status == Run.Status.FAILED and not run.verdicts.filter(status=Verdict.Status.WAITING).exists():
        raise CannotRun(reasons.EVERY_VERDICT_TRIED())
    _turn(run, from_=stopped, to=Run.Status.QUEUED)


def judge_again(run: Run) -> int:
    """Have every verdict that failed judged again; return how many.

    Replies that could be read are not paid for again where only another call of the verdict failed. What was
    unparsed or refused is asked anew. Raises CannotRun.
    """
    _require_able(run)
    with transaction.atomic():
        missing = Verdict.objects.filter(run=run, status__in=Verdict.MISSING)
        unread = missing.exclude(status=Verdict.Status.ERROR)
        n = unread.update(asked_again_at=timezone.now(), **_TO_DO)
        n += missing.update(**_TO_DO)
        if n:
            Run.objects.filter(pk=run.pk).update(
                status=Run.Status.QUEUED, message=None, finished_at=None, **_anew(run)
            )
            _call_workers(run)
    return n


def top_up(run: Run) -> int:
    """Add the units that came to the campaign since; return how many verdicts are to do now. Raises CannotRun."""
    _require_able(run)
    with transaction.atomic():
        n = _add_verdicts(run)
        if n and run.status == Run.Status.DONE:
            Run.objects.filter(pk=run.pk).update(status=Run.Status.QUEUED, finished_at=None)
        if n:
            _call_workers(run)
    return n


def run_for(user: User, slug: str, pk: int, right: Right) -> Run:
    """The run, for those who hold `right` in its campaign. Raises Http404, PermissionDenied."""
    campaign = campaign_for(user, slug, right)
    rows = Run.objects.select_related("judge__language_model", "started_by", "unperturbed__judge", "label_set")
    if (run := rows.filter(campaign=campaign, pk=pk).first()) is None:
        raise Http404("There is no such run of this campaign.")
    run.campaign = campaign
    return run


def watched_run(user: User, pk: str) -> Run:
    """The run, for a page that may watch it. Raises Http404, PermissionDenied."""
    row = Run.objects.filter(pk=row_id(pk)).values_list("campaign__slug", "pk").first()
    if row is None:
        raise Http404("There is no such run.")
    return run_for(user, *row, Right.VIEW)


def n_worker_slots(judge: Judge) -> int:
    """How many workers a run may have at a time."""
    most = 1 if settings.EMBEDDED else settings.JUDGE_WORKER_SLOTS
    return max(1, min(most, judge.language_model.at_once)) if judge.language_model else most


def slots_in(unit: Unit) -> str:
    """The slots of one unit, in their order."""
    return "".join(sorted(slots_of(unit)))


def orders_of(slots: Sequence[str], orders: str) -> list[str]:
    """The orders in which a unit with these slots is heard.

    >>> orders_of("abc", "both"), orders_of("a", "both")
    (['abc', 'cba'], ['a'])
    """
    stored = "".join(slots)
    turned = stored[::-1]
    wanted = {"ab": [stored], "ba": [turned], "both": [stored, turned]}[orders]
    return list(dict.fromkeys(wanted))


def verdicts_wanted(campaign: Campaign, *, orders: str, samples: int) -> int:
    """How many verdicts a run over the campaign's units has."""
    return sum(len(orders_of(slots, orders)) for _unit, slots in _slots(campaign)) * samples


#: What a verdict is set back to.
_TO_DO: dict[str, Any] = {
    "status": Verdict.Status.WAITING,
    "message": None,
    "cause": "",
    "reasoning": "",
    "said": {},
    "judged_at": None,
    "heartbeat_at": None,
    "tries": 0,
}


def _require_possible(campaign: Campaign, judge: Judge, plan: Plan, user: User) -> None:
    if not judges_for(user).filter(pk=judge.pk).exists():
        raise PermissionDenied(_("This judge is not among those that you may run."))
    _require_unarchived(campaign)
    if campaign.status == Campaign.Status.DRAFT:
        raise CannotRun(reasons.STILL_A_DRAFT())
    if reason := why_not(judge, campaign.protocol):
        raise CannotRun(reason)
    if plan.orders not in Run.Orders.values or not 1 <= plan.samples <= MOST_SAMPLES:
        raise CannotRun(reasons.TOO_MANY_SAMPLES(n=MOST_SAMPLES))
    if plan.label_set and plan.label_set.dataset_id != campaign.dataset_id:
        raise CannotRun(reasons.EXAMPLES_OF_ANOTHER())
    require_examples(campaign, judge, plan)
    if plan.budget_usd is not None:
        if judge.language_model and price_of(judge.language_model) is None:
            raise CannotRun(reasons.BUDGET_WITHOUT_PRICE())
        if plan.budget_usd <= 0:
            raise CannotRun(reasons.BUDGET_NOTHING())


def require_examples(campaign: Campaign, judge: Judge, plan: Plan) -> None:
    """Raises CannotRun where the judge learns from labelled units, and no unit has any beside it."""
    kind = KINDS.get(judge.kind)
    if kind is None or not kind.needs_examples(judge.settings):
        return
    examples = Examples(Run(campaign=campaign, judge=judge, label_set=plan.label_set))
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("position")
    units = [row.unit for row in study.select_related("unit__item")[:LOOKED_AT]]
    if units and not any(examples.beside(unit, 1) for unit in units):
        raise CannotRun(reasons.NOTHING_TO_LEARN_FROM())


def _require_unarchived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotRun(CAMPAIGN_ARCHIVED())


def _require_able(run: Run) -> None:
    """Raises CannotRun where nothing more can be judged: by a kind that cannot be run, has changed, or is gone."""
    _require_unarchived(run.campaign)
    if run.status == Run.Status.CANCELLED:
        raise CannotRun(reasons.RUN_CANCELLED())
    if reason := why_not(run.judge, run.campaign.protocol):
        raise CannotRun(reason)


def _slots(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """Units of the study with their slots, in the campaign's order."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by("position")
    members: dict[int, list[str]] = {}
    in_units = UnitMember.objects.filter(unit__in=study.values("unit"))
    for unit, slot in in_units.order_by("slot").values_list("unit_id", "slot"):
        members.setdefault(unit, []).append(slot)
    for unit, kind in study.values_list("unit_id", "unit__kind"):
        yield unit, "".join(members.get(unit, [])) if kind == Unit.Kind.ITEM else OF_KIND[kind]


def _add_verdicts(run: Run) -> int:
    """Those that are not there yet; return how many."""
    before = Verdict.objects.filter(run=run).count()
    rows = [
        Verdict(run=run, unit_id=unit, order=order, sample=sample)
        for unit, slots in _slots(run.campaign)
        for order in orders_of(slots, run.orders)
        for sample in range(run.samples)
    ]
    Verdict.objects.bulk_create(rows, BATCH, ignore_conflicts=True)
    return Verdict.objects.filter(run=run).count() - before


def _turn(run: Run, *, from_: Sequence[str], to: str) -> None:
    finished = None if to in ACTIVE else timezone.now()
    turned = Run.objects.filter(pk=run.pk, status__in=from_)
    with transaction.atomic():
        anew = _anew(run) if to in ACTIVE else {}
        if not turned.update(status=to, message=None, finished_at=finished, **anew):
            raise CannotRun(reasons.RUN_IN_ANOTHER_STATE())
        tell_of_end(run, to)
        if to in ACTIVE:
            _call_workers(run)
        announce(run.topic)


def _anew(run: Run) -> dict[str, Any]:
    """A run that stopped by itself begins with a few units again."""
    return {"going_since": timezone.now()} | ({"is_tried": False} if run.stopped_for else {})


def _send_all(pks: Sequence[int]) -> None:
    for pk in pks:
        WORKER_SLOTS.send(pk)


def _call_workers(run: Run) -> None:
    """After the commit, with ids only."""
    pks = list(run.worker_slots.values_list("pk", flat=True))
    transaction.on_commit(partial(_send_all, pks))
    announce(run.topic)
