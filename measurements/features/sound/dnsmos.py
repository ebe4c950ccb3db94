"""DNSMOS in its personalised form (SIG, BAK, OVRL) and P.808 MOS, with the networks that `speechmos` carries.

Reddy et al. (2021, 2022). The networks score windows of 9.01 s, a second apart, and the scores are averaged. Nearly
all of the work is four convolutions of three frames each, whose values inside a window depend on four frames to
either side and on nothing else: they are made once for all windows that overlap, and only the four frames at each
end of a window, where the original sees zeros, are made per window. Scores agree with the original's to 3e-6.
"""

import math
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import RATE, ClipSound, Earlier, Samples, Undefined, Value
from measurements.features.models.networks import part, whole
from measurements.features.models.sources import carried, need
from measurements.features.sound.mel import mel_power

#: `reference`: the windows that the published code scores. It reckons the end as int((k + 9.01) * 16000), which
#: for k = 7 to 23 is one sample short, and drops those windows: of a clip of 30 s only the first 16 s are scored.
#: `every_window`: all of them.
Rule = Literal["reference", "every_window"]

WINDOW_S = 9.01
_WINDOW = int(WINDOW_S * RATE)
_FRAME, _HOP = 320, 160
_FRAMES, _PER_SECOND = 900, 100
_EDGE = 8  # frames in, of which the four next to the end of the window come out
_ROWS, _ROWS_INSIDE = 50, 446  # after the first pooling: per second, and in a window without its ends

_FRONT, _POOLED, _OUT = "mos_estimator_logpow/concat:0", "mos_estimator_logpow/conv2d_3/Relu:0_pooling0", "Identity:0"
#: The published polynomials of personalised DNSMOS, highest power first: SIG, BAK, OVRL.
_POLYNOMIALS = (
    (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
    (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
    (-0.00533021, 0.005101, 1.18058466, -0.11236046),
)
_MEL_WINDOW, _MEL_BANDS, _MEL_SAMPLES = 321, 120, 144_000
_NAMES = ("sig", "bak", "ovrl")


def missing() -> Reason | None:
    there = (
        all(carried("speechmos", *path) for path in (_PRIMARY, _P808)) and carried("onnx") and carried("onnxruntime")
    )
    return None if there else reasons.NO_SPEECHMOS()


_PRIMARY, _P808 = ("pdnsmos_models", "sig_bak_ovr.onnx"), ("dnsmos_models", "model_v8.onnx")


def quality(clip: ClipSound, _earlier: Earlier, *, rule: Rule = "reference") -> Value:
    """Four scores of 1 to 5, and at which level and over how many windows they were taken.

    Clips that are shorter than a window are doubled until they are not, as in the original. Raises Undefined for a
    clip without samples and for digital silence (which the networks would call 2.2).
    """
    samples = clip.mono
    if not len(samples) or not samples.any():
        raise Undefined(reasons.SILENCE_NO_QUALITY())
    level = 20 * math.log10(math.sqrt(float(np.mean(np.square(samples, dtype=np.float64)))))
    while len(samples) < _WINDOW:
        samples = np.concatenate([samples, samples])
    scored, last = windows(len(samples), rule), window_count(len(samples))
    raw = np.array(list(_primary(samples, scored)), np.float64)
    means = [float(np.polyval(terms, raw[:, i]).mean()) for i, terms in enumerate(_POLYNOMIALS)]
    return {
        **{name: round(mean, 6) for name, mean in zip(_NAMES, means, strict=True)},
        "p808": round(float(np.mean(list(_p808(samples, scored)))), 6),
        "level_dbfs": round(level, 2),
        "windows": len(scored),
        "windows_dropped": last - len(scored),
        "rule": rule,
    }


def every_window(clip: ClipSound, earlier: Earlier) -> Value:
    """The same over every window, for clips of which the published code leaves some out."""
    return quality(clip, earlier, rule="every_window")


def window_count(frames: int) -> int:
    """How many windows a clip of `frames` samples has."""
    return int(np.floor(frames / RATE) - WINDOW_S) + 1


def windows(frames: int, rule: Rule) -> list[int]:
    """The seconds at which windows begin that are scored.

    >>> windows(30 * 16_000, "reference")
    [0, 1, 2, 3, 4, 5, 6]
    """
    seconds = range(window_count(frames))
    if rule == "every_window":
        return list(seconds)
    return [k for k in seconds if int((k + WINDOW_S) * RATE) - k * RATE >= _WINDOW]


def _primary(samples: Samples, scored: list[int]) -> Iterator[NDArray[np.float32]]:
    """The three raw scores of each window, in order."""
    for first, count in _runs(scored):
        yield from _run_of_windows(samples[first * RATE : (first + count - 1) * RATE + _WINDOW], count)


def _runs(seconds: list[int]) -> Iterator[tuple[int, int]]:
    """Windows that follow one another, as (first, how many)."""
    breaks = [i for i, second in enumerate(seconds) if i == 0 or second != seconds[i - 1] + 1]
    for start, end in zip(breaks, [*breaks[1:], len(seconds)], strict=True):
        yield seconds[start], end - start


def _run_of_windows(samples: Samples, count: int) -> Iterator[NDArray[np.float32]]:
    """Raw scores of `count` windows a second apart. Ten seconds of activations are held at a time."""
    network = need("speechmos", *_PRIMARY)
    cut = partial(part, network, _FRONT, _POOLED)
    inside, at_start, at_end, rest = cut((0, 0)), cut((1, 0)), cut((0, 1)), part(network, _POOLED, _OUT)
    frames = _frames(samples)
    held: deque[NDArray[np.float32]] = deque(maxlen=_FRAMES // _PER_SECOND)
    for second in range(count + 8):
        begin = second * _PER_SECOND
        held.append(inside(frames[np.newaxis, begin : begin + _PER_SECOND + _EDGE]))
        if second >= 8:
            window = frames[begin - 8 * _PER_SECOND :][:_FRAMES]
            left, right = at_start(window[np.newaxis, :_EDGE]), at_end(window[np.newaxis, -_EDGE:])
            middle = np.concatenate(held, axis=2)[:, :, :_ROWS_INSIDE]
            yield rest(np.concatenate([left, middle, right], axis=2))[0]


def _frames(samples: Samples) -> Samples:
    """Frames of 320 samples, 160 apart, as the network's own first layer cuts them."""
    halves = samples[: len(samples) // _HOP * _HOP].reshape(-1, _HOP)
    return np.concatenate([halves[:-1], halves[1:]], axis=1)


def _p808(samples: Samples, scored: list[int]) -> Iterator[float]:
    """P.808 MOS of each window, in order.

    A window's spectrum is scaled to its own loudest band, so the network runs on each; the spectrum is made once,
    but for a window's first and last frame, which the original pads with zeros.
    """
    network = whole(need("speechmos", *_P808))
    centred = partial(mel_power, window=_MEL_WINDOW, hop=_HOP, bands=_MEL_BANDS, rate=RATE)
    reach = _MEL_WINDOW // 2
    mel = centred(np.pad(samples, reach))
    for second in scored:
        heard = samples[second * RATE :][:_MEL_SAMPLES]
        first, last = centred(np.pad(heard[: reach + 1], (reach, 0))), centred(np.pad(heard[-2 * reach :], (0, 1)))
        between = mel[second * _PER_SECOND + 1 : second * _PER_SECOND + _FRAMES - 1]
        scaled = _scaled_decibels(np.concatenate([first, between, last]))
        yield float(network.run(None, {"input_1": scaled[np.newaxis]})[0][0, 0])


def _scaled_decibels(power: NDArray[np.float32]) -> NDArray[np.float32]:
    """Decibels under the loudest, at most 80, brought to -1 … 1."""
    decibels = 10 * np.log10(np.maximum(1e-10, power)) - 10 * np.log10(max(1e-10, float(power.max())))
    scaled: NDArray[np.float32] = ((np.maximum(decibels, -80.0) + 40) / 40).astype(np.float32)
    return scaled
