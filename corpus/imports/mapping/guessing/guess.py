"""What the columns of a table may be, guessed from their names and values."""

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import takewhile

from corpus.imports.mapping.guessing.by_values import SOUND, add_by_values
from corpus.imports.mapping.guessing.column_names import ANSWER_NAMES, ITEM_NAMES, NAMED, NO_WORDS, WORDS, plain_name
from corpus.imports.mapping.guessing.profile import ColumnProfile, Profile
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

NOT_ANSWERS = re.compile(r"reason|correct|prompt|path|audio|text|count|tokens?|words?|seconds|(^|_)n_")
#: Answers of the other order, in whose frame "1" is the second system.
OF_SWAPPED = re.compile(r"(^|_)ba(_|$)")
#: Ratings of one of two responses, which no answer about a pair holds.
OF_ONE_SIDE = re.compile(
    r"(^|_)(mos|score|rating)_?(a|b|1|2|left|right)(_|$)|(^|_)(a|b|left|right)_(mos|score|rating)(_|$)"
)
#: Columns of a judge's verdicts, and what stands in a column of orders in which it was shown a pair.
OF_JUDGE = re.compile(r"(^|_)(verdict|prediction|judg)")
SWAPPED = {"BA", "ba"}
LONG_WORDS = 25
MOST_KNOWN = 0.9
#: Names that say only where something stood.
PLACES = re.compile(r"(|audio|clip|file|path|wav|response|system|model)_?([ab12]|left|right|first|second)?")
FIRST = {"1", "a", "model_a", "system_a", "audio1", "audio_a", "first", "left", "win", "response_a"}
SECOND = {"2", "b", "model_b", "system_b", "audio2", "audio_b", "second", "right", "loss", "lose", "response_b"}
TIES = {"tie": "tie", "both": "tie", "draw": "tie", "c": "tie", "equal": "tie", "both_good": "both_good",
        "gleich": "tie", "no difference": "tie",
        "no preference": "tie", "both_bad": "both_bad", "tie (bothbad)": "both_bad", "bothbad": "both_bad",
        "same": "same"}  # fmt: skip
COUNTED_FROM_0 = "0"
NOTHING = {"nan", "none", "null", "n/a", "na", "-", "?", "skip", "invalid", "unknown"}
WORDS_AROUND = re.compile(r"(^|_)(audio|path|wav|file|response|answer|text|output|clip|model)(?=_|$)")


def guess_mapping(profile: Profile, *, systems: Collection[str] = ()) -> TableMapping:
    """A first mapping of these columns; `systems` are those of the dataset, where it is there."""
    found = _of_names(profile)
    becomes = set(found.values())
    if becomes & {"system_a", "audio_a"}:
        shape = PAIRS
    elif _brings_responses(found, is_there=bool(systems)):
        shape = RESPONSES
    else:
        shape = ANSWERS
    _take_keys(profile, found, shape)
    if shape != ANSWERS:
        free = [column for column in profile.columns if not _are_outcomes(column)]
        add_by_values(profile.rows, free, found)
    if shape == PAIRS and _is_shown_swapped(profile):
        found = {name: it for name, it in found.items() if it != "answer" or not OF_JUDGE.search(plain_name(name))}
    uses = {name: _use(profile, name, it, found) for name, it in found.items()}
    if shape == PAIRS:
        uses = _without_itself(uses)
    first = TableMapping(shape, _of_systems(_named_apart(uses)) if shape == RESPONSES else uses)
    return for_shape(first, shape, profile, systems=systems)


def _of_names(profile: Profile) -> dict[str, str]:
    """What each column becomes, by its name and what stands in it."""
    columns = profile.columns
    has_judge = any(plain_name(column.name) == "judge" and column.samples for column in columns)
    found = {column.name: guess for column in columns if (guess := _named(column))}
    if has_judge:  # whose `method` or `condition` is how the judge was asked
        weak = ("method", "condition")
        found = {name: it for name, it in found.items() if it != "system" or plain_name(name) not in weak}
    if "answer" not in found.values():
        found |= {column.name: "answer" for column in columns if _may_be_answer(column, found)}
    _pair_up(profile, found)
    _choose_sound(found)
    if not {"response_audio", "system_a", "audio_a"} & set(found.values()):
        found |= _words(profile, found)
    return found


def _brings_responses(found: dict[str, str], *, is_there: bool) -> bool:
    """Whether the table makes responses; in a dataset that has them, a file name alone says which one was rated."""
    becomes = set(found.values())
    if "answer" not in becomes:
        return True
    if is_there:
        return "response_text" in becomes
    return bool(becomes & {"response_audio", "response_text"})


def _choose_sound(found: dict[str, str]) -> None:
    """Of several columns of sound beside one of systems, the response is the one that is called so, or the first."""
    sounds = [name for name, it in found.items() if it == "response_audio"]
    if len(sounds) > 1 and "system" in found.values():
        kept = next((name for name in sounds if re.search(r"audio|clip|wav|file|path", plain_name(name))), sounds[0])
        for name in sounds:
            if name != kept:
                del found[name]


def _words(profile: Profile, found: dict[str, str]) -> dict[str, str]:
    """Columns of what systems said: by their names, or two and more with long texts, each named after its system."""
    free = [column for column in profile.columns if column.name not in found and _is_text(column)]
    named = [column for column in free if WORDS.fullmatch(plain_name(column.name))]
    if "system" in found.values():
        return {column.name: "response_text" for column in named[:1]}
    if len(named) > 1:
        return {column.name: "response_text" for column in named}
    long = [
        column for column in free if all(len(sample) >= LONG_WORDS and " " in sample for sample in column.samples)
    ]
    return {column.name: "response_text" for column in long} if len(long) > 1 else {}


def _is_text(column: ColumnProfile) -> bool:
    plain = plain_name(column.name)
    sounds = any(SOUND.search(sample) for sample in column.samples)
    return bool(column.samples) and not (
        column.are_numbers or sounds or NO_WORDS.search(plain) or _are_outcomes(column)
    )


def _are_outcomes(column: ColumnProfile) -> bool:
    """Whether nearly all cells are outcomes of pairs, and not numbers alone, which may be anything."""
    said = {value: n for value, n in column.values.items() if value.strip().casefold() not in NOTHING}
    known = {value: n for value, n in said.items() if value_guess(value)}
    nearly_all = sum(known.values()) >= MOST_KNOWN * sum(said.values())
    return nearly_all and len(known) > 1 and not all(value.strip().isdecimal() for value in known)


def _may_be_answer(column: ColumnProfile, found: dict[str, str]) -> bool:
    return column.name not in found and _are_outcomes(column) and not OF_SWAPPED.search(plain_name(column.name))


def _is_shown_swapped(profile: Profile) -> bool:
    return any(set(column.values) & SWAPPED and set(column.values) <= {"AB", "ab"} | SWAPPED
               for column in profile.columns)  # fmt: skip


def _take_keys(profile: Profile, found: dict[str, str], shape: str) -> None:
    """The item; of two keys in a table of pairs, the coarser is the item's and the finer the pair's."""
    columns = {plain_name(column.name): column for column in profile.columns if column.name not in found}
    keys = [columns[name] for name in ITEM_NAMES if name in columns and columns[name].n_distinct > 1]
    if not keys:
        return
    item = min(keys, key=lambda column: column.n_distinct) if shape == PAIRS else keys[0]
    found[item.name] = "item"
    finer = [column for column in keys if column.n_distinct > item.n_distinct]
    if shape == PAIRS and finer and "pair" not in found.values():
        found[max(finer, key=lambda column: column.n_distinct).name] = "pair"


def _of_systems(columns: dict[str, Use]) -> dict[str, Use]:
    """Where each system has a column, answers are about the system that is in their name; others are not used."""
    named = {use.name for use in columns.values() if use.becomes in ("response_audio", "response_text") and use.name}
    if len(named) < 2:
        return columns
    kept: dict[str, Use] = {}
    for column, use in columns.items():
        if use.becomes not in ("answer", "comment"):
            kept[column] = use
        elif system := next(
            (name for name in sorted(named, key=len, reverse=True) if _begins_or_ends(column, name)), ""
        ):
            rest = plain_name(column).replace(plain_name(system), "").strip("_") or OVERALL
            kept[column] = replace(use, name=question_of(rest), system=system)
    return kept


def _named_apart(uses: dict[str, Use]) -> dict[str, Use]:
    """The systems of columns of one kind, without what all their names have in common."""
    apart = dict(uses)
    for becomes in ("response_audio", "response_text"):
        named = {column: use for column, use in uses.items() if use.becomes == becomes and use.name}
        names = without_common([use.name for use in named.values()])
        apart |= {column: replace(use, name=name) for (column, use), name in zip(named.items(), names, strict=True)}
    return apart


def _without_itself(uses: dict[str, Use]) -> dict[str, Use]:
    """Where every row has one system beside others, rows with this system on both sides compare it with itself."""
    named = {use.name for use in uses.values() if use.becomes in ("audio_a", "audio_b") and use.name}
    return {
        column: replace(use, values=dict.fromkeys(named, LEFT_OUT)) if use.becomes.startswith("system_") else use
        for column, use in uses.items()
    }


def _begins_or_ends(column: str, system: str) -> bool:
    return f"_{plain_name(column)}_".startswith(f"_{plain_name(system)}_") or plain_name(column).endswith(
        f"_{plain_name(system)}"
    )


def for_shape(guess: TableMapping, shape: str, profile: Profile, *, systems: Collection[str] = ()) -> TableMapping:
    """The mapping as far as a table of this shape can follow it, with the values of its columns guessed."""
    columns = {column.name: column for column in profile.columns}
    named = _system_values(guess, columns) | guess.systems
    fitting = {name: use for name, use in guess.columns.items() if _fits(shape, use)}
    seen: set[tuple[str, str, str, str]] = set()
    kept = {}
    for name, use in fitting.items():
        wide = use.becomes in WIDE
        once = (use.becomes, use.name, use.rater, use.system) if wide else (use.becomes, "", "", "")
        if (once not in seen or use.becomes == "item") and not _is_number_of_pair(use, columns.get(name), shape):
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
    if shape != PAIRS and column.are_numbers and not _are_sides(column):
        return replace(use, others=use.others or AS_WRITTEN)
    guessed = {value: it for value in column.values if (it := value_guess(value, named))}
    if COUNTED_FROM_0 in column.values:  # 0 may be the first response or a tie, and 1 either response
        guessed = {value: it for value, it in guessed.items() if not value.strip().isdecimal()}
    if {"a", "b", BY_SYSTEM} & {
        *guessed.values(),
        *use.values.values(),
    }:  # of a preference; else "same" or "different"
        guessed = {value: "tie" if it == "same" else it for value, it in guessed.items()}
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


def without_common(names: list[str]) -> list[str]:
    """The names without the words that all of them begin or end with; as they are where less than a name is left.

    >>> without_common(["Antwort Neu", "Antwort Alt 2"]), without_common(["System 1", "System 2"])
    (['Neu', 'Alt 2'], ['System 1', 'System 2'])
    """
    if len(names) < 2:
        return names
    first = _common_beginning([_words_of(name) for name in names])
    rests = [name[len("".join(first)) :] for name in names]
    last = _common_beginning([_words_of(rest)[::-1] for rest in rests])
    rests = [rest[: len(rest) - len("".join(last))].strip(" _:-") for rest in rests]
    are_names = all(len(rest) > 1 and any(letter.isalpha() for letter in rest) for rest in rests)
    return rests if are_names and len(set(rests)) == len(names) else names


def _words_of(name: str) -> list[str]:
    """Words, and what stands between them: a hyphen or a point is part of a word, as in gpt-4.1."""
    return [word for word in re.split(r"([\s_:]+)", name) if word]


def _common_beginning(words: list[list[str]]) -> list[str]:
    """Whole words alone: what is left of each begins after a space, an underscore or a colon."""
    same = [column[0] for column in takewhile(lambda it: len(set(it)) == 1, zip(*words, strict=False))]
    while same and not re.fullmatch(r"[\s_:]+", same[-1]):
        same.pop()
    return same


def _is_number_of_pair(use: Use, column: ColumnProfile | None, shape: str) -> bool:
    """Whether the column holds numbers, where a label of a pair says which is better."""
    numbers = use.becomes == "answer" and column is not None and column.are_numbers and not _are_sides(column)
    return shape == PAIRS and numbers and not use.values


def _are_sides(column: ColumnProfile) -> bool:
    return bool(column.values) and set(column.values) <= {"1", "2", "0"}


def _named(column: ColumnProfile) -> str:
    plain = plain_name(column.name)
    if any(sample.startswith(("{", "[")) for sample in column.samples):
        return ""
    for pattern, becomes in NAMED:
        if re.fullmatch(pattern, plain) and column.samples:
            return becomes
    if column.samples and all(SOUND.search(sample) for sample in column.samples):
        return "response_audio"
    no_answer = any(pattern.search(plain) for pattern in (NOT_ANSWERS, OF_ONE_SIDE, OF_SWAPPED))
    if no_answer or not ANSWER_NAMES.search(plain):
        return ""
    return "answer" if column.are_numbers or (column.few and _are_short(column)) else ""


def _are_short(column: ColumnProfile) -> bool:
    return all(len(value) <= LONG_WORDS for value in column.values)


def _use(profile: Profile, name: str, becomes: str, found: dict[str, str]) -> Use:
    if becomes in ("response_audio", "response_text"):
        return Use(becomes, "" if "system" in found.values() else system_of(name))
    if becomes in ("audio_a", "audio_b"):
        has_system = f"system_{becomes[-1]}" in found.values()
        return Use(becomes, "" if has_system else _written_as(system_of(name), profile, found))
    return Use(becomes, question_of(name) if becomes == "answer" else "")


def _written_as(system: str, profile: Profile, found: dict[str, str]) -> str:
    """The shortest name in the columns of systems that begins like this; itself where none does.

    A name that says only which of the two it is names no system.
    """
    if PLACES.fullmatch(system):
        return ""
    written = {value for column in profile.columns if found.get(column.name) in ("system_a", "system_b")
               for value in column.values}  # fmt: skip
    shortest = min((value for value in written if value.startswith(system)), key=len, default=system)
    return system if system in written else shortest


def question_of(column: str) -> str:
    """The question of a column of answers.

    >>> question_of("label_content"), question_of("winner"), question_of("naturalness")
    ('content', 'overall', 'naturalness')
    """
    plain = re.sub(r"^(label|score|rating)_|_(label|score|rating)$", "", plain_name(column))
    bare = re.fullmatch(ANSWER_NAMES, plain) and plain not in ("naturalness", "quality", "intelligibility", "mos")
    return OVERALL if bare else plain[:60]


def _pair_up(profile: Profile, found: dict[str, str]) -> None:
    """A column of systems with two of sound, one of them named after a system: its own, and that of this system."""
    sounds = [name for name, becomes in found.items() if becomes == "response_audio"]
    systems = [name for name, becomes in found.items() if becomes == "system"]
    if len(sounds) != 2 or len(systems) != 1:
        return
    values = next(column.values for column in profile.columns if column.name == systems[0])
    named = [name for name in sounds if any(value.startswith(system_of(name)) for value in values)]
    if len(named) == 1:
        own = next(name for name in sounds if name not in named)
        found |= {systems[0]: "system_a", own: "audio_a", named[0]: "audio_b"}


def _system_values(guess: TableMapping, columns: dict[str, ColumnProfile]) -> set[str]:
    names = [name for becomes in ("system", "system_a", "system_b") for name in guess.of(becomes)]
    return {value for name in names if name in columns for value in columns[name].values}


def _fits(shape: str, use: Use) -> bool:
    if shape == RESPONSES:
        return use.becomes not in ("system_a", "system_b", "audio_a", "audio_b", "pair")
    if shape == PAIRS:
        return use.becomes not in ("system", "take", "turn", "response_audio", "response_text", "comment",
                                   "recorded_at")  # fmt: skip
    return use.becomes not in ("prompt_text", "prompt_audio", "turn", "response_text")
