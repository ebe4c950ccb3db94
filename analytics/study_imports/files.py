"""The files of a study: a folder as `datasets` reads it, or the ZIP of one, which is unpacked first."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from django.conf import settings

from analytics.study_imports import reasons
from corpus.imports.files.audio_files import ZipAudio
from corpus.imports.files.parquet import DAMAGE
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.files.studies import ABOUT, FORMAT, ITEMS, JUDGEMENTS, JUDGES, PROTOCOL, VERDICTS
from protocols import Protocol, is_digest_of, to_document
from protocols.documents.yaml_files import InvalidYaml, from_yaml

NEEDED, OPTIONAL = (ITEMS, PROTOCOL, ABOUT), (JUDGEMENTS, VERDICTS, JUDGES)
#: Rows of items have sound in them.
ROWS_AT_ONCE = 50
#: What the file of a sound may be called: which kind it is, it says by its content.
KINDS = frozenset({".wav", ".flac", ".mp3", ".ogg", ".opus"})
Row = dict[str, Any]


class StudyFiles:
    """Raises UnreadableManifest where a file is missing or says nothing that can be understood."""

    def __init__(self, root: Path) -> None:
        self._root = root
        for name in NEEDED:
            if not (root / name).is_file():
                raise UnreadableManifest(reasons.STUDY_FILE_MISSING(file=name))

    def path(self, name: str) -> Path | None:
        """The file, where the study has it: tables without rows are left out of it."""
        path = self._root / name
        return path if path.is_file() else None

    def rows(self, name: str) -> Iterator[Row]:
        path = self.path(name)
        if path is None:
            return
        try:
            with pq.ParquetFile(path, pre_buffer=False) as file:  # in this thread, as corpus/imports/files/parquet.py
                for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False):
                    yield from batch.to_pylist()
        except DAMAGE as error:
            raise UnreadableManifest(reasons.STUDY_NO_PARQUET(file=name, why=error)) from error

    def about(self) -> Row:
        try:
            about = json.loads((self._root / ABOUT).read_text("utf-8"))
        except ValueError as error:
            raise UnreadableManifest(reasons.STUDY_NO_JSON(file=ABOUT, why=error)) from error
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise UnreadableManifest(reasons.STUDY_FORM(file=ABOUT, form=FORMAT))
        if not isinstance(about.get("target_lufs"), float | int | None):
            raise UnreadableManifest(reasons.STUDY_TARGET(file=ABOUT))
        return about

    def protocol(self) -> Protocol:
        try:
            protocol = from_yaml((self._root / PROTOCOL).read_text("utf-8"))
        except (InvalidYaml, UnicodeDecodeError) as error:
            raise UnreadableManifest(reasons.STUDY_PROTOCOL(file=PROTOCOL, why=error)) from error
        if not is_digest_of(str(self.about().get("protocol_digest")), to_document(protocol)):
            raise UnreadableManifest(reasons.STUDY_DIGEST(file=PROTOCOL, about=ABOUT))
        return protocol


def open_study(path: Path, work: Path) -> StudyFiles:
    """The study at this path; a ZIP is unpacked into `work`. Raises UnreadableManifest, UnusableArchive."""
    if path.is_dir():
        return StudyFiles(path)
    archive = ZipAudio(path, max_bytes=settings.MAX_ARCHIVE_BYTES)
    for name in (*NEEDED, *OPTIONAL):
        if archive.holds(name):
            archive.unpack(name, work / name)
    return StudyFiles(work)


def keep_sound(sound: Row | None, folder: Path) -> str:
    """The name of the sound's file in this folder, which is made; the same content is one file. Empty for none."""
    content = (sound or {}).get("bytes")
    if not content:
        return ""
    ending = Path(str((sound or {}).get("path") or "")).suffix.lower()
    name = f"{hashlib.sha256(content).hexdigest()}{ending if ending in KINDS else '.wav'}"
    if not (folder / name).is_file():
        (folder / name).write_bytes(content)
    return name
