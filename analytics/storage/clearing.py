"""What can be removed safely: nothing that is referred to, and nothing that cannot be made again."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.people.rights import require_administrator
from analytics.exports.making import delete_export
from analytics.models import Export
from campaigns.audio.delivery import clips_of
from campaigns.models import Campaign
from corpus.models import Clip, DeliveredClip, Import
from infrastructure.background.jobs import JobFailed, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.media import (
    MediaFile,
    files_below,
    folders_in,
    in_objects,
    last_change,
    media_files,
    remove_folder,
)
from infrastructure.models import Job
from infrastructure.wording.reasons import ReasonCode, Reasoned

CLEAR = "clear-storage"
CLEARING = ReasonCode("storage_clearing", "Removing files")
NOTHING_OF_THIS_KIND = ReasonCode("storage_no_such_kind", "There is nothing of this kind to be removed.")
CLEARED = AuditEvent("storage_cleared", _("Storage was cleared (%(what)s): %(n)s files or folders, %(size)s bytes."))
#: Files that were written later may get their row yet; an upload of that age may be confirmed yet.
SETTLED = timedelta(days=1)
#: Delivered clips whose rows go in one transaction. Each commit waits for the disk, and other writers for it.
STEP = 500


class NothingToClear(Reasoned, ValueError):
    """There is no such kind of things."""


class Amount(NamedTuple):
    """So many files or folders, and their bytes."""

    n: int
    bytes: int


NOTHING = Amount(0, 0)


@dataclass(frozen=True)
class Removable:
    """Things that go together. `remove` looks again whether they may, and returns how much went."""

    amount: Amount
    remove: Callable[[], Amount]


@dataclass(frozen=True)
class ClearKind:
    """One kind of things that can go: in words, and what becomes of it."""

    name: str
    title: Promise
    means: Promise
    find: Callable[[], Iterator[Removable]]


def start_clearing(name: str, *, by: User) -> Job:
    """Raises NothingToClear."""
    require_administrator(by)
    if name not in {kind.name for kind in KINDS}:
        raise NothingToClear(NOTHING_OF_THIS_KIND())
    return start_job(CLEAR, subject=name, started_by=by)


def clear_storage(name: str, progress: ShowProgress) -> None:
    """The job's work. Each thing is looked at again right before it goes; the job may end between any two."""
    kind = next((kind for kind in KINDS if kind.name == name), None)
    if kind is None:
        raise JobFailed(NOTHING_OF_THIS_KIND())
    found = list(kind.find())
    total, done, gone = sum(it.amount.n for it in found), 0, NOTHING
    for it in found:
        went = it.remove()
        done, gone = done + it.amount.n, Amount(gone.n + went.n, gone.bytes + went.bytes)
        progress(done, total, CLEARING())
    job = latest_job(CLEAR, name)
    by = job.started_by if job else None
    with transaction.atomic():
        record(CLEARED, by=by, kind=Subject.INSTALLATION, what=name, n=gone.n, size=gone.bytes)


def _one(size: int, remove: Callable[[], bool]) -> Removable:
    """A thing that goes by itself; `remove` returns whether it went."""
    amount = Amount(1, size)
    return Removable(amount, lambda: amount if remove() else NOTHING)


# -- delivered clips ------------------------------------------------------------------------------------------


class _HeardNow:
    """The delivered clips of campaigns that are not closed, read again once these campaigns are not the same."""

    def __init__(self) -> None:
        self._campaigns: set[tuple[int, str]] = set()
        self._clips: dict[str, set[int]] = {}

    def look(self) -> None:
        campaigns = list(Campaign.objects.exclude(status=Campaign.Status.CLOSED).select_related("dataset"))
        current = {(it.pk, it.delivery_form) for it in campaigns}
        if current != self._campaigns:
            self._clips = {}
            for campaign in campaigns:
                self._clips.setdefault(campaign.delivery_form, set()).update(_clips_heard_in(campaign))
            self._campaigns = current

    def holds(self, row: DeliveredClip) -> bool:
        return row.clip_id in self._clips.get(row.form, set())


def delivered_again() -> Iterator[Removable]:
    """Delivered clips that no campaign may still play to annotators, and whose originals are there."""
    heard = _HeardNow()
    heard.look()
    rows = list(DeliveredClip.objects.select_related("clip").order_by("pk"))
    unheard = [row for row in rows if not heard.holds(row) and row.clip.path.is_file()]
    for at in range(0, len(unheard), STEP):
        going = unheard[at : at + STEP]
        yield Removable(_amount_of(going), partial(_remove_delivered, going, heard))


def _amount_of(rows: Sequence[DeliveredClip]) -> Amount:
    return Amount(len(rows), sum(row.bytes for row in rows))


def _clips_heard_in(campaign: Campaign) -> Iterator[int]:
    """Of its units, and of its whole dataset: units may be drawn later, in an arena or from a draft."""
    yield from clips_of(campaign).values_list("pk", flat=True)
    of_dataset = Q(pk__in=campaign.dataset.items.values("turns__clip"))
    of_dataset |= Q(pk__in=campaign.dataset.items.values("responses__turns__clip"))
    yield from Clip.objects.filter(of_dataset).values_list("pk", flat=True)


def _remove_delivered(rows: Sequence[DeliveredClip], heard: _HeardNow) -> Amount:
    """The rows first, all at once: without its row nothing plays a file. A campaign may have come in the meantime.

    Killed before the last file, it leaves files without rows, which are removed as such. A clip that a reviewer had
    made again meanwhile has its row again, and keeps its file.
    """
    there = [row for row in rows if row.clip.path.is_file()]
    with transaction.atomic():
        heard.look()
        going = [row for row in there if not heard.holds(row)]
        DeliveredClip.objects.filter(pk__in=[row.pk for row in going]).delete()
    made = DeliveredClip.objects.filter(clip__in=[row.clip_id for row in going]).values_list("clip", "form")
    again = set(made)
    for row in going:
        if (row.clip_id, row.form) not in again:
            row.path.unlink(missing_ok=True)
    return _amount_of(going)


# -- exports and uploads --------------------------------------------------------------------------------------


def exports_made() -> Iterator[Removable]:
    """Files of exports. They hold nothing that the database does not, and can be made again."""
    for row in Export.objects.filter(made_at__isnull=False, dropped_at=None).order_by("pk"):
        yield _one(row.size or 0, partial(_remove_export, row))


def _remove_export(row: Export) -> bool:
    if not Export.objects.filter(pk=row.pk).exists():
        return False
    delete_export(row)
    return True


def uploads_unconfirmed() -> Iterator[Removable]:
    """Uploads that were checked at least a day ago and never confirmed, and folders that belong to no import."""
    waiting = [Import.Status.CHECKED, Import.Status.UNDECIDED]
    for row in Import.objects.filter(status__in=waiting, created_at__lt=timezone.now() - SETTLED):
        yield _one(_bytes_of(row.folder), partial(_end_upload, row))
    active = {
        str(pk) for pk in Import.objects.filter(status__in=[*waiting, *_UNDER_WAY]).values_list("pk", flat=True)
    }
    for folder in (Path(settings.MEDIA_ROOT) / "imports").glob("*"):
        if folder.name not in active and _is_settled(folder):
            yield _one(_bytes_of(folder), partial(_remove_folder, folder))
    for name in folders_in("imports") if in_objects() else ():
        if name not in active and time.time() - last_change(f"imports/{name}") > SETTLED.total_seconds():
            size = sum(it.stat().st_size for it in media_files(f"imports/{name}"))
            yield _one(size, partial(_remove_folder, Path(settings.MEDIA_ROOT) / "imports" / name))


_UNDER_WAY = (Import.Status.CHECKING, Import.Status.IMPORTING)


def _end_upload(row: Import) -> bool:
    """Not if it was confirmed meanwhile: then its files are being read."""
    waiting = [Import.Status.CHECKED, Import.Status.UNDECIDED]
    if not Import.objects.filter(pk=row.pk, status__in=waiting).update(status=Import.Status.FAILED):
        return False
    return _remove_folder(row.folder)


def _remove_folder(folder: Path) -> bool:
    remove_folder(folder)
    return not folder.exists()


# -- files without a row --------------------------------------------------------------------------------------


def files_without_rows() -> Iterator[Removable]:
    """Recordings and delivered clips, a day old at least, that no row of the database names."""
    known = set(Clip.objects.values_list("sha256", flat=True))
    for path in media_files("clips"):
        if path.name not in known and _is_settled(path):
            yield _one(path.stat().st_size, partial(_remove_original, path))
    made = set(DeliveredClip.objects.values_list("form", "clip__sha256"))
    for path in media_files("delivered"):
        if (path.parts[-3].replace("_", " "), path.stem) not in made and _is_settled(path):
            yield _one(path.stat().st_size, partial(_remove_made, path))


def _remove_original(path: MediaFile) -> bool:
    return not Clip.objects.filter(sha256=path.name).exists() and _unlink(path)


def _remove_made(path: MediaFile) -> bool:
    rows = DeliveredClip.objects.filter(form=path.parts[-3].replace("_", " "), clip__sha256=path.stem)
    return not rows.exists() and _unlink(path)


def _unlink(path: MediaFile) -> bool:
    """Only what is still old: the same sound may just have been written again."""
    if not path.is_file() or not _is_settled(path):
        return False
    path.unlink(missing_ok=True)
    return True


def _is_settled(path: MediaFile) -> bool:
    try:
        return time.time() - path.stat().st_mtime > SETTLED.total_seconds()
    except FileNotFoundError:
        return False


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in files_below(folder))


KINDS = (
    ClearKind(
        "delivered",
        _("Delivered clips that nobody hears any more"),
        _(
            "The copies of recordings in the form of campaigns that are closed. The recordings stay; a copy is made "
            "again when a reviewer plays it."
        ),
        delivered_again,
    ),
    ClearKind(
        "exports",
        _("Files of exports"),
        _("Everything in them is in the database, and an export can be made again. Links to them end."),
        exports_made,
    ),
    ClearKind(
        "uploads",
        _("Uploads that were never confirmed"),
        _("They were checked more than a day ago and never imported. Their owners have to upload them again."),
        uploads_unconfirmed,
    ),
    ClearKind(
        "orphans",
        _("Files that nothing refers to"),
        _("Left behind by work that was interrupted. No dataset, campaign or export names them."),
        files_without_rows,
    ),
)
