"""Full-Duplex-Bench, as a ZIP: a folder for each sample, with `input.wav` of the user and `output.wav` of a model.

Beside them stand the words that were recognised in them (`output.json`: `text` and `chunks`). A file may bear the
model's name (`moshi_output.wav`), and version 1.5 has every sample once more without what overlaps
(`clean_input.wav`, `clean_output.wav`). Where no file names its model, the folder above that of the task does.
"""

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from corpus.imports.files.audio_files import ZipAudio
from corpus.imports.files.rows import Row
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.audio_folders.texts_in_zip import MAX_BYTES, json_in
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool

INPUT, OUTPUT = "input.wav", "output.wav"
ONE_SYSTEM = "model"


def _recognises(head: Head) -> bool:
    return head.kind == "zip" and bool(_samples(head.names))


def _samples(names: tuple[str, ...] | list[str]) -> dict[PurePosixPath, list[str]]:
    """The names of the models' recordings, by the folders of samples."""
    found = defaultdict[PurePosixPath, list[str]](list)
    for name in sorted(names):
        if name.endswith(OUTPUT):
            found[PurePosixPath(name).parent].append(PurePosixPath(name).name)
    there = set(names)
    return {folder: of for folder, of in found.items() if str(folder / INPUT) in there}


def _open(path: Path) -> Recognised:
    archive = ZipAudio(path, max_bytes=MAX_BYTES)
    with zipfile.ZipFile(path) as opened:
        samples = _samples(opened.namelist())
    rows = [row for folder, outputs in samples.items() for row in _rows(archive, folder, outputs)]
    systems = {row["system"] for row in rows}
    lost = [reasons.WORDS_TIMES()]
    if n_wordless := sum(not row["response_text"] for row in rows):
        lost.append(reasons.CHANNELS_WITHOUT_WORDS(n=n_wordless))
    if ONE_SYSTEM in systems:
        lost.append(reasons.NO_MODEL_NAMED(system=ONE_SYSTEM))
    told = reasons.FULL_DUPLEX_BENCH(n=len(rows), items=len({row["item"] for row in rows}), systems=len(systems))
    return Recognised(told, tuple(lost), responses=partial(enumerate, rows, 1), files=archive)


def _rows(archive: ZipAudio, folder: PurePosixPath, outputs: list[str]) -> Iterator[Row]:
    for name in outputs:
        prefix = name.removesuffix(OUTPUT)
        of_condition = bool(prefix) and archive.holds(str(folder / f"{prefix}{INPUT}"))
        heard = folder / (f"{prefix}{INPUT}" if of_condition else INPUT)
        model = "" if of_condition else prefix.strip("_-. ")
        task = folder.parts[-2:] if len(folder.parts) > 1 else folder.parts
        yield {
            "item": " ".join(filter(None, ("/".join(task), prefix.strip("_-. ") if of_condition else "")))[:200],
            "category": folder.parts[-2][:100] if len(folder.parts) > 1 else "",
            "system": (model or (folder.parts[-3] if len(folder.parts) > 2 else ONE_SYSTEM))[:200],
            "prompt_audio": str(heard), "prompt_text": _words(archive, heard),
            "response_audio": str(folder / name), "response_text": _words(archive, folder / name),
        }  # fmt: skip


def _words(archive: ZipAudio, sound: PurePosixPath) -> str:
    found = json_in(archive, str(sound.with_suffix(".json")))
    return str(found.get("text") or "").strip() if isinstance(found, dict) else ""


TOOL = Tool("full_duplex_bench", _recognises, _open, has_no_sound=True)
