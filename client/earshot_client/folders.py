"""A folder of recordings as what the server takes: its manifest, and a ZIP of its audio that is always the same."""

import csv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from earshot_client.problems import EarshotError

AUDIO = frozenset({".wav", ".flac", ".mp3", ".ogg"})
COLUMNS = ("item", "system", "prompt_text", "prompt_audio", "response_audio")
#: The folder that is no system.
PROMPTS = "prompts"
MANIFESTS = tuple(f"manifest{ending}" for ending in (".csv", ".jsonl", ".json", ".parquet"))


def manifest_in(folder: Path) -> Path | None:
    """The manifest, by its name; None where the folder has one folder for each system."""
    return next((found for name in MANIFESTS if (found := folder / name).is_file()), None)


def audio_in(folder: Path) -> list[Path]:
    """The recordings below the folder, sorted. Hidden files and folders are passed over."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in AUDIO
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def written_manifest(folder: Path, into: Path, *, prompt: str = "") -> Path:
    """A manifest of a folder that has none: a folder for each system, and equally named recordings in it.

    What was asked is `prompts/NAME.txt`, `prompts/NAME.wav` or both; else `prompt`, or the name of the recording.
    """
    rows = []
    for path in audio_in(folder):
        system, *within = path.relative_to(folder).parts
        if system == PROMPTS or not within:
            continue
        item = Path(*within).with_suffix("").as_posix()
        text, sound = _prompt(folder / PROMPTS, item)
        asked = text or ("" if sound else prompt or item)
        rows.append([item, system, asked, sound and f"{PROMPTS}/{sound}", path.relative_to(folder).as_posix()])
    if not rows:
        names = ", ".join(MANIFESTS)
        raise EarshotError(f"{folder} has neither a manifest ({names}) nor a folder with audio for each system.")
    with into.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return into


def _prompt(prompts: Path, item: str) -> tuple[str, str]:
    """Its text, and the path of its recording below the prompts; empty where there is none."""
    text = prompts / f"{item}.txt"
    sound = next((f"{item}{ending}" for ending in sorted(AUDIO) if (prompts / f"{item}{ending}").is_file()), "")
    return (text.read_text(encoding="utf-8").strip() if text.is_file() else ""), sound


@contextmanager
def zipped(folder: Path) -> Iterator[Path]:
    """A ZIP of the recordings, for as long as it is needed.

    Audio hardly gets smaller, so nothing is compressed; dates are left out, so that the same recordings make the
    same file and an upload that was interrupted can continue.
    """
    if not (files := audio_in(folder)):
        raise EarshotError(f"There is no audio in {folder}: {', '.join(sorted(AUDIO))} are looked for.")
    with TemporaryDirectory(prefix="earshot-") as temporary:
        archive = Path(temporary) / "audio.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as into:
            for path in files:
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                entry.external_attr = 0o644 << 16
                with path.open("rb") as source, into.open(entry, "w", force_zip64=True) as target:
                    while block := source.read(2**20):
                        target.write(block)
        yield archive
