"""What a backup says that it holds. The file can have been written by anybody, so nothing of it is taken on trust."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST = "manifest.json"


class BackupFailed(Exception):
    """The message is a sentence for whoever types the command."""


@dataclass(frozen=True)
class Manifest:
    """What a backup holds: rows by table, files by path with their SHA-256, and the last migration of each app.

    `dump` is the SHA-256 of the database's own file. `sums` adds up a hash of every row, by table (PostgreSQL).
    Raises TypeError for values of other types, and ValueError for a path that leads out of the folder.
    """

    made_at: str
    vendor: str
    migrations: dict[str, str]
    rows: dict[str, int]
    files: dict[str, str]
    dump: str = ""
    sums: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("made_at", "vendor", "dump"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} is no text")
        for name, kind in (("migrations", str), ("rows", int), ("files", str), ("sums", str)):
            if not _maps_to(getattr(self, name), kind):
                raise TypeError(f"{name} has other values than it should")
        if wrong := [path for path in self.files if not _is_inside(path)]:
            raise ValueError(f"{wrong[0]!r} is no path below the folder of files")


def read_manifest(folder: Path) -> Manifest:
    """Raises BackupFailed."""
    try:
        return Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BackupFailed(f"{folder} holds no backup: {error}") from error


def _maps_to(value: Any, kind: type) -> bool:
    return isinstance(value, Mapping) and all(type(it) is kind for it in value.values())


def _is_inside(path: str) -> bool:
    """
    >>> _is_inside("clips/ab/abc"), _is_inside("../clips"), _is_inside("/clips"), _is_inside("")
    (True, False, False, False)
    """
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts
