"""The words of a turn: those that came with the import, or those that were recognised in its sound."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from judges.kinds.contract import Feature, Setting, Settings, Spoken, Tools
from judges.kinds.material import Turn
from judges.kinds.reading import setting

TRANSCRIPT = "transcript"
TRANSCRIPTS = Setting(
    "transcripts",
    "Which words",
    "given",
    choices=(
        ("given", "Those of the import, else recognised ones"),
        ("recognised", "Recognised ones, else those of the import"),
        ("recognised_only", "Recognised ones only"),
    ),
    help="What a system meant to say is not always what is heard.",
)
#: Said to the model where it is shown words.
OF_WORDS = (
    "`words` is what was said, and `from` tells whence it is known: given with the recording, or recognised in it by "
    "a program, which errs now and then, above all in names. An error of recognition is not the speaker's. Where "
    "`words` is null they are not known, and `why` says the reason: do not make any up. Words that are empty mean "
    "that nothing was said."
)


@dataclass(frozen=True)
class Words:
    """What was said, and whence it is known; without words, why there are none."""

    text: str | None
    origin: str = ""
    why: str = ""

    @property
    def told(self) -> Mapping[str, Any]:
        """As the model is told.

        >>> Words("Hello.", "given").told, Words(None, why="There is no sound.").told
        ({'words': 'Hello.', 'from': 'given'}, {'words': None, 'why': 'There is no sound.'})
        """
        if self.text is None:
            return {"words": None, "why": self.why}
        return {"words": self.text, "from": self.origin}


def words(spoken: Spoken, settings: Settings, tools: Tools) -> Words:
    """By the setting; the sound is only listened to where the words are wanted from it."""
    wanted = setting(settings, TRANSCRIPTS)
    if wanted == "given" and spoken.text.strip():
        return Words(spoken.text, "given")
    heard = _recognised(spoken, tools)
    if heard.text is None and wanted != "recognised_only" and spoken.text.strip():
        return Words(spoken.text, "given")
    return heard


def why_nothing_known(known: Iterable[tuple[Turn, Words]]) -> str:
    """The reason, where not a word is known of any response; else nothing."""
    of_responses = [found for turn, found in known if turn.response is not None]
    if any(found.text is not None for found in of_responses):
        return ""
    reasons = dict.fromkeys(found.why for found in of_responses) or {"There is no response.": None}
    return f"No words are known of any response. {' '.join(reasons)}"


def transcript_text(feature: Feature | None) -> str | None:
    """What an extractor wrote down; empty where it heard no words, None where it could not tell."""
    value = feature.value if feature else None
    text = value.get("text") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) else None


def _recognised(spoken: Spoken, tools: Tools) -> Words:
    if spoken.sound is None:
        return Words(None, why="There is no sound to recognise them in.")
    feature = tools.features(spoken.sound).get(TRANSCRIPT)
    text = transcript_text(feature)
    if text is None or feature is None:
        return Words(None, why=(feature.reason if feature else "") or "Nothing recognised them.")
    return Words(text, f"recognised (version {feature.version})")
