"""Files of the media – recordings, delivered clips, exports – on the disk, or as objects of the S3 protocol.

OBJECT_STORAGE_BUCKET says which. On the disk a file is a Path below MEDIA_ROOT; as an object it has the few methods
that its readers need, and raises FileNotFoundError where it is gone. Where the storage does not answer, that is
StorageUnavailable, which no reader takes for a fault of the file.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import EEXIST, ENOENT, ENOTEMPTY
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage

#: Objects that are larger while they are read whole lie in a temporary file.
IN_MEMORY = 8 * 1024**2
UNFINISHED = ".unfinished-"


class StorageUnavailable(Exception):
    """The object storage does not answer, or refuses. The message says what it said.

    No OSError, so that whoever takes those for a missing or broken file lets it pass, to a job or request that fails.
    """


class Stat(NamedTuple):
    """What readers ask of os.stat_result."""

    st_size: int
    st_mtime: float


@dataclass(frozen=True)
class ObjectFile:
    """An object by its key below the storage's prefix."""

    key: str
    #: As a listing told it; asked for where there was none.
    listed: Stat | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return PurePosixPath(self.key).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.key).stem

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.key).parts

    def __str__(self) -> str:
        return self.key

    def is_file(self) -> bool:
        """Asks the storage, whatever a listing said before."""
        try:
            _objects().stat(self.key)
        except FileNotFoundError:
            return False
        return True

    def stat(self) -> Stat:
        found: Stat = self.listed or _objects().stat(self.key)
        return found

    def open(self, mode: str = "rb", /) -> IO[bytes]:
        """All of it, seekable, in memory or in a temporary file. Raises FileNotFoundError, StorageUnavailable."""
        if mode != "rb":
            raise ValueError(mode)
        copy = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the reader closes it
        try:
            _objects().fetch(self.key, copy)
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return copy

    def read_bytes(self) -> bytes:
        with self.open() as file:
            return file.read()

    def read_part(self, start: int, stop: int) -> bytes:
        """Only these bytes are transferred."""
        found: bytes = _objects().read_part(self.key, start, stop) if start < stop else b""
        return found

    def pieces(self, size: int) -> Iterator[bytes]:
        yield from _objects().pieces(self.key, size)

    def unlink(self, missing_ok: bool = False) -> None:  # noqa: ARG002 - as a Path has it
        """The protocol does not say whether there was one, so a missing object is never an error."""
        _objects().remove(self.key)

    def write(self, file: IO[bytes]) -> None:
        """Put all of the file in its place: the object appears whole, or stays as it was."""
        file.seek(0)
        _objects().put(self.key, file)


#: What a property such as `Clip.path` yields.
MediaFile = Path | ObjectFile


def in_objects() -> bool:
    """Whether files are objects; else they are on the disk."""
    return bool(settings.OBJECT_STORAGE_BUCKET)


def media_file(*parts: str) -> MediaFile:
    """The file at this place, whether or not it is there."""
    if in_objects():
        return ObjectFile("/".join(parts))
    return Path(settings.MEDIA_ROOT).joinpath(*parts)


def media_files(folder: str) -> Iterator[MediaFile]:
    """Every file below this folder, as it is now; below "" all that there are."""
    if in_objects():
        yield from _listed(folder and f"{folder}/")
        return
    yield from files_below(Path(settings.MEDIA_ROOT) / folder)


def files_below(folder: Path) -> Iterator[Path]:
    """Every file below this folder of the disk; a folder that is removed meanwhile has none."""
    for root, _folders, names in os.walk(folder):
        yield from (Path(root) / name for name in names)


def remove_empty_folders(folder: Path) -> int:
    """Remove those below this folder of the disk in which nothing is, and return how many went.

    A file may be written at any time: only an empty folder can be removed, and `written_whole` makes it again.
    """
    removed = 0
    for root, _folders, _names in os.walk(folder, topdown=False):
        if Path(root) == folder:
            continue
        try:
            Path(root).rmdir()
        except OSError as error:
            if error.errno not in (ENOTEMPTY, EEXIST, ENOENT):
                raise
        else:
            removed += 1
    return removed


def folders_in(folder: str) -> list[str]:
    """The names of the folders directly below it."""
    if in_objects():
        return sorted(_objects().folders(f"{folder}/"))
    return sorted(path.name for path in (Path(settings.MEDIA_ROOT) / folder).glob("*") if path.is_dir())


def remove_folder(folder: MediaFile) -> None:
    """Every file below it, and the folder; of a folder on the disk also what was handed over."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    if in_objects():
        key = folder.key if isinstance(folder, ObjectFile) else _key_of(folder)
        for it in _listed(f"{key}/"):
            it.unlink()


def keep_only(folder: Path, name: str) -> None:
    """Remove what is in this folder, here and as it was handed over, except the file of this name."""
    if in_objects():
        shutil.rmtree(folder, ignore_errors=True)
        for it in _listed(f"{_key_of(folder)}/"):
            if it.name != name:
                it.unlink()
        return
    for path in list(folder.glob("*")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != name:
            path.unlink(missing_ok=True)


def hand_over(folder: Path) -> None:
    """What a web process received, for the worker: where there are objects, each file below becomes one.

    The copy on this disk goes, where nothing but web processes may read it. Raises StorageUnavailable.
    """
    if not in_objects():
        return
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                ObjectFile(_key_of(path)).write(file)
    if not settings.EMBEDDED:
        shutil.rmtree(folder, ignore_errors=True)


def at_hand(path: Path) -> Path:
    """The file on this disk, fetched where it was handed over; it is not there where nobody has it."""
    if not in_objects() or path.exists():
        return path
    handed = ObjectFile(_key_of(path))
    try:
        with handed.open() as file, written_whole(path) as copy:
            shutil.copyfileobj(file, copy)
    except FileNotFoundError:
        pass
    return path


@contextmanager
def written_whole(target: MediaFile) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when it is complete, whatever happens before."""
    if isinstance(target, ObjectFile):
        with tempfile.TemporaryFile() as file:
            yield file
            target.write(file)
        return
    with _half_beside(target) as file:
        half = Path(file.name)
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            half.replace(target)
        finally:
            half.unlink(missing_ok=True)


def _half_beside(target: Path) -> Any:
    """A new file in the folder of this one, which is made as often as it is removed in between."""
    while True:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            return tempfile.NamedTemporaryFile(dir=target.parent, prefix=UNFINISHED, delete=False)
        except FileNotFoundError:
            continue
        except FileExistsError:  # it was there, and was removed before mkdir looked whether it is a folder
            if target.parent.is_file():
                raise


@contextmanager
def place_for(target: MediaFile) -> Iterator[Path]:
    """Where a file that is written in several steps is written; it is in its place when this ends without a fault."""
    if isinstance(target, ObjectFile):
        with tempfile.TemporaryDirectory() as work:
            path = Path(work) / target.name
            yield path
            with path.open("rb") as file:
                target.write(file)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target


def last_change(folder: str) -> float:
    """When this folder, or an object in it, was changed last (s since 1970); 0 where there is nothing."""
    if in_objects():
        return max((it.stat().st_mtime for it in media_files(folder)), default=0)
    path = Path(settings.MEDIA_ROOT) / folder
    return path.stat().st_mtime if path.exists() else 0


def read_part(file: MediaFile, start: int, stop: int) -> bytes:
    """Raises FileNotFoundError, StorageUnavailable."""
    if isinstance(file, ObjectFile):
        return file.read_part(start, stop)
    with file.open("rb") as opened:
        opened.seek(start)
        return opened.read(stop - start)


def pieces_of(file: MediaFile, size: int) -> Iterator[bytes]:
    """The file, so many bytes at a time; it is opened when the first is asked for."""
    if isinstance(file, ObjectFile):
        yield from file.pieces(size)
        return
    with file.open("rb") as opened:
        yield from iter(lambda: opened.read(size), b"")


def _listed(prefix: str) -> Iterator[ObjectFile]:
    return (ObjectFile(key, found) for key, found in _objects().list(prefix))


def _key_of(path: Path) -> str:
    return path.relative_to(settings.MEDIA_ROOT).as_posix()


def _objects() -> Any:
    """The ObjectStorage, where that is what STORAGES has."""
    return default_storage
