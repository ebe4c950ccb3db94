"""A table of verdicts from its upload to its runs: one job, which a kill interrupts and a person may cancel."""

from dataclasses import asdict, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.files import File
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign
from corpus.imports.checks.result import problem_report
from corpus.imports.files.progress import followed, rows_at_most
from corpus.imports.files.rows import UnreadableManifest, place_in
from corpus.imports.mapping.encodings import table_rows
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.plan import Problem
from infrastructure.background.jobs import JobTaken, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.media import StorageUnavailable, hand_over, remove_folder
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason, ReasonCode, Reasoned
from judges import reasons
from judges.imported.columns import UnusableColumns
from judges.imported.plan import VerdictsPlan
from judges.imported.reading import Options, plan_table, require_columns
from judges.imported.writing import (
    VerdictsRefused,
    complete_unfinished,
    discard_unfinished,
    stage_verdicts,
)
from judges.models import Run, VerdictImport

KIND = "import-verdicts"
#: So many rows are looked at while a person waits; the job reads them all.
HEAD_ROWS = 200
#: So long a table waits for its columns to be mapped.
UNMAPPED = timedelta(days=7)
READING = ReasonCode("reading_table", "Reading the table")
CHECKING = ReasonCode("checking_rows", "Checking the rows")
Status = VerdictImport.Status


class ImportRefused(Reasoned, ValueError):
    """The import cannot begin, or not be cancelled any more."""


class _Cancelled(Exception):
    """The import was cancelled while it was written."""


def begin_verdict_import(
    campaign: Campaign, table: "File[bytes]", *, options: Options, user: User, is_mapped_later: bool = False
) -> VerdictImport:
    """Keep the table, look at its first rows, and queue the rest; or wait until its columns are mapped on their page.

    Raises UnreadableManifest and UnusableColumns where the first rows tell, and ImportRefused while another table is
    being imported into this campaign.
    """
    _end_abandoned(campaign)
    row = VerdictImport(
        campaign=campaign, table_name=Path(table.name or "table").name[:255], options=asdict(options), created_by=user
    )
    try:
        row.folder.mkdir(parents=True)
        with row.table_path.open("wb") as kept:
            for chunk in table.chunks():
                kept.write(chunk)
        head = list(islice(table_rows(row.table_path), HEAD_ROWS))
        if is_mapped_later:
            row.status = Status.MAPPING
        else:
            require_columns(head, options, campaign)
        hand_over(row.folder)
        if is_mapped_later:
            row.save(force_insert=True)
        else:
            _queue(row)
    except (OSError, DatabaseError, StorageUnavailable, UnreadableManifest, UnusableColumns, ImportRefused):
        remove_folder(row.folder)
        raise
    return row


def map_verdict_columns(row: VerdictImport, *, mapping: TableMapping) -> None:
    """Keep what the columns become, and queue the import.

    Raises UnusableColumns where the table cannot be read so, and ImportRefused while another table is being imported.
    """
    _end_abandoned(row.campaign)
    options = replace(Options.of(row), mapping=mapping.as_json())
    require_columns(list(islice(table_rows(row.table_path), HEAD_ROWS)), options, row.campaign)
    try:
        with transaction.atomic():
            waiting = VerdictImport.objects.filter(pk=row.pk, status=Status.MAPPING)
            if not waiting.update(status=Status.CHECKING, options=asdict(options)):
                raise ImportRefused(reasons.IMPORT_HAS_ENDED())
            start_job(KIND, subject=row.pk, started_by=row.created_by)
    except IntegrityError as error:
        raise ImportRefused(reasons.ANOTHER_IMPORT()) from error


def cancel_verdict_import(row: VerdictImport) -> None:
    """Stop it; nothing of it stays. Raises ImportRefused once all is written."""
    if _drop_unmapped(row):
        return
    stopped = VerdictImport.objects.filter(pk=row.pk, status__in=VerdictImport.CANCELLABLE)
    if not stopped.update(status=Status.CANCELLED):
        raise ImportRefused(reasons.IMPORT_HAS_ENDED())


def sweep_unmapped_tables() -> int:
    """Remove the tables of which nobody mapped the columns for a week; how many there were."""
    waiting = VerdictImport.objects.filter(status=Status.MAPPING, created_at__lt=timezone.now() - UNMAPPED)
    return sum(map(_drop_unmapped, waiting))


def _drop_unmapped(row: VerdictImport) -> bool:
    """Whether it was still waiting for its mapping; then it is cancelled, and its table removed."""
    if not VerdictImport.objects.filter(pk=row.pk, status=Status.MAPPING).update(status=Status.CANCELLED):
        return False
    remove_folder(row.folder)
    return True


def job_of(row: VerdictImport) -> Job | None:
    return latest_job(KIND, row.pk)


def import_verdicts_of(subject: str, progress: ShowProgress) -> None:
    """The job: read, check, write, show. Begins anew after a kill, or goes on where all is written."""
    row = VerdictImport.objects.select_related("campaign", "created_by").get(pk=subject)
    if row.status == Status.CANCELLED:  # while it waited, or while its worker was gone
        return _end(row, Status.CANCELLED)
    if row.status in (Status.CHECKING, Status.WRITING):
        discard_unfinished(row.campaign, row)
        try:
            _check_and_stage(row, progress)
        except _Cancelled:
            return _end(row, Status.CANCELLED)
        except (UnreadableManifest, UnusableColumns, VerdictsRefused) as refusal:
            row.report |= problem_report([Problem(None, "table", refusal.reason)])
            row.save(update_fields=["report"])
            return _end(row, Status.FAILED)
        except JobTaken:
            raise
        except Exception:
            _end(row, Status.FAILED)
            raise
    if row.status == Status.COMPLETING:
        runs = complete_unfinished(row.campaign, row)
        row.report["runs"] = [run.pk for run in runs]
        row.save(update_fields=["report"])
        _end(row, Status.IMPORTED)
    return None


def _check_and_stage(row: VerdictImport, progress: ShowProgress) -> None:
    """Raises UnreadableManifest, UnusableColumns, VerdictsRefused and _Cancelled."""

    def step(done: int, total: int, note: Reason) -> None:
        progress(done, total, note)
        if VerdictImport.objects.filter(pk=row.pk, status=Status.CANCELLED).exists():
            raise _Cancelled

    plan = _plan(row, step)
    row.report = _report(plan) | {"place": place_in(row.table_path)}
    row.save(update_fields=["report"])
    if plan.errors:
        _end(row, Status.FAILED)
        return
    _turn(row, from_=(Status.CHECKING, Status.WRITING), to=Status.WRITING)
    new, there = stage_verdicts(row.campaign, plan, user=row.created_by, verdict_import=row, progress=step)
    row.report |= {"new": new, "there": there}
    row.save(update_fields=["report"])
    _turn(row, from_=(Status.WRITING,), to=Status.COMPLETING)


def _plan(row: VerdictImport, step: ShowProgress) -> VerdictsPlan:
    table = row.table_path
    step(0, 0, READING())
    rows = list(followed(table_rows(table), step, READING(), at_most=rows_at_most(table)))
    step(0, len(rows), CHECKING())
    return plan_table(followed(rows, step, CHECKING(), at_most=len(rows)), Options.of(row), row.campaign)


def _report(plan: VerdictsPlan) -> dict[str, Any]:
    return {
        "rows": plan.rows,
        "verdicts": plan.n_verdicts,
        "missing": plan.n_missing,
    } | problem_report(plan.problems)


def _queue(row: VerdictImport) -> None:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            start_job(KIND, subject=row.pk, started_by=row.created_by)
    except IntegrityError as error:
        raise ImportRefused(reasons.ANOTHER_IMPORT()) from error


def _turn(row: VerdictImport, *, from_: tuple[str, ...], to: str) -> None:
    """Raises _Cancelled where it is not in such a state any more."""
    if not VerdictImport.objects.filter(pk=row.pk, status__in=from_).update(status=to):
        raise _Cancelled
    row.status = to


def _end(row: VerdictImport, status: str) -> None:
    discard_unfinished(row.campaign, row)
    VerdictImport.objects.filter(pk=row.pk).update(status=status)
    row.status = status
    remove_folder(row.folder)


def _end_abandoned(campaign: Campaign) -> None:
    """Free the campaign of imports whose job is over without having ended them, as after a fault of the server."""
    unfinished = Run.with_importing.filter(status=Run.Status.IMPORTING, verdict_import__isnull=False)
    left = Q(status__in=VerdictImport.ACTIVE) | Q(pk__in=unfinished.values("verdict_import"))
    for row in campaign.verdict_imports.filter(left):
        job = job_of(row)
        if job is None or not job.is_active:
            _end(row, Status.FAILED if row.is_active else row.status)
