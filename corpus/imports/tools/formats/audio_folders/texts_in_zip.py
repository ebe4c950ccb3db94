"""What formats that are folders of recordings, in a ZIP, have in common."""

import json
from typing import Any

from corpus.imports.files.audio_files import MissingAudio, ZipAudio

MAX_BYTES = 20 * 1024**3
MAX_TEXT = 10 * 1024**2


def text_in(archive: ZipAudio, path: str) -> str:
    """The text of a file; nothing where there is none."""
    if not archive.holds(path):
        return ""
    with archive.open(path) as file:
        return file.read(MAX_TEXT).decode("utf-8-sig", errors="replace")


def json_in(archive: ZipAudio, path: str) -> Any:
    """The value of a file of JSON; None where there is none, and where it is none."""
    try:
        return json.loads(text_in(archive, path) or "null")
    except (ValueError, RecursionError, MissingAudio):
        return None
