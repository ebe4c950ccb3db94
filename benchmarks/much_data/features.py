"""Features per clip beside the reference pipeline's same stages, in the same run, on one thread.

    python -m benchmarks.much_data.features [folder of clips]

The reference is written after TRACE's description (appendix C): librosa loads the clip, `speechmos` scores it as is,
with the plain network beside the personalised one (the published code runs both and throws one away), librosa
measures pitch and pyloudnorm loudness. Without recognition of speech, which both would do alike. What is timed is the
processor's time, in turns, and of three rounds (one for clips over 30 s) the least is taken: other work on the
machine can only add to it.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import librosa
import numpy as np
import onnxruntime
import pyloudnorm
from numpy.typing import NDArray
from speechmos import dnsmos

from benchmarks.timing import on_one_thread
from corpus.audio.reading import Sound, read_sound
from measurements.features.blueprint import blueprint, out_of_five
from measurements.features.contract import ClipSound
from measurements.features.extracting import extract
from measurements.features.registry import with_needed
from tests.measurements.features.speech import said

CLIPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "audio" / "clips"
ROUNDS, LONG_S = 3, 30
STAGES = ("quality", "pitch", "loudness", "voice_activity")
NAMES = {
    "DNSMOS_Personalized_Signal_Quality": "sig_mos",
    "DNSMOS_Personalized_Background_Quality": "bak_mos",
    "DNSMOS_Personalized_Overall_Quality": "ovrl_mos",
    "P808_Overall_Quality": "p808_mos",
}
Strings = dict[str, str]


@dataclass
class Times:
    """Seconds of processor for one clip: ours, the reference with and without the network it throws away."""

    name: str
    seconds: float
    ours: float
    reference: float
    discarded: float


def main() -> None:
    on_one_thread("benchmarks.much_data.features")
    dnsmos.ort = SimpleNamespace(InferenceSession=_one_thread)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CLIPS
    clips = {path.stem: read_sound(path, name=path.name) for path in sorted(folder.glob("*.flac"))}
    demo = {f"demo speech at {speed}": _sound(said(speed=speed)) for speed in (0.6, 1.0, 1.8)}
    for work in (ours, reference, discarded):  # loads what it needs
        work(_sound(said()))
    print(
        f"{'clip':<34}{'s':>7}{'ours':>10}{'× real time':>13}{'reference':>11}{'times':>7}{'without discarded':>19}"
    )
    measured = [_measured(name, sound) for name, sound in sorted((clips | demo).items(), key=_length)]
    _totals(measured)


def _length(named: tuple[str, Sound]) -> float:
    return named[1].seconds


def _measured(name: str, sound: Sound) -> Times:
    """The least time of each, over rounds in turn; the quality strings have to be identical."""
    taken: dict[Callable[[Sound], Any], list[float]] = {ours: [], reference: [], discarded: []}
    said_by: dict[Callable[[Sound], Any], Strings] = {}
    for _ in range(ROUNDS if sound.seconds < LONG_S else 1):
        for work, times in taken.items():
            begin = time.process_time()
            said_by[work] = work(sound)
            times.append(time.process_time() - begin)
    if said_by[ours] != said_by[reference]:
        sys.exit(f"{name}: {said_by[ours]} is not {said_by[reference]}")
    found = Times(name, sound.seconds, *(min(times) for times in taken.values()))
    both = found.reference + found.discarded
    print(
        f"{name:<34}{found.seconds:>7.1f}{found.ours / found.seconds:>8.3f} /s{found.seconds / found.ours:>11.1f} ×"
        f"{both / found.seconds:>9.3f} /s{both / found.ours:>6.1f}{found.reference / found.ours:>16.1f}",
        flush=True,
    )
    return found


def _totals(measured: list[Times]) -> None:
    ours = sum(it.ours for it in measured)
    both, alone = sum(it.reference + it.discarded for it in measured), sum(it.reference for it in measured)
    print(f"Quality strings identical in {len(measured)} of {len(measured)} clips.")
    _say("all clips together, faster than the reference", both / ours, 4)
    print(f"  (without the network that is thrown away {alone / ours:.1f} times)")
    _say(
        "slowest clip of 9 s and more, × real time",
        min(it.seconds / it.ours for it in measured if it.seconds >= 9),
        12,
    )
    _say("slowest shorter clip, × real time", min(it.seconds / it.ours for it in measured if it.seconds < 9), 6)


def _say(what: str, found: float, target: float) -> None:
    print(f"{what}: {found:.1f}, target {target}: {'met' if found >= target else 'MISSED'}")


def ours(sound: Sound) -> Strings:
    """What the blueprint needs but words: quality, pitch, loudness and voice activity."""
    found = extract(ClipSound(sound), with_needed(STAGES))
    strings: Strings = blueprint(found).vector["agent_audio_quality"]
    return strings


def reference(sound: Sound) -> Strings:
    samples = _loaded(sound)
    scores = _scored(samples, personalised=True)
    _pitch(samples)
    _loudness(samples)
    return {name: out_of_five(float(scores[theirs])) for name, theirs in NAMES.items()}


def discarded(sound: Sound) -> Strings:
    """The plain network over the same windows, as the published code runs it before it takes the other's scores."""
    network = _scorer(personalised=False).onnx_sess
    samples = _loaded(sound)
    while len(samples) < 144_160:
        samples = np.append(samples, samples)
    for k in range(int(np.floor(len(samples) / 16_000) - 9.01) + 1):
        window = samples[int(k * 16_000) : int((k + 9.01) * 16_000)]
        if len(window) == 144_160:
            network.run(None, {"input_1": window[np.newaxis]})
    return {}


def _loaded(sound: Sound) -> NDArray[np.float32]:
    mono = librosa.to_mono(sound.samples.T)
    resampled: NDArray[np.float32] = librosa.resample(mono, orig_sr=sound.rate, target_sr=16_000)
    return resampled.clip(-1, 1)


def _scored(samples: NDArray[np.float32], *, personalised: bool) -> dict[str, Any]:
    scores: dict[str, Any] = _scorer(personalised=personalised)(samples, 16_000, personalised)
    return scores


@cache
def _scorer(*, personalised: bool) -> Any:
    folder = Path(dnsmos.__file__).parent
    primary = folder / ("pdnsmos_models" if personalised else "dnsmos_models") / "sig_bak_ovr.onnx"
    return dnsmos.DNSMOS(str(primary), str(folder / "dnsmos_models" / "model_v8.onnx"))


def _pitch(samples: NDArray[np.float32]) -> None:
    librosa.yin(samples, fmin=80, fmax=300, sr=16_000)


def _loudness(samples: NDArray[np.float32]) -> None:
    meter = pyloudnorm.Meter(16_000)
    meter.integrated_loudness(samples.astype(np.float64))
    size = max(len(samples) // 20, 6_400)
    for start in range(0, len(samples) - size + 1, size):
        meter.integrated_loudness(samples[start : start + size].astype(np.float64))


def _one_thread(path: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options)


def _sound(samples: NDArray[np.float32]) -> Sound:
    return Sound(samples=samples[:, np.newaxis], rate=16_000, container="WAV", encoding="FLOAT")


if __name__ == "__main__":
    main()
