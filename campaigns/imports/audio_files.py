"""Where an import's audio comes from: a folder, a ZIP, or nowhere. Names are looked up, never written to."""

import hashlib
import lzma
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

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


class MissingAudio(ValueError):
    """The named file is not there, or may not be taken. The message says which and why."""


class UnusableArchive(ValueError):
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
            if not file.is_relative_to(self._root):
                raise MissingAudio(f"{path} leads out of the audio folder.")
            if not file.is_file():
                raise MissingAudio(f"{path} is missing from the audio folder.")
            return file.open("rb")
        except (OSError, RuntimeError) as error:  # a name that is too long, a right that is missing, a loop of links
            raise MissingAudio(f"{path} cannot be opened in the audio folder.") from error


class ZipAudio:
    """Audio inside a ZIP. Sizes are limited by what really comes out, not by what the directory claims."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except ZIP_DAMAGE as error:
            raise UnusableArchive(f"The audio file is not a readable ZIP: {error}.") from error
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
            raise MissingAudio(f"{path} is missing from the ZIP.")
        if info.flag_bits & 0x1:
            raise MissingAudio(f"{path} is encrypted; make a ZIP without a password.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise MissingAudio(f"{path} is a link; put the file itself into the ZIP.")
        return info

    def _refuse_bombs(self, max_bytes: int) -> None:
        total = sum(info.file_size for info in self._members.values())
        packed = sum(info.compress_size for info in self._members.values())
        if total > max_bytes:
            raise UnusableArchive(
                f"The ZIP unpacks to {total / 1024**2:.0f} MB; at most {max_bytes / 1024**2:.0f} MB are taken."
            )
        if total > MAX_RATIO * max(packed, 1) and total > 10 * CHUNK:
            raise UnusableArchive(f"The ZIP unpacks to more than {MAX_RATIO} times its size; audio does not.")

    def _copy(self, info: zipfile.ZipInfo, copy: IO[bytes], *, most: int) -> None:
        limit, written = min(info.file_size, most), 0
        try:
            with self._zip.open(info) as member:
                while chunk := member.read(CHUNK):
                    written += len(chunk)
                    if written > limit:
                        raise MissingAudio(f"{info.filename} is larger than the ZIP says, or than 1 GB.")
                    copy.write(chunk)
        except ZIP_DAMAGE as error:
            raise MissingAudio(f"{info.filename} cannot be unpacked: {error}.") from error


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename.endswith("/"):
            continue
        name = _safe(info.filename, error=UnusableArchive)
        if name in members:
            raise UnusableArchive(f"The ZIP holds {name} more than once.")
        members[name] = info
    return members


def _only_folder(names: Iterable[str]) -> str:
    """The folder that holds everything, as ZIPs made from a folder have it."""
    tops = {name.split("/", 1)[0] for name in names if not name.startswith("__MACOSX/")}
    return tops.pop() if len(tops) == 1 else ""


def sha256_of(file: IO[bytes]) -> str:
    """The hash of the whole file, which is left at its beginning."""
    file.seek(0)
    found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0, os.SEEK_SET)
    return found


def _safe(path: str, *, error: type[ValueError] = MissingAudio) -> str:
    """The path in one spelling. Raises `error` where it is absolute or climbs."""
    pure = PurePosixPath(path.replace("\\", "/"))
    drive = bool(pure.parts) and ":" in pure.parts[0]
    if not pure.parts or pure.is_absolute() or ".." in pure.parts or drive:
        raise error(f"{path!r} is not a path inside the audio folder or ZIP.")
    if "\0" in path:
        raise error(f"{path!r} is not a file name.")
    return str(pure)
