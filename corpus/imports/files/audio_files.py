"""Where an import's audio comes from: a folder, a ZIP, or nowhere. Names are looked up, never written to."""

import hashlib
import lzma
import os
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from corpus.imports import reasons
from corpus.imports.files.zip_names import is_of_system, name_in, one_spelling
from infrastructure.wording.reasons import Reasoned, reason_of

MAX_FILE_BYTES = 1024**3
MAX_RATIO = 200
CHUNK = 1024 * 1024
#: what zipfile and its decompressors raise over damaged or unusual archives
ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    UnicodeDecodeError,
)


class MissingAudio(Reasoned, ValueError):
    """The named file is not there, or may not be taken. The message says which and why."""


class UnusableArchive(Reasoned, ValueError):
    """The ZIP as a whole is refused."""


class AudioFiles(Protocol):
    def open(self, path: str) -> AbstractContextManager[IO[bytes]]:
        """The file's bytes, seekable. Raises MissingAudio."""
        ...


class FolderAudio:
    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        with self._opened(path) as opened:
            yield opened

    def _opened(self, path: str) -> IO[bytes]:
        try:
            file = (self._root / _safe(path)).resolve()
            if not _is_file(file):  # as macOS writes the names of files
                file = (self._root / unicodedata.normalize("NFD", _safe(path))).resolve()
            if not _is_file(file):  # as it stands there
                file = (self._root / path.replace("\\", "/")).resolve()
            if not file.is_relative_to(self._root):
                raise MissingAudio(reasons.LEADS_OUT(path=path))
            if not _is_file(file):
                raise MissingAudio(reasons.MISSING_FROM_FOLDER(path=path))
            return file.open("rb")
        except (OSError, RuntimeError) as error:  # a name that is too long, a right that is missing, a loop of links
            raise MissingAudio(reasons.NOT_OPENED(path=path)) from error


def _is_file(path: Path) -> bool:
    """As `Path.is_file`, which Python 3.14 makes False of names that are too long, too. Raises OSError."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


class ZipAudio:
    """Audio inside a ZIP. Sizes are limited by what really comes out, not by what the directory claims."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except ZIP_DAMAGE as error:
            raise UnusableArchive(reasons.NO_ZIP(why=reason_of(error))) from error
        self._members = _members(self._zip)
        self._folder = _only_folder(self._members)
        self._refuse_bombs(max_bytes)

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        info = self._found(path)
        with tempfile.TemporaryFile() as copy:
            self._copy(info, copy, most=MAX_FILE_BYTES)
            copy.seek(0)
            yield copy

    def unused(self, paths: Iterable[str]) -> list[str]:
        """The files that none of these paths leads to; what a computer adds by itself is not counted."""
        used = {name_in(info) for path in paths if (info := self._named(path))}
        names = (name_in(info) for info in self._members.values())
        return sorted(name for name in names if name not in used and not is_of_system(name))

    def holds(self, path: str) -> bool:
        return self._named(path) is not None

    def unpack(self, path: str, to: Path) -> None:
        """The file at this place, whatever its size: all of them together are within bounds. Raises MissingAudio."""
        info = self._found(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("wb") as copy:
            self._copy(info, copy, most=info.file_size)

    def _named(self, path: str) -> zipfile.ZipInfo | None:
        return self._members.get(_safe(path)) or self._members.get(f"{self._folder}/{_safe(path)}")

    def _found(self, path: str) -> zipfile.ZipInfo:
        info = self._named(path)
        if info is None:
            raise MissingAudio(reasons.MISSING_FROM_ZIP(path=path))
        if info.flag_bits & 0x1:
            raise MissingAudio(reasons.FILE_ENCRYPTED(path=path))
        if stat.S_ISLNK(info.external_attr >> 16):
            raise MissingAudio(reasons.FILE_A_LINK(path=path))
        return info

    def _refuse_bombs(self, max_bytes: int) -> None:
        total = sum(info.file_size for info in self._members.values())
        packed = sum(info.compress_size for info in self._members.values())
        if total > max_bytes:
            raise UnusableArchive(
                reasons.ZIP_TOO_LARGE(megabytes=f"{total / 1024**2:.0f}", most=f"{max_bytes / 1024**2:.0f}")
            )
        if total > MAX_RATIO * max(packed, 1) and total > 10 * CHUNK:
            raise UnusableArchive(reasons.ZIP_BOMB(times=MAX_RATIO))

    def _copy(self, info: zipfile.ZipInfo, copy: IO[bytes], *, most: int) -> None:
        limit, written = min(info.file_size, most), 0
        try:
            with self._zip.open(info) as member:
                while chunk := member.read(CHUNK):
                    written += len(chunk)
                    if written > limit:
                        raise MissingAudio(reasons.LARGER_THAN_SAID(path=info.filename))
                    copy.write(chunk)
        except ZIP_DAMAGE as error:
            raise MissingAudio(reasons.NOT_UNPACKED(path=info.filename, why=reason_of(error))) from error


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename.endswith(("/", "\\")):
            continue
        _safe(info.filename, error=UnusableArchive)  # what is refused is named as it stands there
        name = _safe(name_in(info), error=UnusableArchive)
        if name in members:
            raise UnusableArchive(reasons.ZIP_HOLDS_TWICE(name=name))
        members[name] = info
    return members


def _only_folder(names: Iterable[str]) -> str:
    """The folder that holds everything, as ZIPs made from a folder have it."""
    tops = {name.split("/", 1)[0] for name in names if not is_of_system(name)}
    return tops.pop() if len(tops) == 1 else ""


def sha256_of(file: IO[bytes]) -> str:
    """The hash of the whole file, which is left at its beginning."""
    file.seek(0)
    found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0, os.SEEK_SET)
    return found


def is_path(path: str) -> bool:
    """Whether it can lead to a file at all."""
    try:
        return bool(_safe(path))
    except MissingAudio:
        return False


def _safe(path: str, *, error: type[MissingAudio | UnusableArchive] = MissingAudio) -> str:
    """The path in one spelling. Raises `error` where it is absolute or climbs."""
    pure = PurePosixPath(one_spelling(path))
    drive = bool(pure.parts) and ":" in pure.parts[0]
    if not pure.parts or pure.is_absolute() or ".." in pure.parts or drive:
        raise error(reasons.NO_PATH_INSIDE(path=repr(path)))
    if "\0" in path:
        raise error(reasons.NO_FILE_NAME(path=repr(path)))
    return str(pure)
