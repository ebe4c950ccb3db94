"""The columns of a manifest: which are understood, what the others may mean, and shapes that are none of ours."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import Any

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from infrastructure.wording.reasons import Reason

#: our word for each column of a pair, and the names under which it comes
PAIR_COLUMNS = {
    "index": ("index", "pair", "item_id"),
    "item": ("instruction_id", "item"),
    "category": ("category",),
    "prompt_text": ("instruction_text", "prompt_text"),
    "prompt_audio": ("instruction_path", "instruction_audio", "prompt_audio"),
    "system_a": ("model_a", "system_a"),
    "system_b": ("model_b", "system_b"),
    "audio_a": ("audio1_path", "audio_a"),
    "audio_b": ("audio2_path", "audio_b"),
    "annotator": ("annotator",),
}
RESPONSE_COLUMNS = (
    "item", "system", "take", "category", "prompt_text", "prompt_audio", "response_text", "response_audio",
)  # fmt: skip
FACT_COLUMNS = ("dimension", "capability", "reference_translation")
#: Of items alone: what was asked.
PROMPT_COLUMNS = ("item", "category", "prompt_text", "prompt_audio")
#: The names of columns that are read in a manifest; others are labels, or are kept for exports.
NAMES_READ = frozenset(
    {*chain(*PAIR_COLUMNS.values()), *RESPONSE_COLUMNS, *FACT_COLUMNS, "turn", "criteria", "label"}
)
STORED_LABELS = {"1": "a", "2": "b", "both_good": "both_good", "both_bad": "both_bad", "tie": "tie", "same": "same"}
#: What a column that was named as the labels may hold, too: LMArena's words, and letters.
NAMED_LABELS = STORED_LABELS | {
    "model_a": "a", "model_b": "b", "tie (bothbad)": "both_bad", "bothbad": "both_bad", "A": "a", "B": "b", "a": "a",
    "b": "b",
}  # fmt: skip
#: Names under which others publish what people, or a judge, said of a pair.
LABEL_NAMES = frozenset({
    "ground_truth", "winner", "preference", "preferred", "human_label", "human_preference", "human_vote", "gold",
    "gold_label", "vote", "verdict", "outcome", "choice", "labels", "lable", "lables", "label",
})  # fmt: skip
SIMILAR = 0.85
MOST_SHOWN = 5


@dataclass(frozen=True)
class Unused:
    """A column that is not understood; `meant` may be what it is for. `kept` says whether exports have it again."""

    name: str
    meant: str
    kept: bool


@dataclass(frozen=True)
class Candidate:
    """A column that may hold what is missing, with some of its values and how many different ones there are."""

    name: str
    values: tuple[str, ...]
    n: int


def cell_of(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def holds_pairs(columns: Collection[str]) -> bool:
    return bool({"model_a", "system_a"} & set(columns))


def holds_responses(columns: Collection[str]) -> bool:
    return {"item", "system"} <= set(columns)


def holds_prompts(columns: Collection[str]) -> bool:
    """Whether a manifest is of items alone: it has what was asked, and no other column."""
    known = {*PROMPT_COLUMNS, *FACT_COLUMNS, "criteria", "turn"}
    return "item" in columns and bool({"prompt_text", "prompt_audio"} & set(columns)) and known >= set(columns)


def is_manifest(columns: Collection[str]) -> bool:
    return holds_pairs(columns) or holds_responses(columns) or holds_prompts(columns)


def unused_columns(columns: Collection[str], chosen: Collection[str]) -> list[Unused]:
    """The columns of a manifest of ours that nothing reads, by name."""
    pairs = holds_pairs(columns)
    groups = _groups(pairs=pairs)
    known = {name for names in groups for name in names} | set(chosen)
    free = [name for names in groups if not names & set(columns) for name in names]
    has_labels = any(name.startswith("label_") for name in columns)
    return [
        Unused(name, "" if name in LABEL_NAMES and has_labels else _meant(name, free, pairs=pairs), pairs)
        for name in sorted(columns)
        if name not in known and not (pairs and name.startswith("label_"))
    ]


def _groups(*, pairs: bool) -> list[set[str]]:
    """Names that stand for the same."""
    ours = [set(names) for names in PAIR_COLUMNS.values()] if pairs else [{name} for name in RESPONSE_COLUMNS]
    more = ("label", "excluded") if pairs else ("turn",)
    return ours + [{name} for name in (*more, *FACT_COLUMNS, "criteria")]


def _meant(name: str, free: Iterable[str], *, pairs: bool) -> str:
    plain = _plain(name)
    if pairs and plain.startswith("label_"):
        return plain
    return next(iter(get_close_matches(plain, list(free), n=1, cutoff=SIMILAR)), "")


def _plain(name: str) -> str:
    """A name as ours are written.

    >>> _plain("Response Text")
    'response_text'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip()).lower()


def label_candidates(rows: Iterable[Row], unused: Iterable[Unused]) -> list[Candidate]:
    """Unused columns that hold nothing but words for labels, those with the name of one first."""
    some = _values_of(rows, [one.name for one in unused])
    found = [one for one in some if 0 < one.n == len(one.values) and set(one.values) <= NAMED_LABELS.keys()]
    return sorted(found, key=lambda column: _plain(column.name) not in LABEL_NAMES)


def named_like_labels(rows: Iterable[Row], unused: Iterable[Unused]) -> list[Candidate]:
    """Unused columns with the name of labels that hold anything at all."""
    names = [one.name for one in unused if _plain(one.name) in LABEL_NAMES or one.meant.startswith("label")]
    return [column for column in _values_of(rows, names) if column.n]


def item_candidates(rows: list[Row], columns: Collection[str]) -> list[Candidate]:
    """Columns that tell rows apart, those that tell most apart first; sound and long texts are no keys."""
    prompts = [name for group in ("prompt_text", "prompt_audio") for name in PAIR_COLUMNS[group]]
    keys = (*PAIR_COLUMNS["index"], *prompts)
    some = _values_of(rows, sorted(name for name in columns if name in keys or _plain(name).endswith("id")))
    return sorted((one for one in some if one.n > 1), key=lambda one: -one.n)


def _values_of(rows: Iterable[Row], names: list[str]) -> list[Candidate]:
    values: dict[str, Counter[str]] = {name: Counter() for name in names}
    for row in rows:
        for name in names:
            if cell := cell_of(row, name):
                values[name][cell[:100]] += 1
    return [Candidate(name, tuple(sorted(of)[:20]), len(of)) for name, of in values.items()]


def why_no_manifest(columns: Collection[str]) -> Reason:
    """What this table is, where that can be seen, and what to do."""
    if not columns:
        return reasons.NO_COLUMNS()
    named = ", ".join(sorted(columns))
    if wide := _wide(columns):
        pairs = "; ".join(f"{one} / {other}" for one, other in wide[:3])
        return reasons.TABLE_IS_WIDE(pairs=pairs, columns=named)
    if set(PAIR_COLUMNS["audio_a"]) & set(columns) and set(PAIR_COLUMNS["audio_b"]) & set(columns):
        return reasons.PAIRS_WITHOUT_SYSTEMS(columns=named)
    near = [f"{one} may be meant to be {meant}" for one in sorted(columns) if (meant := _required(one, columns))]
    return (
        reasons.NEARLY_UNDERSTOOD(columns=named, near="; ".join(near))
        if near
        else reasons.NOT_UNDERSTOOD(columns=named)
    )


def _required(name: str, columns: Collection[str]) -> str:
    required = ["item", "system", "model_a", "model_b", "system_a", "system_b"]
    free = [one for one in required if one not in columns]
    return "" if name in required else next(iter(get_close_matches(_plain(name), free, n=1, cutoff=0.8)), "")


def _wide(columns: Collection[str]) -> list[tuple[str, str]]:
    """Columns of which there are two, for one order or place and for the other, and that are none of ours."""
    ours = {name for names in PAIR_COLUMNS.values() for name in names}
    swaps = (("1", "2"), ("AB", "BA"), ("ab", "ba"))
    return [
        (name, other)
        for name in sorted(columns)
        for one, two in swaps
        if name not in ours and one in name and (other := name.replace(one, two)) in columns and other not in ours
    ]


def shown(candidates: list[Candidate]) -> list[dict[str, Any]]:
    return [{"name": one.name, "values": list(one.values[:MOST_SHOWN]), "n": one.n} for one in candidates]
