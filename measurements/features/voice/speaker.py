"""Who speaks: the embedding of Wan et al. (2018) with the weights that `Resemblyzer` carries.

The package itself would bring librosa and a compiled voice detector; only its weights are read.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import RATE, ClipSound, Earlier, Samples, Undefined, Value, given
from measurements.features.models.sources import carried, need
from measurements.features.sound.mel import mel_power

_WEIGHTS = "pretrained.pt"
_BANDS, _WINDOW, _HOP = 40, 400, 160
_PART, _STEP, _COVERAGE = 160, 77, 0.75  # frames; 1.3 parts a second
_HIDDEN, _LAYERS, _SIZE = 256, 3, 256
_LEVEL_DBFS = -30.0
_SHORTEST_S = 0.5
_AT_ONCE = 64


def missing() -> Reason | None:
    there = carried("resemblyzer", _WEIGHTS) and carried("torch")
    return None if there else reasons.NO_RESEMBLYZER()


def speaker(clip: ClipSound, earlier: Earlier) -> Value:
    """256 numbers of length 1 that are alike for one voice: their dot product with another clip's is the likeness.

    Computed from the speech regions. Raises Undefined for less than half a second of speech.
    """
    stretches = given(earlier, "voice_activity")["speech"]
    parts = [clip.mono[round(a * RATE) : round(b * RATE)] for a, b in stretches]
    speech = np.concatenate(parts) if parts else np.empty(0, np.float32)
    if len(speech) < _SHORTEST_S * RATE:
        raise Undefined(reasons.LITTLE_SPEECH())
    return [round(float(number), 6) for number in embedding(speech)]


def embedding(speech: Samples) -> NDArray[np.float32]:
    """The mean of the embeddings of parts of 1.6 s, length 1.

    All speech is brought to -30 dBFS: the network hears levels, and a voice should be itself at every level.
    """
    level = 10 * np.log10(max(1e-12, float(np.mean(np.square(speech, dtype=np.float64)))))
    level_gain = np.float32(10 ** ((_LEVEL_DBFS - level) / 20))
    starts = part_starts(len(speech))
    beyond = max(0, (starts[-1] + _PART) * _HOP - len(speech))
    padded = np.pad(speech * level_gain, (_WINDOW // 2, _WINDOW // 2 + beyond))
    mel = mel_power(padded, window=_WINDOW, hop=_HOP, bands=_BANDS, rate=RATE)
    parts = np.stack([mel[start : start + _PART] for start in starts])
    mean = np.concatenate([_embedded(parts[i : i + _AT_ONCE]) for i in range(0, len(parts), _AT_ONCE)]).mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def part_starts(samples: int) -> list[int]:
    """The frames at which parts begin. The last is left out if less than three quarters of it are speech."""
    frames = -(-(samples + 1) // _HOP)
    starts = list(range(0, max(1, frames - _PART + _STEP + 1), _STEP))
    covered = (samples / _HOP - starts[-1]) / _PART
    return starts[:-1] if covered < _COVERAGE and len(starts) > 1 else starts


def _embedded(parts: NDArray[np.float32]) -> NDArray[np.float32]:
    import torch  # noqa: PLC0415 - heavy: workers only

    recurrent, linear = _network()
    with torch.inference_mode():
        _all, (hidden, _cell) = recurrent(torch.from_numpy(parts))
        found = torch.relu(linear(hidden[-1]))
        return np.asarray((found / found.norm(dim=1, keepdim=True)).numpy())


@lru_cache(maxsize=1)
def _network() -> tuple[Any, Any]:
    import torch  # noqa: PLC0415 - heavy: workers only

    torch.set_num_threads(1)  # as everywhere here: processes are what is scaled
    kept = torch.load(need("resemblyzer", _WEIGHTS), map_location="cpu", weights_only=True)["model_state"]
    recurrent = torch.nn.LSTM(_BANDS, _HIDDEN, _LAYERS, batch_first=True)
    linear = torch.nn.Linear(_HIDDEN, _SIZE)
    for module, prefix in ((recurrent, "lstm."), (linear, "linear.")):
        module.load_state_dict(
            {name.removeprefix(prefix): it for name, it in kept.items() if name.startswith(prefix)}
        )
        module.eval()
    return recurrent, linear
