"""Exports from the wish to the file, and to its end."""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from analytics.data.hidden_names import names_are_hidden
from analytics.exports import reasons
from analytics.exports.checksums import sha256_of
from analytics.exports.formats.registry import FORMATS, formats_for
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from analytics.models import Export
from campaigns.audit_log import EXPORTED, record_in
from campaigns.models import Campaign
from campaigns.people.members import withdrawals_in
from infrastructure.background.jobs import JobFailed, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.media import folders_in, last_change, media_file, place_for, remove_folder
from infrastructure.models import Job
from infrastructure.wording.reasons import Reasoned

KIND = "make-export"
#: What stands in a folder under exports/ without a row, after this long, was left by a kill.
ORPHANED = timedelta(days=1)


class ExportRefused(Reasoned, ValueError):
    """This cannot be exported."""


@transaction.atomic
def begin_exports(campaign: Campaign, formats: Iterable[str], *, wanted: Wanted, user: User) -> list[Export]:
    """Queue a file in each of these formats; one that is being made already is not made twice.

    Raises ExportRefused.
    """
    require_names_shown(campaign)
    names = list(dict.fromkeys(formats))
    if not names or not set(names) <= {it.name for it in formats_for(campaign)}:
        raise ExportRefused(reasons.NO_SUCH_SHAPE())
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    return [_begin(campaign, name, wanted, user) for name in names]


def _begin(campaign: Campaign, name: str, wanted: Wanted, user: User) -> Export:
    same = Export.objects.filter(campaign=campaign, format=name, wanted=wanted.document(), made_at=None)
    if current := same.filter(job__status__in=["queued", "running"]).first():
        return current
    row = Export.objects.create(campaign=campaign, format=name, wanted=wanted.document(), by=user)
    row.job = start_job(KIND, subject=row.pk, started_by=user)
    row.save(update_fields=["job"])
    record_in(campaign, EXPORTED, by=user, format=name)
    return row


def make_export(subject: str, progress: ShowProgress) -> None:
    """The job's work. Done already, or deleted meanwhile: nothing is done."""
    row = Export.objects.select_related("campaign__dataset").filter(pk=subject).first()
    if row is None or row.made_at:
        return
    try:
        require_names_shown(row.campaign)
        withdrawals = withdrawals_in(row.campaign)  # before anything is read
        source = Source(row.campaign, Wanted.of(row.wanted), progress)
        made = _written(source, row)
    except ExportRefused as refusal:
        raise JobFailed(refusal.reason) from refusal
    now = timezone.now()
    made |= {
        "made_at": now, "expires_at": now + timedelta(days=settings.EXPORT_DAYS),
        "left_out": [{"n": n, "reason": why} for why, n in source.left_out.items()],
        "withdrawals": withdrawals,
    }  # fmt: skip
    if not Export.objects.filter(pk=row.pk).update(**made):  # deleted while it was made
        remove_folder(row.folder)


def _written(source: Source, row: Export) -> dict[str, Any]:
    """Write the file to where it belongs; its name, rows, size and hash."""
    name = file_name(row.campaign, row.format)
    row.file = name
    with place_for(row.path) as path:
        n = write_export(source, row.format, path)
        return {"file": name, "rows": n, "size": path.stat().st_size, "sha256": sha256_of(path)}


def show_export_job(job: Job) -> None:
    """An export whose job is run again shows the new one."""
    Export.objects.filter(pk=job.subject, made_at=None).update(job=job)


def write_export(source: Source, name: str, path: Path) -> int:
    """Write the file whole or not at all; return the number of its rows."""
    half = path.with_name(f".unfinished-{secrets.token_hex(4)}")  # another worker may be at the same export
    try:
        n = FORMATS[name].write(source, half)
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return n


def delete_export(row: Export) -> None:
    """The row first: without it the file cannot be found, and a job that is still running deletes its own."""
    folder = row.folder
    row.delete()
    remove_folder(folder)


def drop_outdated() -> list[Export]:
    """Delete the files that hold answers which were withdrawn since; the rows stay, and say so. Return these."""
    standing = Export.objects.filter(made_at__isnull=False, dropped_at=None).select_related("campaign", "by")
    counted = {campaign.pk: withdrawals_in(campaign) for campaign in {row.campaign for row in standing}}
    outdated = [row for row in standing if row.is_outdated(counted[row.campaign_id])]
    return [row for row in outdated if _drop(row)]


def _drop(row: Export) -> bool:
    """Whether it was this call that did so."""
    remove_folder(row.folder)
    return Export.objects.filter(pk=row.pk, dropped_at=None).update(dropped_at=timezone.now()) == 1


def sweep_exports() -> int:
    """Delete what has expired, and folders without a row; return how many went."""
    expired = list(Export.objects.filter(expires_at__lt=timezone.now()))
    for row in expired:
        delete_export(row)
    return len(expired) + _sweep_orphans()


def _sweep_orphans() -> int:
    known = {str(pk) for pk in Export.objects.values_list("pk", flat=True)}
    oldest = (timezone.now() - ORPHANED).timestamp()
    orphans = [
        name for name in folders_in("exports") if name not in known and last_change(f"exports/{name}") < oldest
    ]
    for name in orphans:
        remove_folder(media_file("exports", name))
    return len(orphans)


def require_names_shown(campaign: Campaign) -> None:
    """Raise ExportRefused while the campaign's systems are under codes: keys and texts would tell their names."""
    if names_are_hidden(campaign):
        raise ExportRefused(reasons.NAMES_HIDDEN())


def file_name(campaign: Campaign, name: str) -> str:
    return f"{campaign.slug}-{FORMATS[name].ending}"
