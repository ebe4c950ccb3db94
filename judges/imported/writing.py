"""Writing planned verdicts: a judge and a run for each that the table names. Written twice, nothing changes."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign, CampaignUnit, UnitMember
from judges.imported.plan import JudgeKey, PlannedVerdict, VerdictKey, VerdictsPlan
from judges.judges import digest_of
from judges.kinds.imported import IMPORTED
from judges.models import Judge, Run, Verdict, VerdictAnswer

BATCH = 500
LONGEST_TITLE = 120


class VerdictsRefused(ValueError):
    """The verdicts cannot be written. The message says why, for a researcher."""


@dataclass(frozen=True)
class Imported:
    """The runs that the table speaks of, how many verdicts came, and how many were there already."""

    runs: tuple[Run, ...]
    new: int
    there: int


def units_by_key(campaign: Campaign) -> dict[str, dict[str, str]]:
    """The names of the systems by slot, of the study's units, by the unit's key."""
    rows = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    names = rows.values_list("unit__key", "unit__a__system__name", "unit__b__system__name")
    found = {key: {slot: name for slot, name in (("a", a), ("b", b)) if name is not None} for key, a, b in names}
    members = UnitMember.objects.filter(unit__in=rows.values("unit")).order_by("slot")
    for key, slot, name in members.values_list("unit__key", "slot", "response__system__name"):
        found[key][slot] = name
    return found


@transaction.atomic
def write_verdicts(campaign: Campaign, plan: VerdictsPlan, *, user: User) -> Imported:
    """Write what was planned; what is there already stays. Raises VerdictsRefused, and then writes nothing.

    A verdict that is there with another answer is a contradiction, and refused.
    """
    if plan.errors:
        raise VerdictsRefused(plan.errors[0].message)
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # one import after the other
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    units: dict[str, int] = dict(study.values_list("unit__key", "unit_id"))
    runs, new, there = [], 0, 0
    for key, verdicts in plan.judges.items():
        run = _run(campaign, key, verdicts, user)
        missing = _not_there(run, verdicts)
        if missing:
            _write(run, missing, units)
            run.finished_at = timezone.now()  # what was kept of it until now is over
            run.save(update_fields=["finished_at"])
        runs.append(run)
        new, there = new + len(missing), there + len(verdicts) - len(missing)
    return Imported(tuple(runs), new, there)


def _run(campaign: Campaign, key: JudgeKey, verdicts: dict[VerdictKey, PlannedVerdict], user: User) -> Run:
    judge = _judge(key, user)
    run = Run.objects.filter(campaign=campaign, judge=judge).first()
    orders = {order for _, order, _ in verdicts}
    samples = 1 + max(sample for _, _, sample in verdicts)
    if run is None:
        return Run.objects.create(
            campaign=campaign, judge=judge, orders=_orders(orders), samples=samples, status=Run.Status.DONE,
            started_by=user, finished_at=timezone.now(),
        )  # fmt: skip
    orders |= {"ab", "ba"} if run.orders == Run.Orders.BOTH else {run.orders}
    changed = (_orders(orders), max(samples, run.samples))
    if changed != (run.orders, run.samples):
        run.orders, run.samples = changed
        run.save(update_fields=["orders", "samples"])
    return run


def _orders(orders: set[str]) -> str:
    """Units of one response, or of several, have other orders than pairs: what counts is whether one was turned."""
    found = {Run.Orders.AB if order == "".join(sorted(order)) else Run.Orders.BA for order in orders}
    return str(Run.Orders.BOTH if len(found) > 1 else found.pop())


def _judge(key: JudgeKey, user: User) -> Judge:
    name, settings = key[0], {"judge": key[0], **dict(key[1])}
    digest = digest_of(IMPORTED, settings, None)
    title = ", ".join([name, *(f"{it} {value}" for it, value in key[1] if value)])[:LONGEST_TITLE]
    row = Judge.objects.filter(kind=IMPORTED.name, digest=digest).first()
    return row or Judge.objects.create(
        title=title, kind=IMPORTED.name, kind_version=IMPORTED.version, settings=settings,
        digest=digest, created_by=user, archived_at=timezone.now(),  # never offered to be run
    )  # fmt: skip


def _not_there(run: Run, verdicts: dict[VerdictKey, PlannedVerdict]) -> dict[VerdictKey, PlannedVerdict]:
    """The verdicts that the run has not. Raises VerdictsRefused where it has another answer."""
    held: dict[VerdictKey, dict[tuple[str, str], str]] = {
        (unit, order, sample): {} for unit, order, sample in run.verdicts.values_list("unit__key", "order", "sample")
    }
    answers = VerdictAnswer.objects.filter(verdict__run=run)
    columns = ("verdict__unit__key", "verdict__order", "verdict__sample", "aspect", "slot", "value")
    for unit, order, sample, aspect, slot, value in answers.values_list(*columns):
        held[unit, order, sample][aspect, slot] = value
    for key, said in verdicts.items():
        if key in held and held[key] != said.answers:
            raise VerdictsRefused(
                f"{run.judge} has another verdict on unit {key[0]} in order {key[1]} already. Give this one another "
                "name, or the column that tells them apart."
            )
    return {key: said for key, said in verdicts.items() if key not in held}


def _write(run: Run, verdicts: dict[VerdictKey, PlannedVerdict], units: dict[str, int]) -> None:
    now = timezone.now()
    rows = [
        Verdict(
            run=run, unit_id=units[unit], order=order, sample=sample, status=said.status,
            message="; ".join(f"{aspect}: {status}" for aspect, status in said.missing.items()),
            reasoning=_reasoning(said),
            said={"raw": said.raw} | ({"missing": said.missing} if said.missing else {}),
            model=run.judge.settings["judge"][:200], judged_at=now,
        )
        for (unit, order, sample), said in verdicts.items()
    ]  # fmt: skip
    written = Verdict.objects.bulk_create(rows, BATCH)
    answers = [
        VerdictAnswer(verdict=row, aspect=aspect, slot=slot, value=value)
        for row, said in zip(written, verdicts.values(), strict=True)
        for (aspect, slot), value in said.answers.items()
    ]
    VerdictAnswer.objects.bulk_create(answers, BATCH)


def _reasoning(said: PlannedVerdict) -> str:
    if len(set(said.reasoning.values())) == 1:  # a table of answers has it with each of them
        return next(iter(said.reasoning.values()))
    return "\n\n".join(f"{aspect}: {text}" for aspect, text in said.reasoning.items())
