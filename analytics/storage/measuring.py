"""Sizes of files, by folder and by dataset. They are computed by a job and kept with their time."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone

from accounts.models import User
from accounts.people.rights import require_administrator
from analytics.models import Export
from analytics.storage import FIGURES
from analytics.storage.clearing import KINDS, clear_storage
from campaigns.models import TrapClip, TrapRecording
from corpus.models import Clip, Dataset, DeliveredClip, Import, ResponseTurn, Turn
from infrastructure.background.heartbeats import silent
from infrastructure.background.jobs import start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.media import in_objects, media_files
from infrastructure.models import Job, KeptFigures
from infrastructure.wording.reasons import ReasonCode

MEASURE = "measure-storage"
INSTALLATION = "installation"
MEASURING = ReasonCode("storage_measuring", "Adding up the sizes of files")
#: Folders of the media folder whose sizes are named; what is elsewhere in the data folder is counted together.
FOLDERS = ("clips", "delivered", "imports", "exports")


def start_measuring(*, by: User | None) -> Job:
    """Raises PermissionDenied for those who are no administrators; None is the installation itself."""
    if by is not None:
        require_administrator(by)
    return start_job(MEASURE, subject=INSTALLATION, started_by=by)


def measured() -> KeptFigures | None:
    """As it was when it was measured last."""
    return KeptFigures.objects.filter(name=FIGURES).first()


def measure_storage(_subject: str, progress: ShowProgress) -> None:
    """The job's work."""
    steps = 2 + len(KINDS)
    progress(0, steps, MEASURING())
    folders = _folders()
    progress(1, steps, MEASURING())
    datasets = _datasets()
    clearable = {}
    for done, kind in enumerate(KINDS, start=2):
        progress(done, steps, MEASURING())
        found = [it.amount for it in kind.find()]
        clearable[kind.name] = {"n": sum(it.n for it in found), "bytes": sum(it.bytes for it in found)}
    data = {"folders": folders, "datasets": datasets, "clearable": clearable, "database": database_bytes()}
    KeptFigures.objects.update_or_create(name=FIGURES, defaults={"data": data, "at": timezone.now()})
    progress(steps, steps, MEASURING())


def clear_and_measure(name: str, progress: ShowProgress) -> None:
    """The work of the job that clears: the figures are those after it."""
    clear_storage(name, progress)
    measure_storage(INSTALLATION, silent)


def database_bytes() -> int:
    """Of the database as it is on its disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    name = Path(str(connection.settings_dict["NAME"]))
    return sum(path.stat().st_size for path in name.parent.glob(f"{name.name}*") if path.is_file())


def _folders() -> dict[str, int]:
    """Bytes of each named folder, of the backups, and of everything else in the data folder but the database."""
    media, data = Path(settings.MEDIA_ROOT), Path(settings.DATA_DIR)
    named = {name: _bytes_below(media / name) for name in FOLDERS}
    on_disk = sum(named.values())
    if in_objects():
        named |= {name: named[name] + sum(it.stat().st_size for it in media_files(name)) for name in FOLDERS}
    backups = _bytes_below(Path(settings.BACKUP_FOLDER))
    all_of_it = _bytes_below(data)
    inside = on_disk if media.is_relative_to(data) else 0
    inside += backups if Path(settings.BACKUP_FOLDER).is_relative_to(data) else 0
    inside += database_bytes() if connection.vendor == "sqlite" else 0
    return named | {"backups": backups, "other": max(0, all_of_it - inside)}


def _bytes_below(folder: Path) -> int:
    """Each file once, however many names it has, as in backups that share files."""
    seen, total = set(), 0
    for root, _folders_in_it, files in os.walk(folder):
        for name in files:
            try:
                found = (Path(root) / name).stat()
            except OSError:  # removed meanwhile
                continue
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                total += found.st_size
    return total


def _datasets() -> list[dict[str, Any]]:
    """Each with its originals, what is delivered of them, the sounds of traps, exports and uploads that wait."""
    clips, traps = _clips_by_dataset(), _traps_by_dataset()
    originals = dict(Clip.objects.values_list("pk", "bytes"))
    delivered = dict(DeliveredClip.objects.order_by().values_list("clip").annotate(n=Sum("bytes")))
    exports = dict(Export.objects.order_by().values_list("campaign__dataset").annotate(n=Sum("size")))
    uploads = dict(Import.objects.order_by().values_list("dataset_name").annotate(n=Count("pk")))
    rows = []
    for dataset in Dataset.objects.order_by("name").iterator():
        own, spoken = clips.get(dataset.pk, set()), traps.get(dataset.pk, set())
        rows.append({
            "name": dataset.name,
            "slug": dataset.slug,
            "n": len(own),
            "originals": _sum(originals, own),
            "delivered": _sum(delivered, own | spoken),
            "traps": _sum(originals, spoken - own),
            "exports": exports.get(dataset.pk) or 0,
            "uploads": _uploads_of(dataset) if dataset.name in uploads else 0,
        })  # fmt: skip
    return sorted(rows, key=lambda row: -(row["originals"] + row["delivered"]))


def _clips_by_dataset() -> Mapping[int, set[int]]:
    asked = Turn.objects.filter(clip__isnull=False).order_by().values_list("item__dataset", "clip")
    said = ResponseTurn.objects.filter(clip__isnull=False).order_by().values_list("response__item__dataset", "clip")
    return _grouped(asked.distinct(), said.distinct())


def _traps_by_dataset() -> Mapping[int, set[int]]:
    spoken = TrapClip.objects.order_by().values_list("campaign_unit__campaign__dataset", "clip")
    recorded = TrapRecording.objects.order_by().values_list("campaign__dataset", "clip")
    return _grouped(spoken.distinct(), recorded.distinct())


def _grouped(*pairs: Iterable[tuple[Any, Any]]) -> Mapping[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for rows in pairs:
        for dataset, clip in rows:
            found[dataset].add(clip)
    return found


def _sum(sizes: Mapping[int, int], clips: Iterable[int]) -> int:
    return sum(sizes.get(clip) or 0 for clip in clips)


def _uploads_of(dataset: Dataset) -> int:
    return sum(_bytes_below(row.folder) for row in Import.objects.filter(dataset_name=dataset.name))
