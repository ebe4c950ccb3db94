"""Speech regions, by the network in the package `silero-vad`; the shares and pauses that follow."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import RATE, ClipSound, Earlier, Samples, Undefined, Value
from measurements.features.models.networks import whole
from measurements.features.models.sources import carried, need

_NETWORK = ("data", "silero_vad_16k_sequence.onnx")
_FRAME, _CONTEXT, _AT_ONCE = 512, 64, 512
#: Speech begins at the first, ends at the second: the package's own defaults, as are the times below.
STARTS, ENDS = 0.5, 0.35
_SHORTEST_SPEECH, _SHORTEST_GAP, _PADDING = 0.25, 0.1, 0.03


@dataclass(frozen=True)
class Stretch:
    """A stretch of time in seconds."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


def missing() -> Reason | None:
    there = carried("silero_vad", *_NETWORK) and carried("onnxruntime")
    return None if there else reasons.NO_SILERO()


def voice_activity(clip: ClipSound, _earlier: Earlier) -> Value:
    """Speech as stretches of time, its share of the clip, and the pauses between stretches, in seconds.

    Raises Undefined for a clip without samples. A clip without speech has a share of 0, and no pauses.
    """
    if not len(clip.mono):
        raise Undefined(reasons.NO_SAMPLES())
    speech = speech_in(clip.mono)
    pauses = [round(b.start - a.end, 3) for a, b in pairwise(speech)]
    spoken = sum(stretch.seconds for stretch in speech)
    return {
        "speech": [[round(stretch.start, 3), round(stretch.end, 3)] for stretch in speech],
        "speech_s": round(spoken, 3),
        "clip_s": round(clip.seconds, 3),
        "speech_share": round(min(1.0, spoken / clip.seconds), 4),
        "pauses": len(pauses),
        "pauses_s": round(sum(pauses), 3),
        "longest_pause_s": max(pauses, default=0.0),
    }


def speech_in(samples: Samples) -> list[Stretch]:
    """Stretches of speech of at least 250 ms, more than 100 ms apart, each widened by 30 ms."""
    found = stretches(speech_probabilities(samples))
    end = len(samples) / RATE
    widened: list[Stretch] = []
    for stretch in found:
        start = max(0.0, stretch.start - _PADDING)
        if widened and start < widened[-1].end:
            start = middle = (stretch.start + found[len(widened) - 1].end) / 2
            widened[-1] = Stretch(widened[-1].start, middle)
        widened.append(Stretch(start, min(end, stretch.end + _PADDING)))
    return widened


def speech_probabilities(samples: Samples) -> NDArray[np.float32]:
    """The probability of speech in each 32 ms; the last frame is filled up with zeros."""
    network = whole(need("silero_vad", *_NETWORK))
    hidden = cell = np.zeros((1, 1, 128), np.float32)
    frames = np.pad(samples, (_CONTEXT, -len(samples) % _FRAME))
    views = np.lib.stride_tricks.sliding_window_view(frames, _CONTEXT + _FRAME)[::_FRAME]
    found = []
    for start in range(0, len(views), _AT_ONCE):
        block = np.ascontiguousarray(views[start : start + _AT_ONCE])
        chances, hidden, cell = network.run(["speech_probs", "hn", "cn"], {"input": block, "h": hidden, "c": cell})
        found.append(chances.reshape(-1))
    return np.concatenate(found)


def stretches(probabilities: NDArray[np.float32]) -> list[Stretch]:
    """Speech from the first frame at 0.5 until the first below 0.35 that 100 ms of the same follow.

    >>> stretches(np.array([0.1] + [0.9] * 10 + [0.1] * 5, np.float32))
    [Stretch(start=0.032, end=0.352)]
    """
    step, found = _FRAME / RATE, []
    start: float | None = None
    quiet: float | None = None
    for i, chance in enumerate(probabilities):
        at = i * step
        if chance >= STARTS:
            start, quiet = at if start is None else start, None
        elif start is not None and chance < ENDS:
            quiet = at if quiet is None else quiet
            if at - quiet >= _SHORTEST_GAP:
                found.append(Stretch(start, quiet))
                start = quiet = None
    if start is not None:
        found.append(Stretch(start, len(probabilities) * step))
    return [stretch for stretch in found if stretch.seconds > _SHORTEST_SPEECH]
