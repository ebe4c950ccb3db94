"""Writing planned verdicts: a judge and a run for each that the table names. Written twice, nothing changes."""

import gc
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign, CampaignUnit
from corpus.models import UnitMember
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason, ReasonCode, Reasoned
from judges import reasons
from judges.definitions.judges import digest_of
from judges.imported.plan import JudgeKey, PlannedVerdict, VerdictKey, VerdictsPlan
from judges.kinds.imported import IMPORTED
from judges.models import Judge, Run, Verdict, VerdictAnswer, VerdictImport

#: At most so many rows are written in one transaction, some 15 ms on SQLite, whose other writers wait for it.
ROWS = 400
#: For at least so long nothing is written afterwards. Who waits for SQLite's lock looks for it after pauses of up to
#: 50 ms, and of 100 ms once 0.2 s have gone by: one of these looks falls into this time, or into a longer one that
#: follows a longer transaction.
LEAST_PAUSE_S = 0.06
WRITING = ReasonCode("writing_verdicts", "Writing verdicts")
LONGEST_TITLE = 120


class VerdictsRefused(Reasoned, ValueError):
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


def write_verdicts(campaign: Campaign, plan: VerdictsPlan, *, user: User) -> Imported:
    """Write what was planned; what is there already stays. Raises VerdictsRefused, before anything is written."""
    new, there = stage_verdicts(campaign, plan, user=user)
    return Imported(tuple(complete_unfinished(campaign, None)), new, there)


def stage_verdicts(
    campaign: Campaign,
    plan: VerdictsPlan,
    *,
    user: User,
    verdict_import: VerdictImport | None = None,
    progress: ShowProgress = lambda *_: None,
) -> tuple[int, int]:
    """Write new verdicts into hidden runs; return how many were new, and how many existed.

    Transactions are short, with `progress` after each: what it raises ends the writing, and `discard_unfinished`
    takes the runs away. `complete_unfinished` shows them. Raises VerdictsRefused, before anything is written, where
    the plan has errors or a verdict is there with another answer.
    """
    if plan.errors:
        raise VerdictsRefused(plan.errors[0].message)
    _require_unchanged(campaign, plan)
    missing = {key: _not_there(_run_of(campaign, key), verdicts) for key, verdicts in plan.judges.items()}
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    units: dict[str, int] = dict(study.values_list("unit__key", "unit_id"))
    total, written = sum(map(len, missing.values())), 0
    with _heap_frozen():
        for key, verdicts in missing.items():
            with _leaving_room():
                run = _unfinished(campaign, key, plan.judges[key], user, verdict_import)
            for chunk in _chunks(verdicts):
                rows, answers = _rows(run, chunk, units)
                with _leaving_room():
                    Verdict.objects.bulk_create(rows)
                    VerdictAnswer.objects.bulk_create(answers)
                written += len(chunk)
                progress(written, total, WRITING())
    return total, plan.n_verdicts - total


def complete_unfinished(campaign: Campaign, verdict_import: VerdictImport | None) -> list[Run]:
    """Show the runs that are written; where the judge had one, bring its verdicts there. May be called again."""
    unfinished = list(_all_unfinished(campaign, verdict_import).select_related("judge").order_by("pk"))
    judges = [run.judge_id for run in unfinished]
    known = {_heard(run): run for run in Run.objects.filter(campaign=campaign, judge__in=judges)}
    first, now = [run for run in unfinished if _heard(run) not in known], timezone.now()
    unchanged = {run.judge_id: run for run in (*known.values(), *first) if run.perturbation is None}
    for run in first:
        run.status, run.finished_at = Run.Status.DONE, now
        run.unperturbed = unchanged[run.judge_id] if run.perturbation else None
    with _leaving_room():
        Run.with_importing.bulk_update(first, ["status", "finished_at", "unperturbed"])
    return [_merged(known[_heard(run)], run) if _heard(run) in known else run for run in unfinished]


def _heard(run: Run) -> tuple[int, str]:
    """Which judge it is, and how the sound was changed that it heard."""
    return run.judge_id, json.dumps(run.perturbation, sort_keys=True)


def discard_unfinished(campaign: Campaign, verdict_import: VerdictImport | None) -> None:
    """Take away what was written and is not shown yet."""
    for run in _all_unfinished(campaign, verdict_import):
        _discard(VerdictAnswer.objects.filter(verdict__run=run))
        _discard(Verdict.objects.filter(run=run))
        with _leaving_room():
            run.delete()


def _discard(rows: QuerySet[VerdictAnswer] | QuerySet[Verdict]) -> None:
    """Delete them, a few at a time."""
    while pks := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS]):
        with _leaving_room():
            rows.filter(pk__in=pks).delete()


def _all_unfinished(campaign: Campaign, verdict_import: VerdictImport | None) -> QuerySet[Run]:
    return Run.with_importing.filter(campaign=campaign, verdict_import=verdict_import, status=Run.Status.IMPORTING)


@contextmanager
def _leaving_room() -> Iterator[None]:
    """A transaction, and on SQLite a pause after it, as long as it took or longer: who waited to write has a turn."""
    begin = time.perf_counter()
    with transaction.atomic():
        yield
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        time.sleep(max(LEAST_PAUSE_S, time.perf_counter() - begin))


@contextmanager
def _heap_frozen() -> Iterator[None]:
    """Python looks for garbage in new objects only: through all of a plan it takes longer than a transaction does."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _chunks(verdicts: Mapping[VerdictKey, PlannedVerdict]) -> Iterator[dict[VerdictKey, PlannedVerdict]]:
    """Verdicts that have at most ROWS rows with their answers, or one that has more by itself."""
    chunk: dict[VerdictKey, PlannedVerdict] = {}
    n_rows = 0
    for key, said in verdicts.items():
        rows = 1 + len(said.answers)
        if chunk and n_rows + rows > ROWS:
            yield chunk
            chunk, n_rows = {}, 0
        chunk[key] = said
        n_rows += rows
    if chunk:
        yield chunk


def _run_of(campaign: Campaign, key: JudgeKey) -> Run | None:
    """The judge's run in this condition of the sound."""
    rows = Run.objects.filter(campaign=campaign, judge__kind=IMPORTED.name, judge__digest=_digest(key))
    return next((run for run in rows if run.perturbation == _perturbation(key)), None)


def _perturbation(key: JudgeKey) -> dict[str, Any] | None:
    return key.condition.to_json() if key.condition else None


def _require_unchanged(campaign: Campaign, plan: VerdictsPlan) -> None:
    """Verdicts on changed sound are compared with those on the sound as it is. Raises VerdictsRefused."""
    for key in plan.judges:
        unchanged = key._replace(condition=None)
        if key.condition and unchanged not in plan.judges and _run_of(campaign, unchanged) is None:
            raise VerdictsRefused(reasons.NO_UNCHANGED_RUN(judge=title_of(key), condition=key.condition.title))


def _unfinished(
    campaign: Campaign,
    key: JudgeKey,
    verdicts: dict[VerdictKey, PlannedVerdict],
    user: User,
    verdict_import: VerdictImport | None,
) -> Run:
    return Run.objects.create(
        campaign=campaign,
        judge=_judge(key, user),
        orders=_orders({order for _, order, _ in verdicts}),
        samples=1 + max(sample for _, _, sample in verdicts),
        perturbation=_perturbation(key),
        status=Run.Status.IMPORTING,
        started_by=user,
        verdict_import=verdict_import,
    )


def _merged(run: Run, unfinished: Run) -> Run:
    """Bring the verdicts into the judge's run, a few at a time; the run as it is then."""
    came = False
    while pks := list(unfinished.verdicts.values_list("pk", flat=True)[:ROWS]):
        with _leaving_room():
            Verdict.objects.filter(pk__in=pks).update(run=run)
        came = True
    with _leaving_room():
        run.orders = run.orders if run.orders == unfinished.orders else Run.Orders.BOTH
        run.samples = max(run.samples, unfinished.samples)
        if came:
            run.finished_at = timezone.now()  # cached figures of it expire
        run.save(update_fields=["orders", "samples", "finished_at"])
        unfinished.delete()
    return run


def _orders(orders: set[str]) -> str:
    """Units of one response, or of several, have other orders than pairs: what counts is whether one was turned."""
    found = {Run.Orders.AB if order == "".join(sorted(order)) else Run.Orders.BA for order in orders}
    return str(Run.Orders.BOTH if len(found) > 1 else found.pop())


def _settings(key: JudgeKey) -> dict[str, str]:
    return {"judge": key.judge, **dict(key.settings)}


def _digest(key: JudgeKey) -> str:
    return digest_of(IMPORTED, _settings(key), None)


def title_of(key: JudgeKey) -> str:
    return ", ".join([key.judge, *(f"{it} {value}" for it, value in key.settings if value)])


def _judge(key: JudgeKey, user: User) -> Judge:
    settings, digest = _settings(key), _digest(key)
    row = Judge.objects.filter(kind=IMPORTED.name, digest=digest).first()
    return row or Judge.objects.create(
        title=title_of(key)[:LONGEST_TITLE], kind=IMPORTED.name, kind_version=IMPORTED.version, settings=settings,
        digest=digest, created_by=user, archived_at=timezone.now(),  # never offered to be run
    )  # fmt: skip


def _not_there(run: Run | None, verdicts: dict[VerdictKey, PlannedVerdict]) -> dict[VerdictKey, PlannedVerdict]:
    """The verdicts that the run, if there is one, has not. Raises VerdictsRefused where it has another answer."""
    if run is None:
        return verdicts
    held: dict[VerdictKey, dict[tuple[str, str], str]] = {
        (unit, order, sample): {} for unit, order, sample in run.verdicts.values_list("unit__key", "order", "sample")
    }
    answers = VerdictAnswer.objects.filter(verdict__run=run)
    columns = ("verdict__unit__key", "verdict__order", "verdict__sample", "aspect", "slot", "value")
    for unit, order, sample, aspect, slot, value in answers.values_list(*columns):
        held[unit, order, sample][aspect, slot] = value
    for key, said in verdicts.items():
        if key in held and held[key] != said.answers:
            raise VerdictsRefused(reasons.ANOTHER_VERDICT(judge=run.judge, unit=key[0], order=key[1]))
    return {key: said for key, said in verdicts.items() if key not in held}


def _rows(
    run: Run, verdicts: dict[VerdictKey, PlannedVerdict], units: dict[str, int]
) -> tuple[list[Verdict], list[VerdictAnswer]]:
    now = timezone.now()
    rows = [
        Verdict(
            run=run, unit_id=units[unit], order=order, sample=sample, status=said.status,
            message=_without(said),
            reasoning=_reasoning(said),
            said={"raw": said.raw} | ({"missing": said.missing} if said.missing else {}),
            model=run.judge.settings["judge"][:200], judged_at=now,
        )
        for (unit, order, sample), said in verdicts.items()
    ]  # fmt: skip
    answers = [
        VerdictAnswer(verdict=row, aspect=aspect, slot=slot, value=value)
        for row, said in zip(rows, verdicts.values(), strict=True)
        for (aspect, slot), value in said.answers.items()
    ]
    return rows, answers


def _without(said: PlannedVerdict) -> Reason | None:
    """What the table says of answers that are missing."""
    missing = "; ".join(f"{aspect}: {status}" for aspect, status in said.missing.items())
    return reasons.IMPORTED_WITHOUT(aspects=missing) if missing else None


def _reasoning(said: PlannedVerdict) -> str:
    if len(set(said.reasoning.values())) == 1:  # a table of answers has it with each of them
        return next(iter(said.reasoning.values()))
    return "\n\n".join(f"{aspect}: {text}" for aspect, text in said.reasoning.items())
