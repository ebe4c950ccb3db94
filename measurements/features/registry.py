"""The extractors. A new one is a module, a line here, a test and a line in docs/reference/features.md."""

from collections.abc import Iterable
from functools import lru_cache, partial

from infrastructure.wording.phrases import Phrase
from measurements.features.contract import Extractor
from measurements.features.models.sources import NOTHING, Sources, installed
from measurements.features.sound import dnsmos
from measurements.features.sound.loudness import loudness
from measurements.features.speech import moonshine, whisper
from measurements.features.speech.rates import rates
from measurements.features.speech.transcript import transcript
from measurements.features.voice import accent, emotion, speaker
from measurements.features.voice import activity as voices
from measurements.features.voice.pitch import pitch

#: Extracted by default: all that the blueprint needs, and the speaker.
DEFAULT = (
    "transcript", "quality", "pitch", "loudness", "voice_activity", "rates", "emotion", "accent", "speaker",
)  # fmt: skip


_WORDS = Phrase("Transcript with the times of words")
_LINES = Phrase("Transcript (English) with the times of lines")
_QUALITY = Phrase("DNSMOS (signal, background, overall) and P.808 MOS")
_EVERY = Phrase("DNSMOS and P.808 MOS over every window")
_PITCH = Phrase("Pitch (YIN)")
_LOUDNESS = Phrase("Loudness (ITU-R BS.1770)")
_VOICE = Phrase("Share of speech, and pauses")
_RATES = Phrase("Words per minute, with and without pauses")
_EMOTION = Phrase("Emotion (emotion2vec+)")
_ACCENT = Phrase("Accent of English (CommonAccent)")
_SPEAKER = Phrase("Embedding of the voice")


@lru_cache(maxsize=8)
def extractors(sources: Sources = NOTHING) -> dict[str, Extractor]:
    """Every extractor by its name, each after those it reads."""
    hears, vad = _transcript(sources), _version("silero-vad")
    mos, emo, acc = (
        _version("speechmos"),
        partial(emotion.emotion, sources=sources),
        partial(accent.accent, sources=sources),
    )
    in_order: tuple[Extractor, ...] = (
        hears,
        Extractor("quality", mos, _QUALITY, "speechmos", "MIT", dnsmos.quality, dnsmos.missing),
        Extractor("quality_every_window", mos, _EVERY, "speechmos", "MIT", dnsmos.every_window, dnsmos.missing),
        Extractor("pitch", "1", _PITCH, "numpy", "BSD-3-Clause", pitch),
        Extractor("loudness", "1", _LOUDNESS, "pyloudnorm", "MIT", loudness),
        Extractor("voice_activity", vad, _VOICE, "silero-vad", "MIT", voices.voice_activity, voices.missing),
        Extractor(
            "rates", f"1 ({hears.version}; {vad})", _RATES, "", "", rates, after=("transcript", "voice_activity")
        ),
        Extractor("emotion", _version("funasr"), _EMOTION, "funasr", "MIT", emo, partial(emotion.missing, sources)),
        Extractor(
            "accent",
            _version("speechbrain"),
            _ACCENT,
            "speechbrain",
            "Apache-2.0",
            acc,
            partial(accent.missing, sources),
        ),
        Extractor(
            "speaker",
            f"{_version('Resemblyzer')}; {vad}",
            _SPEAKER,
            "Resemblyzer",
            "Apache-2.0",
            speaker.speaker,
            speaker.missing,
            ("voice_activity",),
        ),
    )
    return {extractor.name: extractor for extractor in in_order}


def with_needed(names: Iterable[str], sources: Sources = NOTHING) -> list[Extractor]:
    """The named extractors and those they read, in the order in which they can be done. Raises KeyError."""
    known, wanted = extractors(sources), set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        waiting.extend(known[name].after)
    return [extractor for name, extractor in known.items() if name in wanted]


def _transcript(sources: Sources) -> Extractor:
    """Whisper where this installation names a model of it, else the recogniser that is carried."""
    if sources.whisper:
        version = f"{_version('faster-whisper')} {sources.whisper}"
        hear = partial(transcript, recognise=whisper.recogniser(sources))
        why = partial(whisper.missing, sources)
        return Extractor("transcript", version, _WORDS, "faster-whisper", "MIT", hear, why)
    version = f"{_version('moonshine-voice')} tiny-en"
    hear = partial(transcript, recognise=moonshine.recognise)
    return Extractor("transcript", version, _LINES, "moonshine-voice", "MIT", hear, moonshine.missing)


def _version(package: str, ours: str = "1") -> str:
    """Our own number and the release of the package whose numbers these are."""
    return f"{ours}, {package} {installed(package) or 'absent'}"
