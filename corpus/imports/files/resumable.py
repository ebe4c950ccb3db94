"""Uploads that go on where they stopped: a file arrives in parts, and counts once all of it is there.

Each is a folder below `uploads/`: what was announced, and the bytes so far. Their number is the length of the file,
so after a broken connection or a kill it is exactly what was kept. Protocol: tus 1.0.0 (https://tus.io).
"""

import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from accounts.models import User
from corpus.imports.files.rows import MAX_MANIFEST_BYTES
from corpus.imports.reasons import PART_ELSEWHERE, TOO_MANY_UPLOADS, UPLOAD_IN_USE, UPLOAD_TOO_LARGE
from infrastructure.wording.reasons import Reasoned

#: An upload to which nothing is added goes away after so long.
KEPT = timedelta(days=2)
MOST_AT_ONCE = 20
BLOCK = 1_000_000


class UploadRefused(Reasoned, ValueError):
    """The upload cannot begin, or this part of it cannot be added."""


class NotThere(UploadRefused):
    """The part does not begin where the upload stands."""


class InUse(UploadRefused):
    """Another request is adding to it."""


@dataclass(frozen=True)
class ResumableUpload:
    pk: str
    owner: int
    name: str
    #: Bytes announced.
    size: int

    @property
    def folder(self) -> Path:
        return _folder() / self.pk

    @property
    def path(self) -> Path:
        return self.folder / "bytes"

    @property
    def received(self) -> int:
        """Bytes that are kept."""
        return self.path.stat().st_size

    @property
    def is_whole(self) -> bool:
        return self.received == self.size

    @property
    def expires_at(self) -> datetime:
        return datetime.fromtimestamp(self.path.stat().st_mtime, tz=UTC) + KEPT

    def append(self, part: IO[bytes], *, at: int) -> int:
        """Add a part that begins at byte `at`, keep it on the disk, and return how many bytes there are now.

        Raises NotThere, InUse, and UploadRefused for more than was announced; of that nothing is kept.
        """
        with self.path.open("r+b") as kept, _alone(kept):
            received = kept.seek(0, os.SEEK_END)
            if at != received:
                raise NotThere(PART_ELSEWHERE(received=received, at=at))
            while block := part.read(BLOCK):
                if kept.tell() + len(block) > self.size:
                    kept.truncate(received)
                    raise UploadRefused(UPLOAD_TOO_LARGE(most=self.size))
                kept.write(block)
            kept.flush()
            os.fsync(kept.fileno())
            return kept.tell()

    def delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class WholeUpload(UploadedFile):
    """A resumable upload, once all of it is there, as a form takes files."""

    def __init__(self, upload: ResumableUpload) -> None:
        super().__init__(upload.path.open("rb"), upload.name, size=upload.size)
        self.upload = upload

    def link_to(self, path: Path) -> None:
        """The same bytes under another path."""
        link_or_copy(self.upload.path, path)


def link_or_copy(source: Path, target: Path) -> None:
    """The same bytes under another path, without copying them where the file system can."""
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def begin_upload(owner: User, *, name: str, size: int) -> ResumableUpload:
    """Raises UploadRefused for a size that no import takes, or with too many unfinished ones."""
    if size > (most := max(int(settings.MAX_ARCHIVE_BYTES), MAX_MANIFEST_BYTES)):
        raise UploadRefused(UPLOAD_TOO_LARGE(most=most))
    if sum(1 for _upload in uploads_of(owner)) >= MOST_AT_ONCE:
        raise UploadRefused(TOO_MANY_UPLOADS(most=MOST_AT_ONCE))
    upload = ResumableUpload(str(uuid.uuid4()), owner.pk, Path(name).name[:255] or "file", size)
    unfinished = _folder() / f".unfinished-{upload.pk}"
    unfinished.mkdir(parents=True)
    (unfinished / "bytes").touch()
    announced = {"owner": upload.owner, "name": upload.name, "size": upload.size}
    (unfinished / "announced.json").write_text(json.dumps(announced), encoding="utf-8")
    unfinished.rename(upload.folder)
    return upload


def upload_of(owner: User, pk: uuid.UUID) -> ResumableUpload | None:
    """The owner's upload; None where there is none, or it is another's."""
    found = _read(_folder() / str(pk))
    return found if found and found.owner == owner.pk else None


def uploads_of(owner: User) -> Iterator[ResumableUpload]:
    for folder in _folder().glob("*-*-*-*-*"):
        if (found := _read(folder)) and found.owner == owner.pk:
            yield found


def expired_uploads() -> Iterator[Path]:
    """Folders of uploads to which nothing was added for a long time."""
    before = datetime.now(tz=UTC) - KEPT
    for folder in _folder().glob("*"):
        bytes_so_far = folder / "bytes"
        touched = bytes_so_far if bytes_so_far.exists() else folder
        if datetime.fromtimestamp(touched.stat().st_mtime, tz=UTC) < before:
            yield folder


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "uploads"


def _read(folder: Path) -> ResumableUpload | None:
    try:
        announced: dict[str, Any] = json.loads((folder / "announced.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return ResumableUpload(folder.name, **announced)


@contextmanager
def _alone(kept: IO[bytes]) -> Iterator[None]:
    """Raises InUse where another request is adding to the file."""
    try:
        fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InUse(UPLOAD_IN_USE()) from error
    yield  # closing the file ends the lock
