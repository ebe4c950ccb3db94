"""Whisper by `faster-whisper`, with times of words: from a folder, a cache, or a hub when allowed."""

from functools import lru_cache, partial
from typing import Any

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import Samples
from measurements.features.models.sources import Sources, carried, model_at, why_not_there
from measurements.features.speech.transcript import Line, Word

_HAS = "model.bin"


def name_of(whisper: str) -> str:
    """The model's name on the hub: a size means the conversion that faster-whisper's authors publish.

    >>> name_of("tiny.en"), name_of("somebody/whisper-de")
    ('Systran/faster-whisper-tiny.en', 'somebody/whisper-de')
    """
    return whisper if "/" in whisper else f"Systran/faster-whisper-{whisper}"


def missing(sources: Sources) -> Reason | None:
    if not carried("faster_whisper"):
        return reasons.NO_WHISPER()
    return why_not_there(sources, name_of(sources.whisper), must_have=_HAS)


def recognise(samples: Samples, *, sources: Sources) -> list[Line]:
    found, _about = _model(sources).transcribe(
        samples, beam_size=5, word_timestamps=True, condition_on_previous_text=False, vad_filter=True
    )
    return [Line(it.text, it.start, it.end, tuple(map(_word, it.words or ()))) for it in found]


def recogniser(sources: Sources) -> Any:
    return partial(recognise, sources=sources)


def _word(heard: Any) -> Word:
    return Word(heard.word.strip(), float(heard.start), float(heard.end))


@lru_cache(maxsize=1)
def _model(sources: Sources) -> Any:
    from faster_whisper import WhisperModel  # noqa: PLC0415 - CTranslate2: workers only

    place = model_at(sources, name_of(sources.whisper), must_have=_HAS)
    cache = str(sources.cache) if sources.cache else None
    # float32 on one thread: the same words on every processor.
    return WhisperModel(
        place, device="cpu", compute_type="float32", cpu_threads=1, num_workers=1, download_root=cache,
        local_files_only=not sources.may_download,
    )  # fmt: skip
