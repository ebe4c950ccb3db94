"""What is known of a backup without reading all of it: a small file in its folder."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.utils import timezone

NOTES = "notes.json"


@dataclass(frozen=True)
class Notes:
    """`bytes` are of all its files, those shared with earlier backups included. `fault`: why its test failed."""

    made_at: str = ""
    rows: int = 0
    files: int = 0
    bytes: int = 0
    tested_at: str = ""
    fault: str = ""


def note_made(folder: Path, *, made_at: str, rows: int, files: int) -> None:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    _write(folder, Notes(made_at, rows, files, size))


def note_tested(folder: Path, *, fault: str = "") -> None:
    _write(folder, replace(read_notes(folder), tested_at=timezone.now().isoformat(), fault=fault))


def read_notes(folder: Path) -> Notes:
    """Empty where there are none: a backup of an earlier version, or one that cannot be read."""
    try:
        return Notes(**json.loads((folder / NOTES).read_text()))
    except (OSError, ValueError, TypeError):
        return Notes()


def _write(folder: Path, notes: Notes) -> None:
    half = folder / f".{NOTES}"
    half.write_text(json.dumps(asdict(notes), indent=1))
    half.replace(folder / NOTES)
