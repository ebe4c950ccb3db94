"""Speaking rates, with and without the pauses."""

import re

from measurements import reasons
from measurements.features.contract import ClipSound, Earlier, Undefined, Value, given

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words_of(text: str) -> list[str]:
    """The words of a transcript, without punctuation.

    >>> words_of("Don't — it's 5 o'clock.")
    ["Don't", "it's", '5', "o'clock"]
    """
    return _WORD.findall(text)


def rates(clip: ClipSound, earlier: Earlier) -> Value:
    """Words per minute of the whole clip (speech rate) and of its speech alone (articulation rate).

    Raises Undefined where no word was recognised, or no speech was found.
    """
    words = len(words_of(given(earlier, "transcript")["text"]))
    spoken = given(earlier, "voice_activity")["speech_s"]
    if not words:
        raise Undefined(reasons.NO_WORD())
    if not spoken:
        raise Undefined(reasons.NO_SPEECH())
    return {
        "words": words,
        "speech_rate_wpm": round(60 * words / clip.seconds, 2),
        "articulation_rate_wpm": round(60 * words / spoken, 2),
    }
