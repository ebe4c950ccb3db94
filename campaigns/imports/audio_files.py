"""Where an import's audio comes from: a folder, a ZIP, or nowhere. Names are looked up, never written to."""

import hashlib
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

MAX_FILE_BYTES = 1024**3
MAX_RATIO = 200
CHUNK = 1024 * 1024


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
        file = (self._root / _safe(path)).resolve()
        if not file.is_relative_to(self._root):
            raise MissingAudio(f"{path} leads out of the audio folder.")
        if not file.is_file():
            raise MissingAudio(f"{path} is missing from the audio folder.")
        with file.open("rb") as opened:
            yield opened


class ZipAudio:
    """Audio inside a ZIP. Sizes are limited by what really comes out, not by what the directory claims."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise UnusableArchive(f"The audio file is not a readable ZIP: {error}.") from error
        files = [info for info in self._zip.infolist() if not info.is_dir()]
        self._members = {_safe(info.filename, error=UnusableArchive): info for info in files}
        self._refuse_bombs(max_bytes)

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        info = self._members.get(_safe(path)) or self._members.get(f"{self._only_folder()}/{_safe(path)}")
        if info is None:
            raise MissingAudio(f"{path} is missing from the ZIP.")
        if info.flag_bits & 0x1:
            raise MissingAudio(f"{path} is encrypted; make a ZIP without a password.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise MissingAudio(f"{path} is a link; put the file itself into the ZIP.")
        with tempfile.TemporaryFile() as copy:
            self._copy(info, copy)
            copy.seek(0)
            yield copy

    def _only_folder(self) -> str:
        """The folder that holds everything, as ZIPs made from a folder have it."""
        tops = {name.split("/", 1)[0] for name in self._members if not name.startswith("__MACOSX/")}
        return tops.pop() if len(tops) == 1 else ""

    def _refuse_bombs(self, max_bytes: int) -> None:
        total = sum(info.file_size for info in self._members.values())
        packed = sum(info.compress_size for info in self._members.values())
        if total > max_bytes:
            raise UnusableArchive(
                f"The ZIP unpacks to {total / 1024**2:.0f} MB; at most {max_bytes / 1024**2:.0f} MB are taken."
            )
        if total > MAX_RATIO * max(packed, 1) and total > 10 * CHUNK:
            raise UnusableArchive(f"The ZIP unpacks to more than {MAX_RATIO} times its size; audio does not.")

    def _copy(self, info: zipfile.ZipInfo, copy: IO[bytes]) -> None:
        limit, written = min(info.file_size, MAX_FILE_BYTES), 0
        try:
            with self._zip.open(info) as member:
                while chunk := member.read(CHUNK):
                    written += len(chunk)
                    if written > limit:
                        raise MissingAudio(f"{info.filename} is larger than the ZIP says, or than 1 GB.")
                    copy.write(chunk)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
            raise MissingAudio(f"{info.filename} cannot be unpacked: {error}.") from error


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
