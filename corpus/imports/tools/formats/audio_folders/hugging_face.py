"""Hugging Face datasets of sound: Parquet with the sound inside, and audio folders by their metadata.

In `metadata.csv` and `metadata.jsonl` the column `file_name`, or several that end so, name the files beside it.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import pyarrow.parquet as pq

from corpus.imports.files.parquet import DAMAGE, class_names, plain_row, unread_columns, with_class_names
from corpus.imports.files.parquet_audio import ParquetAudio, batches, name_inside, sound_columns
from corpus.imports.files.rows import MAX_TABLE_BYTES, Row, UnreadableManifest, place_in
from corpus.imports.mapping.guessing.guess import PLACES, guess_mapping
from corpus.imports.mapping.guessing.profile import ColumnProfile, Profile, profile_of
from corpus.imports.mapping.mapping import RESPONSES, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.reasons import NO_PARQUET, NO_ROWS, TABLE_TOO_LARGE
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import TEXT, Reason

FILE = "file_name"
#: The name of each recording without its ending, which is the item where no column says what that is.
STEM = "file (stem)"
PROMPTS = re.compile(r"prompt|question|instruction|input|source|reference")
TRANSCRIPTS = ("transcription", "transcript", "text", "sentence")
MOST_CLASSES = 20
#: The system of recordings of which nothing says whose they are.
ONE_SYSTEM = "recordings"


def _recognises(head: Head) -> bool:
    if head.kind == "parquet":
        return bool(head.sounds)
    return any(_names_files(name) for name in head.columns)


def _names_files(column: str) -> bool:
    return column == FILE or column.endswith(f"_{FILE}")


def _open(path: Path) -> Recognised:
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    return _parquet(path) if is_parquet else _folder(path)


def _folder(path: Path) -> Recognised:
    columns = next((list(row) for _, row in tool_rows(path)), [])
    if not columns:
        raise UnreadableManifest(NO_ROWS())
    files = [name for name in columns if _names_files(name)]
    rows = partial(_with_stems, partial(tool_rows, path), files[0])
    return _recognised(path, rows, files, reasons.AUDIO_FOLDER)


def _parquet(path: Path) -> Recognised:
    if (size := path.stat().st_size) > MAX_TABLE_BYTES:
        raise UnreadableManifest(TABLE_TOO_LARGE(gigabytes=f"{size / 1024**3:.1f}"))
    try:
        schema = pq.read_schema(path)
        files, classes = sound_columns(schema), class_names(schema)
        unread = {name: kind for name, kind in unread_columns(schema).items() if name not in files}
        inside = ParquetAudio(path)
    except DAMAGE as error:
        raise UnreadableManifest(NO_PARQUET(why=TEXT(text=str(error)[:200]))) from error
    rows = partial(_with_stems, partial(_rows_of_parquet, path, files, classes, unread), files[0])
    named = [reasons.CLASSES_NAMED(column=column, names=_numbered(names)) for column, names in classes.items()]
    return replace(_recognised(path, rows, files, reasons.PARQUET_WITH_SOUND, *named, unread=unread), files=inside)


def _numbered(names: list[str]) -> str:
    return ", ".join(f"{n} = {name}" for n, name in enumerate(names[:MOST_CLASSES]))


def _rows_of_parquet(
    path: Path, files: list[str], classes: dict[str, list[str]], unread: Collection[str]
) -> Iterator[tuple[int, Row]]:
    """The rows, with the name of each sound and of each class in its place."""
    number = 0
    try:
        for batch in batches(path):
            for row in batch.to_pylist():
                sounds = {name: name_inside(name, number, row[name]) for name in files}
                number += 1
                cells = plain_row(
                    {name: cell for name, cell in row.items() if name not in sounds and name not in unread}
                )
                yield number, with_class_names(cells, classes) | sounds
    except DAMAGE as error:
        raise UnreadableManifest(NO_PARQUET(why=TEXT(text=str(error)[:200]))) from error


def _with_stems(rows: Callable[[], Iterator[tuple[int, Row]]], file: str) -> Iterator[tuple[int, Row]]:
    for number, row in rows():
        yield number, row | {STEM: PurePosixPath(str(row.get(file) or "")).stem}


def _recognised(
    path: Path,
    rows: Callable[[], Iterator[tuple[int, Row]]],
    files: list[str],
    told: Callable[..., Reason],
    *more: Reason,
    unread: Mapping[str, str] = MappingProxyType({}),
) -> Recognised:
    profile = profile_of(rows())
    mapping = _mapping(profile, files)
    lost = (reasons.NAMED_ONE_SYSTEM(system=ONE_SYSTEM),) if ONE_SYSTEM in mapping.systems else ()
    return Recognised(
        told(n=profile.rows, columns=", ".join(files)),
        (*lost, *more),
        table=ForeignTable(
            rows, place_in(path), 0 if told is reasons.PARQUET_WITH_SOUND else path.stat().st_size, unread=unread
        ),
        mapping=mapping,
    )


def _mapping(profile: Profile, files: list[str]) -> TableMapping:
    """The guess of a table whose columns of files have the names that are usual for sound."""
    usual = {_usual(name, files): name for name in files}
    renamed = [
        replace(column, name=next((it for it, name in usual.items() if name == column.name), column.name))
        for column in profile.columns
        if column.name != STEM
    ]
    guessed = guess_mapping(Profile(profile.rows, [_as_sound(it) if it.name in usual else it for it in renamed]))
    uses = {usual.get(name, name): use for name, use in guessed.columns.items()}
    if len(files) == 1 and guessed.shape == RESPONSES and uses.get(files[0], Use("")).becomes == "response_audio":
        uses[files[0]] = Use("response_audio", ONE_SYSTEM if uses[files[0]].name else "")
        uses |= _words_of_recordings(profile, uses, uses[files[0]].name)
    if not any(use.becomes == "item" for use in uses.values()):
        uses[STEM] = Use("item")
    return TableMapping(guessed.shape, uses)


def _words_of_recordings(profile: Profile, uses: dict[str, Use], system: str) -> dict[str, Use]:
    """What the recordings say: the first column that is called so, unless another one has their words."""
    if any(use.becomes == "response_text" for use in uses.values()):
        return {}
    free = [it.name for it in profile.columns if it.name.casefold() in TRANSCRIPTS and it.name not in uses]
    return {name: Use("response_text", system) for name in free[:1]}


def _usual(name: str, files: list[str]) -> str:
    kind = name.removesuffix(FILE).strip("_ ") or ("audio" if name == FILE else name)
    if PROMPTS.search(kind) and len(files) > 1:
        return "prompt_audio"
    if PLACES.fullmatch(kind) and kind[-1:] in "ab12" and len(files) > 1:
        return f"audio_{kind[-1]}"
    return f"{kind}_audio" if kind != "audio" else "audio"


def _as_sound(column: ColumnProfile) -> ColumnProfile:
    """Files without an ending are sound all the same."""
    return replace(column, samples=[sample if "." in sample else f"{sample}.wav" for sample in column.samples])


TOOL = Tool("hugging_face", _recognises, _open)
