"""The recogniser that is always there: Moonshine tiny for English, carried by `moonshine-voice`. Times of lines."""

from functools import lru_cache
from threading import Lock
from typing import Any

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import RATE, Samples
from measurements.features.models.sources import carried, need
from measurements.features.speech.transcript import Line

_MODEL = ("assets", "tiny-en")
_ONE_AT_A_TIME = Lock()  # the library does not say that threads may share a recogniser


def missing() -> Reason | None:
    there = carried("moonshine_voice", *_MODEL, "encoder_model.ort")
    return None if there else reasons.NO_MOONSHINE()


def recognise(samples: Samples) -> list[Line]:
    with _ONE_AT_A_TIME:
        said = _transcriber().transcribe_without_streaming(samples.tolist(), RATE)
    return [Line(line.text, line.start_time, line.start_time + line.duration) for line in said.lines]


@lru_cache(maxsize=1)
def _transcriber() -> Any:
    from moonshine_voice.moonshine_api import ModelArch  # noqa: PLC0415 - its own onnxruntime: workers only
    from moonshine_voice.transcriber import Transcriber  # noqa: PLC0415

    options = {"return_audio_data": "false", "identify_speakers": "false"}
    return Transcriber(need("moonshine_voice", *_MODEL), ModelArch.TINY, options=options)
