"""Runs of τ-voice (tau2-bench with --verbose-logs), as a ZIP: the assistant's channel and words of every simulation.

Below a run's folder stand `artifacts/task_…/sim_…/audio/both.wav` (in older versions `tasks/…`), with the user on the
first channel and the assistant on the second, and the words of each as labels of Audacity: start, end, text.
"""

import re
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from corpus.imports.files.audio_files import ZipAudio
from corpus.imports.files.channels import Channels, channel_of
from corpus.imports.files.rows import Row
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.audio_folders.texts_in_zip import MAX_BYTES, text_in
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool

SOUND = re.compile(r"(?:(?P<run>.+)/)?(?:artifacts|tasks)/task_(?P<task>[^/]+)/sim_(?P<sim>[^/]+)/audio/both\.wav")
ASSISTANT = 1
LABELS, OWN_SOUND = "assistant_labels.txt", "assistant.wav"


def _recognises(head: Head) -> bool:
    return head.kind == "zip" and any(SOUND.fullmatch(name) for name in head.names)


def _open(path: Path) -> Recognised:
    archive = ZipAudio(path, max_bytes=MAX_BYTES)
    rows = list(_rows(path, archive))
    n_wordless = sum(not row["response_text"] for row in rows)
    lost = [reasons.USERS_CHANNEL()]
    if n_wordless:
        lost.append(reasons.CHANNELS_WITHOUT_WORDS(n=n_wordless))
    told = reasons.TAU_VOICE(n=len(rows), tasks=len({row["item"] for row in rows}),
                             systems=len({row["system"] for row in rows}))  # fmt: skip
    return Recognised(told, tuple(lost), responses=partial(enumerate, rows, 1), files=Channels(archive))


def _rows(path: Path, archive: ZipAudio) -> Iterator[Row]:
    with zipfile.ZipFile(path) as opened:
        names = sorted(info.filename for info in opened.infolist())
    for name in names:
        if not (found := SOUND.fullmatch(name)):
            continue
        folder = PurePosixPath(name).parent
        own = str(folder / OWN_SOUND)
        run = PurePosixPath(found["run"] or path.stem).name
        yield {
            "item": f"task_{found['task']}"[:200], "system": run[:200], "take": found["sim"],
            "response_text": _words(text_in(archive, str(folder / LABELS))),
            "response_audio": own if archive.holds(own) else channel_of(name, ASSISTANT),
        }  # fmt: skip


def _words(labels: str) -> str:
    cells = [line.split("\t", 2) for line in labels.splitlines()]
    return "\n".join(it[2].strip() for it in cells if len(it) == 3 and it[2].strip())


TOOL = Tool("tau_voice", _recognises, _open, has_no_sound=True)
