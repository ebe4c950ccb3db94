"""What the columns of a table may be, guessed from their names and values."""

import re
from collections.abc import Collection
from dataclasses import replace

from corpus.imports.mapping.mapping import (
    ANSWERS,
    AS_WRITTEN,
    BY_SYSTEM,
    LEFT_OUT,
    OVERALL,
    PAIRS,
    RESPONSES,
    WIDE,
    TableMapping,
    Use,
)
from corpus.imports.mapping.profile import ColumnProfile, Profile

SOUND = re.compile(r"\.(wav|flac|mp3|ogg|opus|m4a)$", re.IGNORECASE)
#: Names of items, the likeliest first.
ITEM_NAMES = ("item", "item_id", "question_id", "utterance_id", "utt_id", "sample_id", "prompt_id", "instruction_id",
              "index", "id", "key", "sentence_id")  # fmt: skip
#: What columns with these names are; the first that fits.
NAMED: tuple[tuple[str, str], ...] = (
    (r"(model|system|assistant)_?(a|1|left)", "system_a"),
    (r"(model|system|assistant)_?(b|2|right)", "system_b"),
    (r"(audio|wav|file|path|clip)_?(a|1|left)(_?(path|file|wav))?", "audio_a"),
    (r"(audio|wav|file|path|clip)_?(b|2|right)(_?(path|file|wav))?", "audio_b"),
    (r"(system|model|method|condition)(_?(name|id))?", "system"),
    (r"(pair|pair_id|unit|unit_key|unit_id)", "pair"),
    (r"(instruction|prompt|question)_?(path|audio|wav|file)", "prompt_audio"),
    (r"(instruction|prompt|question|transcript|sentence)(_?text)?", "prompt_text"),
    (r"(category|ability|task|domain|subset)", "category"),
    (r"(rater|annotator|worker|listener|judge|evaluator|subject|user|participant)(_?(id|name))?", "annotator"),
    (r"(time|timestamp|date|created_at|recorded_at|submitted_at|tstamp)", "recorded_at"),
    (r"(comment|comments|remark|remarks|note|notes|reasoning)", "comment"),
    (r"take", "take"),
    (r"turn", "turn"),
)  # fmt: skip
ANSWER_NAMES = re.compile(
    r"(label|winner|preference|preferred|vote|verdict|choice|ground_truth|gold|mos|cmos|rating|score|"
    r"naturalness|quality|intelligibility|overall|result|opinion)"
)
NOT_ANSWERS = re.compile(r"(reason|correct|prompt|path|audio|text)")
FIRST = {"1", "a", "model_a", "system_a", "audio1", "audio_a", "first", "left", "win", "response_a"}
SECOND = {"2", "b", "model_b", "system_b", "audio2", "audio_b", "second", "right", "loss", "lose", "response_b"}
TIES = {"tie": "tie", "both": "tie", "draw": "tie", "c": "tie", "equal": "tie", "0": "tie", "both_good": "both_good",
        "both_bad": "both_bad", "tie (bothbad)": "both_bad", "bothbad": "both_bad", "same": "same"}  # fmt: skip
NOTHING = {"nan", "none", "null", "n/a", "na", "-", "?", "skip", "invalid", "unknown"}
WORDS_AROUND = re.compile(r"(^|_)(audio|path|wav|file|response|answer|text|output|clip|model)(?=_|$)")


def guess_mapping(profile: Profile, *, systems: Collection[str] = ()) -> TableMapping:
    """A first mapping of these columns; `systems` are those of the dataset, where it is there."""
    found = {column.name: guess for column in profile.columns if (guess := _named(column))}
    if item := _item(profile):
        found[item] = "item"
    _pair_up(found)
    becomes = set(found.values())
    if becomes & {"system_a", "audio_a"}:
        shape = PAIRS
    elif "response_audio" in becomes or not any(it == "answer" for it in found.values()):
        shape = RESPONSES
    else:
        shape = ANSWERS
    if shape == RESPONSES and list(found.values()).count("response_audio") > 1:
        found = {name: it for name, it in found.items() if it != "system"}
    first = TableMapping(shape, {name: _use(profile, name, it, found) for name, it in found.items()})
    return for_shape(first, shape, profile, systems=systems)


def for_shape(guess: TableMapping, shape: str, profile: Profile, *, systems: Collection[str] = ()) -> TableMapping:
    """The mapping as far as a table of this shape can follow it, with the values of its columns guessed."""
    columns = {column.name: column for column in profile.columns}
    named = _system_values(guess, columns) | guess.systems
    fitting = {name: use for name, use in guess.columns.items() if _fits(shape, use)}
    seen: set[tuple[str, str, str]] = set()
    kept = {}
    for name, use in fitting.items():
        once = (use.becomes, use.name, use.rater) if use.becomes in WIDE else (use.becomes, "", "")
        if once not in seen or use.becomes == "item":
            kept[name] = with_values(use, columns.get(name), shape, named, systems)
        seen.add(once)
    return TableMapping(shape, kept)


def with_values(
    use: Use, column: ColumnProfile | None, shape: str, named: Collection[str], systems: Collection[str] = ()
) -> Use:
    """The use with what its values become, as far as they say it themselves; what was decided stays."""
    if column is None or use.becomes not in ("answer", "system", "system_a", "system_b"):
        return use
    if use.becomes != "answer":
        plain = {system.casefold(): system for system in systems}
        values = {value: plain.get(value.casefold(), "") for value in column.values} if systems else {}
        return replace(use, values={value: it for value, it in values.items() if it} | dict(use.values))
    if shape == ANSWERS and column.are_numbers and not _are_sides(column):
        return replace(use, others=use.others or AS_WRITTEN)
    guessed = {value: it for value in column.values if (it := value_guess(value, named))}
    return replace(use, values=guessed | dict(use.values))


def value_guess(value: str, systems: Collection[str] = ()) -> str:
    """What a value of an answer says by itself.

    >>> [value_guess(it) for it in ("model_a", "2", "Tie (bothbad)", "nan", "maybe")]
    ['a', 'b', 'both_bad', '-', '']
    """
    plain = value.strip().casefold()
    if value in systems:
        return BY_SYSTEM
    if plain in FIRST:
        return "a"
    if plain in SECOND:
        return "b"
    return LEFT_OUT if plain in NOTHING else TIES.get(plain, "")


def system_of(column: str) -> str:
    """The system after which a column is named.

    >>> system_of("gpt4o_audio_path"), system_of("audio_path")
    ('gpt4o', 'audio_path')
    """
    return WORDS_AROUND.sub("", column).strip("_- ") or column


def _are_sides(column: ColumnProfile) -> bool:
    return bool(column.values) and set(column.values) <= {"1", "2", "0"}


def _plain(name: str) -> str:
    return re.sub(r"[\s.\-]+", "_", name.strip()).lower()


def _named(column: ColumnProfile) -> str:
    plain = _plain(column.name)
    for pattern, becomes in NAMED:
        if re.fullmatch(pattern, plain) and column.samples:
            return becomes
    if column.samples and all(SOUND.search(sample) for sample in column.samples):
        return "response_audio"
    if ANSWER_NAMES.search(plain) and not NOT_ANSWERS.search(plain) and (column.few or column.are_numbers):
        return "answer"
    return ""


def _item(profile: Profile) -> str:
    """The likeliest key of items: a column with such a name that tells rows apart."""
    columns = {_plain(column.name): column for column in profile.columns}
    for name in ITEM_NAMES:
        if name in columns and columns[name].n_distinct > 1:
            return columns[name].name
    return ""


def _use(profile: Profile, name: str, becomes: str, found: dict[str, str]) -> Use:
    if becomes == "response_audio":
        has_system = any(_named(column) == "system" for column in profile.columns)
        sounds = [column.name for column in profile.columns if _named(column) == "response_audio"]
        return Use(becomes, "" if has_system and len(sounds) == 1 else system_of(name))
    if becomes in ("audio_a", "audio_b"):
        has_system = f"system_{becomes[-1]}" in found.values()
        return Use(becomes, "" if has_system else _written_as(system_of(name), profile, found))
    return Use(becomes, question_of(name) if becomes == "answer" else "")


def _written_as(system: str, profile: Profile, found: dict[str, str]) -> str:
    """The shortest name in the columns of systems that begins like this; the name itself where none does."""
    written = {value for column in profile.columns if found.get(column.name) in ("system_a", "system_b")
               for value in column.values}  # fmt: skip
    shortest = min((value for value in written if value.startswith(system)), key=len, default=system)
    return system if system in written else shortest


def question_of(column: str) -> str:
    """The question of a column of answers.

    >>> question_of("label_content"), question_of("winner"), question_of("naturalness")
    ('content', 'overall', 'naturalness')
    """
    plain = re.sub(r"^(label|score|rating)_|_(label|score|rating)$", "", _plain(column))
    bare = re.fullmatch(ANSWER_NAMES, plain) and plain not in ("naturalness", "quality", "intelligibility", "mos")
    return OVERALL if bare else plain[:60]


def _pair_up(found: dict[str, str]) -> None:
    """A column of systems with two of sound is a table of pairs: the system's own sound, and that of another."""
    sounds = [name for name, becomes in found.items() if becomes == "response_audio"]
    systems = [name for name, becomes in found.items() if becomes == "system"]
    if len(sounds) == 2 and len(systems) == 1:
        found |= {systems[0]: "system_a", sounds[0]: "audio_a", sounds[1]: "audio_b"}


def _system_values(guess: TableMapping, columns: dict[str, ColumnProfile]) -> set[str]:
    names = [name for becomes in ("system", "system_a", "system_b") for name in guess.of(becomes)]
    return {value for name in names if name in columns for value in columns[name].values}


def _fits(shape: str, use: Use) -> bool:
    if shape == RESPONSES:
        return use.becomes not in ("system_a", "system_b", "audio_a", "audio_b", "pair", "answer", "annotator",
                                   "comment", "recorded_at")  # fmt: skip
    if shape == PAIRS:
        return use.becomes not in ("system", "take", "turn", "response_audio", "response_text", "comment",
                                   "recorded_at")  # fmt: skip
    return use.becomes not in ("prompt_text", "prompt_audio", "turn", "response_text")
