"""Six demo systems, five of them with one planted fault, and the data set they speak."""

import csv
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import soundfile

from corpus.demo.defects import add_white_noise, amplitude, clip_hard
from corpus.demo.script import DEMO_ITEMS, DemoItem
from corpus.demo.voices import HibariVoice, Speech, hibari_voice, nanotts_speech

#: What the data set is called in an installation.
DEMO_DATASET = "Demo: six synthetic voices"
PROMPT_VOICE = "en-GB"
PEAK_DBFS = -3.0
COLUMNS = (
    "item",
    "turn",
    "category",
    "prompt_text",
    "prompt_audio",
    "system",
    "response_text",
    "response_audio",
)


@dataclass(frozen=True)
class Reading:
    """What the voice is told to do: which words, at what multiple of its pace and of its F0 spread."""

    wrong_words: bool = False
    speed: float = 1.0
    pitch_spread: float = 1.0

    def words(self, item: DemoItem) -> str:
        return item.wrong_answer if self.wrong_words else item.answer


@dataclass(frozen=True)
class DemoSystem:
    """One system: a reading, then at most one fault done to the sound (noise or clipping, in dB)."""

    name: str
    description: str
    reading: Reading = Reading()
    snr_db: float | None = None
    drive_db: float | None = None


DEMO_SYSTEMS = (
    DemoSystem("aurora", "Clean: the right answer in a natural voice, with no planted fault."),
    DemoSystem("breeze", "Noisy: white noise at a signal-to-noise ratio of 10 dB.", snr_db=10.0),
    DemoSystem("cinder", "Distorted: driven 20 dB over full scale and clipped hard.", drive_db=20.0),
    DemoSystem("dune", "Hurried: the right answer at 1.8 times the natural pace.", Reading(speed=1.8)),
    DemoSystem("ember", "Monotone: the right answer on one flat pitch.", Reading(pitch_spread=0.0)),
    DemoSystem("flint", "Inattentive: fluent speech that does not serve the request.", Reading(wrong_words=True)),
)


def write_demo_dataset(folder: Path, *, seed: int = 20) -> Path:
    """Synthesise all prompts and responses as 16-bit FLAC under `folder`; return its manifest's path.

    The manifest has one row per item and system, with paths relative to `folder`. The same seed writes the
    same bytes.
    """
    for speaker in ("prompts", *(system.name for system in DEMO_SYSTEMS)):
        (folder / "audio" / speaker).mkdir(parents=True, exist_ok=True)
    rngs = np.random.default_rng(seed).spawn(len(DEMO_ITEMS))
    with ThreadPoolExecutor(max_workers=2) as pool:
        rows = pool.map(partial(_write_item, folder, hibari_voice()), DEMO_ITEMS, rngs)
        return _write_manifest(folder / "manifest.csv", chain.from_iterable(rows))


def _write_item(folder: Path, voice: HibariVoice, item: DemoItem, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Write one item's prompt and its responses; return its manifest rows."""
    prompt_audio = f"audio/prompts/{item.key}.flac"
    _write_flac(folder / prompt_audio, _at_peak(nanotts_speech(item.prompt, voice=PROMPT_VOICE), PEAK_DBFS))
    spoken = _readings(item, voice=voice, rng=rng)
    rows: list[tuple[str, ...]] = []
    for system in DEMO_SYSTEMS:
        audio = f"audio/{system.name}/{item.key}.flac"
        _write_flac(folder / audio, _with_fault(system, spoken[system.reading], rng=rng))
        words = system.reading.words(item)
        rows.append((item.key, "1", item.category, item.prompt, prompt_audio, system.name, words, audio))
    return rows


def _readings(item: DemoItem, *, voice: HibariVoice, rng: np.random.Generator) -> dict[Reading, Speech]:
    """Return each distinct reading once: three of the systems share the plain one."""
    readings = dict.fromkeys(system.reading for system in DEMO_SYSTEMS)
    return {
        reading: voice.speak(reading.words(item), rng=rng, speed=reading.speed, pitch_spread=reading.pitch_spread)
        for reading in readings
    }


def _with_fault(system: DemoSystem, speech: Speech, *, rng: np.random.Generator) -> Speech:
    if system.drive_db is not None:
        # From a peak of 0 dBFS, so that the drive is the overload; what is clipped stays at full scale.
        loud = _at_peak(speech, 0.0)
        return Speech(clip_hard(loud.samples, drive_db=system.drive_db), loud.rate)
    if system.snr_db is not None:
        speech = Speech(add_white_noise(speech.samples, snr_db=system.snr_db, rng=rng), speech.rate)
    return _at_peak(speech, PEAK_DBFS)


def _at_peak(speech: Speech, level_dbfs: float) -> Speech:
    peak = float(np.abs(speech.samples).max())
    if peak == 0.0:
        raise ValueError("silence has no peak to set")
    return Speech(speech.samples * np.float32(amplitude(level_dbfs) / peak), speech.rate)


def _write_flac(path: Path, speech: Speech) -> None:
    soundfile.write(path, speech.samples, speech.rate, format="FLAC", subtype="PCM_16")


def _write_manifest(path: Path, rows: Iterable[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as manifest:
        writer = csv.writer(manifest, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return path
