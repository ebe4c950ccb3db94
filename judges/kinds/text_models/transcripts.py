"""The words of a turn: those that came with the import, or those that were recognised in its sound."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Feature, Setting, Settings, Spoken, Tools
from judges.kinds.text_models.material import Turn
from judges.kinds.text_models.reading import setting

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
#: Included in the prompt where it contains transcripts.
OF_WORDS = (
    "`words` is what was said, and `from` tells whence it is known: given with the recording, or recognised in it by "
    "a program, which errs now and then, above all in names. An error of recognition is not the speaker's. Where "
    "`words` is null they are not known, and `why` says the reason: do not make any up. Words that are empty mean "
    "that nothing was said."
)


@dataclass(frozen=True)
class Words:
    """The text and its source; without a text, the reason."""

    text: str | None
    origin: str = ""
    why: Reason | None = None

    @property
    def for_prompt(self) -> Mapping[str, Any]:
        """As it is written in the prompt.

        >>> Words("Hello.", "given").for_prompt, Words(None, why=reasons.NO_SOUND()).for_prompt
        ({'words': 'Hello.', 'from': 'given'}, {'words': None, 'why': 'There is no sound.'})
        """
        if self.text is None:
            return {"words": None, "why": str(self.why or "")}
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


def why_nothing_known(known: Iterable[tuple[Turn, Words]]) -> Reason | None:
    """The reason, where not a word is known of any response; else nothing."""
    of_responses = [found for turn, found in known if turn.response is not None]
    if any(found.text is not None for found in of_responses):
        return None
    why = dict.fromkeys(found.why or "" for found in of_responses) or [reasons.NO_RESPONSE()]
    return reasons.NO_WORDS_OF_RESPONSES(why=" ".join(why))


def transcript_text(feature: Feature | None) -> str | None:
    """What an extractor wrote down; empty where it heard no words, None where it could not tell."""
    value = feature.value if feature else None
    text = value.get("text") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) else None


def _recognised(spoken: Spoken, tools: Tools) -> Words:
    if spoken.sound is None:
        return Words(None, why=reasons.NO_SOUND_TO_RECOGNISE())
    feature = tools.features(spoken.sound).get(TRANSCRIPT)
    text = transcript_text(feature)
    if text is None or feature is None:
        return Words(None, why=(feature.reason if feature else None) or reasons.NOTHING_RECOGNISED())
    return Words(text, f"recognised (version {feature.version})")
