"""One folder for each system becomes a manifest: items by the names of files, systems by those of folders."""

import csv
import io
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from corpus.imports.files.audio_files import UnusableArchive
from corpus.imports.files.zip_names import is_of_system, one_spelling
from corpus.imports.reasons import NO_FOLDERS

SOUND = (".wav", ".flac", ".mp3", ".ogg", ".opus")
#: Folders of what the systems were asked.
PROMPTS = re.compile(r"(prompts?|questions?|instructions?|inputs?)", re.IGNORECASE)
COLUMNS = ("item", "prompt_audio", "system", "response_audio")


def manifest_of_folders(names: Iterable[str]) -> str:
    """The manifest of these files, as CSV. Raises UnusableArchive where no folder has audio.

    >>> print(manifest_of_folders(["set/alpha/1.wav", "set/beta/1.wav", "set/prompts/1.wav", "set/notes.txt"]))
    item,prompt_audio,system,response_audio
    1,set/prompts/1.wav,alpha,set/alpha/1.wav
    1,set/prompts/1.wav,beta,set/beta/1.wav
    <BLANKLINE>
    """
    spelled = [one_spelling(name) for name in names]
    sounds = [PurePosixPath(name) for name in spelled if name.lower().endswith(SOUND) and not is_of_system(name)]
    below = len(_common(sounds))
    parts = {path: path.parts[below:] for path in sounds if len(path.parts) > below + 1}
    found = sorted((of[0], str(PurePosixPath(*of[1:]).with_suffix("")), path) for path, of in parts.items())
    prompts = {item: path for folder, item, path in found if PROMPTS.fullmatch(folder)}
    rows = [(item, prompts.get(item, ""), folder, path) for folder, item, path in found
            if not PROMPTS.fullmatch(folder)]  # fmt: skip
    if not rows:
        raise UnusableArchive(NO_FOLDERS())
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *sorted(rows, key=lambda row: (row[0], row[2]))])
    return text.getvalue()


METADATA = re.compile(r"(^|/)metadata\.(csv|jsonl)$")


def metadata_in(names: Iterable[str]) -> list[str]:
    """The files of metadata of an audio folder, as Hugging Face's libraries read them."""
    return [name for name in names if METADATA.search(one_spelling(name)) and not is_of_system(one_spelling(name))]


def with_folder(row: dict[str, Any], metadata: str) -> dict[str, Any]:
    """The row of metadata with the paths of its files from the folder of the ZIP, and not from its own.

    >>> with_folder({"file_name": "a.wav", "text": "Hi"}, "set/train/metadata.csv")
    {'file_name': 'set/train/a.wav', 'text': 'Hi'}
    """
    folder = PurePosixPath(one_spelling(metadata)).parent
    return {
        name: str(folder / str(cell)) if cell and (name == "file_name" or name.endswith("_file_name")) else cell
        for name, cell in row.items()
    }


def _common(paths: list[PurePosixPath]) -> tuple[str, ...]:
    """The folders that all files are in, as a ZIP made of one folder has them; not the only system's own."""
    if not paths:
        return ()
    folders = [path.parts[:-1] for path in paths]
    shared = 0
    while all(len(of) > shared + 1 and of[shared] == folders[0][shared] for of in folders):
        shared += 1
    return folders[0][:shared]
