"""From features to the blueprint that a model reads in place of sound (TRACE/HCoT App. C).

The one place that knows what extractors are called and what their values look like.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infrastructure.wording.reasons import Reason
from judges.kinds.contract import Feature

Value = Any
Shape = Callable[[Any], Value]
#: The group of the transcript. Keys begin with `agent_` for a response, and with `user_` for the prompt.
WORDS = "response"
NOT_MEASURED, NONE_HERE = "It was not measured.", "This clip has none."


@dataclass(frozen=True)
class Entry:
    """One line of the blueprint: its key, its name within the key's group, and which feature it is made from."""

    key: str
    name: str
    feature: str
    shape: Shape
    meaning: str


def _of_five(field: str) -> Shape:
    return lambda value: f"{value[field]:.2f} / 5.00"


def _field(field: str) -> Shape:
    return lambda value: value[field]


def _whole(value: Any) -> Value:
    return value


QUALITY, PROPERTIES = "audio_quality", "audio_properties"
ENTRIES = (
    Entry(WORDS, "", "transcript", _field("text"), "what was said, as a program recognised it; it errs now and then"),
    Entry("emotion", "", "emotion", _whole, "a score for each emotion, from a classifier of speech"),
    Entry("accent", "", "accent", _whole, "how close the accent is to each of these, as a cosine"),
    Entry(QUALITY, "DNSMOS_Personalized_Signal_Quality", "quality", _of_five("sig"), "of the voice itself, 1 to 5"),
    Entry(
        QUALITY,
        "DNSMOS_Personalized_Background_Quality",
        "quality",
        _of_five("bak"),
        "of the background, 1 (noisy) to 5 (nothing is heard there)",
    ),
    Entry(QUALITY, "DNSMOS_Personalized_Overall_Quality", "quality", _of_five("ovrl"), "of all of it, 1 to 5"),
    Entry(QUALITY, "P808_Overall_Quality", "quality", _of_five("p808"), "a second opinion on all of it, 1 to 5"),
    Entry(PROPERTIES, "Mean_Pitch_Hz", "pitch", _field("mean_hz"), "mean pitch of the voice"),
    Entry(PROPERTIES, "Std_Dev_Pitch_Hz", "pitch", _field("sd_hz"), "its spread; with little of it, speech is flat"),
    Entry(
        PROPERTIES,
        "Full_Pitch_Contour_Hz",
        "pitch",
        _field("contour_hz"),
        "pitch from beginning to end; null where there is no voice",
    ),
    Entry(PROPERTIES, "Integrated_Loudness_LUFS", "loudness", _field("integrated_lufs"), "loudness of the clip"),
    Entry(PROPERTIES, "Std_Dev_Loudness_LUFS", "loudness", _field("sd_lufs"), "its spread"),
    Entry(
        PROPERTIES,
        "Full_Loudness_Contour_LUFS",
        "loudness",
        _field("contour_lufs"),
        "loudness from beginning to end; null where it is silent",
    ),
    Entry(PROPERTIES, "Speech_Rate_WPM", "rates", _field("speech_rate_wpm"), "words per minute, pauses included"),
    Entry(
        PROPERTIES,
        "Articulation_Rate_WPM",
        "rates",
        _field("articulation_rate_wpm"),
        "words per minute without the pauses",
    ),
)
#: What may be switched off (TRACE/HCoT App. H), in the blueprint's order.
GROUPS = tuple(dict.fromkeys(entry.key for entry in ENTRIES))
FEATURES = tuple(dict.fromkeys(entry.feature for entry in ENTRIES))


@dataclass(frozen=True)
class Blueprint:
    """What was found of one clip, by group, and notes by the same path: why something is null, say."""

    found: Mapping[str, Value]
    notes: Mapping[str, str]

    @property
    def has_anything(self) -> bool:
        return any(_known(self.found))

    def only(self, groups: Collection[str]) -> "Blueprint":
        return Blueprint(
            {group: value for group, value in self.found.items() if group in groups},
            {path: note for path, note in self.notes.items() if path.split(".")[0] in groups},
        )

    def with_words(self, text: str, note: str = "") -> "Blueprint":
        """The same with words that were not recognised in the clip."""
        others = {path: kept for path, kept in self.notes.items() if path != WORDS}
        return Blueprint({**self.found, WORDS: text}, others | ({WORDS: note} if note else {}))

    def for_prompt(self, *, of_user: bool) -> Mapping[str, Any]:
        """As the model reads it: with the paper's keys for a response, and the same for the user.

        A group of which nothing is known for one reason is null as a whole, with one note.
        """
        found, notes = dict(self.found), dict(self.notes)
        for group, value in self.found.items():
            why = {note for path, note in self.notes.items() if path.startswith(f"{group}.")}
            if isinstance(value, Mapping) and not any(_known(value)) and len(why) == 1:
                found[group] = None
                notes = {path: note for path, note in notes.items() if not path.startswith(f"{group}.")}
                notes[group] = why.pop()
        blueprint = {_key(path, of_user): value for path, value in found.items()}
        notes_by_key = {_key(path, of_user): note for path, note in notes.items()}
        return {"blueprint": blueprint} | ({"notes": notes_by_key} if notes_by_key else {})


def blueprint(features: Mapping[str, Feature]) -> Blueprint:
    """The blueprint of one clip by group; what was not found is null, with the reason. Nothing is filled in."""
    found: dict[str, Value] = {}
    notes: dict[str, str] = {}
    for entry in ENTRIES:
        value, why = _read(entry, features.get(entry.feature))
        if value is None:
            notes[f"{entry.key}.{entry.name}".rstrip(".")] = why
        if entry.name:
            found.setdefault(entry.key, {})[entry.name] = value
        else:
            found[entry.key] = value
    return Blueprint(found, notes)


def without_sound(why: Reason) -> Blueprint:
    """Everything null, for a turn that cannot be heard."""
    return blueprint({name: Feature(name, "", reason=why) for name in FEATURES})


def legend(groups: Collection[str]) -> str:
    """What the keys mean, for the model."""
    lines = [
        f"- `{_key(entry.key, of_user=False)}{'.' if entry.name else ''}{entry.name}`: {entry.meaning}"
        for entry in ENTRIES
        if entry.key in groups
    ]
    return "\n".join(lines)


def _key(path: str, of_user: bool) -> str:
    """The key in the blueprint that the model reads; the user's text is the prompt."""
    if not of_user:
        return f"agent_{path}"
    return "user_prompt" if path == WORDS else f"user_{path}"


def _read(entry: Entry, feature: Feature | None) -> tuple[Value, str]:
    """The value, or the reason why there is none."""
    if feature is None:
        return None, NOT_MEASURED
    if feature.value is None:
        return None, str(feature.reason or NOT_MEASURED)
    try:
        value = entry.shape(feature.value)
    except (KeyError, TypeError, ValueError):
        return None, f"What the extractor {feature.name} {feature.version} says of it cannot be read."
    return value, "" if value is not None else NONE_HERE


def _known(found: Any) -> Iterator[bool]:
    if isinstance(found, Mapping):
        for value in found.values():
            yield from _known(value)
    else:
        yield found is not None
