"""The synthetic voices of the demo: a good one and two plain ones, all carried by installed packages."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import soundfile

from corpus.demo.defects import Samples, flatten_pitch


class Speech(NamedTuple):
    """Mono float32 samples, shape (n,), full scale ±1.0, and their rate in Hz."""

    samples: Samples
    rate: int


class HibariVoice:
    """An American English voice; safe to share between threads."""

    def __init__(self) -> None:
        from hibari import Hibari, dsp  # noqa: PLC0415 - onnxruntime: never in a web request

        self._model = Hibari(threads=1)
        self._render = dsp.synth
        # The lexicon loads at the first word; two threads would load it twice.
        self._model.phonemize("No problems found.")

    def speak(self, text: str, *, rng: np.random.Generator, speed: float = 1.0, pitch_spread: float = 1.0) -> Speech:
        """Say `text` at `speed` times the usual pace (0.5 to 2.0), F0 excursions scaled by `pitch_spread`.

        `rng` draws the breath noise: the same state gives the same samples.
        """
        sentences = [self._predict(phonemes, speed) for phonemes in self._model.phonemize(text)]
        *spectrum, f0 = (np.concatenate(tracks, axis=-1) for tracks in zip(*sentences, strict=True))
        samples = self._render(*spectrum, flatten_pitch(f0, spread=pitch_spread), rng)
        return Speech(samples, self._model.sample_rate)

    def _predict(self, phonemes: str, speed: float) -> list[Samples]:
        """Return five spectral tracks, each (601, frames), and the F0 track, (frames,), of one sentence."""
        ids = np.array([self._model.ids(phonemes)], np.int64)
        tracks = self._model.sess.run(None, {"ids": ids, "speed": np.array([speed], np.float32)})
        return [track[0] for track in tracks]


@cache
def hibari_voice() -> HibariVoice:
    """The one of this process: to load its model and its lexicon takes most of a second."""
    return HibariVoice()


def nanotts_speech(text: str, *, voice: str) -> Speech:
    """Say `text` with a NanoTTS voice ("en-GB" or "en-US"); angle brackets in it would be read as markup.

    Each call is a process of its own: the engine reads memory it never wrote, so only fresh ones agree.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        # At the engine's own volume the loudest vowels are clipped.
        options = ["--voice", voice, "--volume", "0.5", "--output", str(path)]
        command = [sys.executable, "-m", "py_nanotts", *options, "--", text]
        subprocess.run(command, check=True)  # noqa: S603 - our interpreter
        samples, rate = soundfile.read(path, dtype="float32")
    return Speech(samples, rate)
