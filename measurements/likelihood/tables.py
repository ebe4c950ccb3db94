"""Per-token log-probabilities that a model gave elsewhere, one sequence per row: JSON Lines or Parquet.

Needed: `model`, `pair`, `side` (positive, negative), `logprobs` (a list, or one list of codebooks per frame). If
known: `unconditional`, `category`, `prompt_frames` (or `tokens`: the common beginning of a pair is its prompt).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction

from accounts.models import User
from campaigns.imports.plan import Problem
from campaigns.imports.rows import Row, read_rows
from campaigns.models import Dataset
from measurements.likelihood.nll import TokenSequence, common_prefix
from measurements.models import LikelihoodSequence

COLUMNS = ("model", "pair", "side", "logprobs", "unconditional", "prompt_frames", "tokens", "category")
NEEDED = COLUMNS[:4]
_FLOAT = "<f4"
MOST_FRAMES = 2**31 - 1
Key = tuple[str, str, str]


class FaultyRow(ValueError):
    """A row that cannot be taken; the message says why."""


@dataclass
class CheckedLikelihoods:
    """The sequences of a table that are new, how many were there already, and what is wrong, row by row."""

    new: dict[Key, LikelihoodSequence] = field(default_factory=dict)
    n_known: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def n_new(self) -> int:
        return len(self.new)


def import_likelihoods(dataset: Dataset, path: Path, *, user: User) -> CheckedLikelihoods:
    """Write the sequences of a file, all of them or, where a row is faulty, none. Raises UnreadableManifest."""
    checked = check_likelihoods(dataset, read_rows(path), user=user)
    if not checked.problems:
        with transaction.atomic():
            LikelihoodSequence.objects.bulk_create(checked.new.values(), 100)
    return checked


def check_likelihoods(dataset: Dataset, rows: list[tuple[int, Row]], *, user: User) -> CheckedLikelihoods:
    """What the rows would bring. Writes nothing."""
    checked = CheckedLikelihoods()
    held = {_key(row): row for row in LikelihoodSequence.objects.filter(dataset=dataset).iterator()}
    prompts = _prompts(rows)
    for number, row in rows:
        try:
            made = _sequence(row, prompts)
        except FaultyRow as fault:
            checked.problems.append(Problem(number, "row", str(fault)))
            continue
        made.dataset, made.imported_by = dataset, user
        there = held.get(_key(made)) or checked.new.get(_key(made))
        if there is None:
            checked.new[_key(made)] = made
        elif _content(there) == _content(made):
            checked.n_known += 1
        else:
            told = f"{made} is there with other log-probabilities; name the model otherwise to keep both."
            checked.problems.append(Problem(number, "row", told))
    return checked


def as_sequence(row: LikelihoodSequence) -> TokenSequence:
    """The row as arithmetic takes it."""
    unconditional = None if row.unconditional is None else _floats(row.unconditional)
    return TokenSequence(_floats(row.logprobs), unconditional, row.prompt_frames, row.per_frame)


def pairs_of(dataset: Dataset) -> Iterator[tuple[str, str, TokenSequence, TokenSequence]]:
    """(model, category, positive, negative) of every pair that has both sides."""
    rows = LikelihoodSequence.objects.filter(dataset=dataset).order_by("model", "pair", "side")
    negative: LikelihoodSequence | None = None
    for row in rows.iterator(chunk_size=200):  # `negative` comes before `positive`
        if row.side == LikelihoodSequence.Side.NEGATIVE:
            negative = row
        elif negative and (negative.model, negative.pair) == (row.model, row.pair):
            yield row.model, row.category, as_sequence(row), as_sequence(negative)


def _sequence(row: Row, prompts: Mapping[tuple[str, str], int]) -> LikelihoodSequence:
    if unknown := sorted(set(row) - set(COLUMNS)):
        raise FaultyRow(f"There is no column {unknown[0]}; there are {', '.join(COLUMNS)}.")
    for name in NEEDED:
        if row.get(name) in (None, ""):
            raise FaultyRow(f"The column {name} is empty or missing.")
    model, pair, side = (str(row[name]).strip() for name in NEEDED[:3])
    if side not in LikelihoodSequence.Side.values:
        raise FaultyRow(f"A side is positive or negative, not {side!r}.")
    if max(len(model), len(pair)) > 200 or len(str(row.get("category") or "")) > 100:
        raise FaultyRow("A model or a pair has at most 200 characters, a category 100.")
    logprobs, per_frame = _array(row["logprobs"], "logprobs")
    unconditional = None
    if row.get("unconditional") is not None:
        unconditional, _same = _array(row["unconditional"], "unconditional")
    prompt = row.get("prompt_frames")
    prompt = prompts.get((model, pair)) if prompt is None else prompt
    if prompt is not None and not _is_count(prompt):
        raise FaultyRow("prompt_frames is a whole number.")
    try:
        TokenSequence(logprobs, unconditional, None if prompt is None else int(prompt), per_frame)
    except ValueError as fault:
        raise FaultyRow(str(fault)) from fault
    return LikelihoodSequence(
        model=model, pair=pair, side=side, category=str(row.get("category") or ""), per_frame=per_frame,
        prompt_frames=None if prompt is None else int(prompt), logprobs=logprobs.astype(_FLOAT).tobytes(),
        unconditional=None if unconditional is None else unconditional.astype(_FLOAT).tobytes(),
    )  # fmt: skip


def _is_count(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MOST_FRAMES and value == int(value)


def _array(values: Any, name: str) -> tuple[Any, int]:
    """The values in one row, and how many there are per frame."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise FaultyRow(f"{name} is a list of numbers, or one list of equal length per frame.") from error
    if array.ndim not in (1, 2) or not array.size:
        raise FaultyRow(f"{name} is a list of numbers, or one list of equal length per frame.")
    return array.reshape(-1), 1 if array.ndim == 1 else array.shape[1]


def _prompts(rows: list[tuple[int, Row]]) -> dict[tuple[str, str], int]:
    """The common beginning of the tokens of both sides, for pairs that bring tokens."""
    tokens: dict[tuple[str, str], dict[str, list[object]]] = {}
    for _, row in rows:
        if isinstance(row.get("tokens"), list):
            key = str(row.get("model", "")).strip(), str(row.get("pair", "")).strip()
            tokens.setdefault(key, {})[str(row.get("side", "")).strip()] = row["tokens"]
    return {key: common_prefix(*sides.values()) for key, sides in tokens.items() if len(sides) == 2}


def _floats(content: bytes | memoryview) -> Any:
    return np.frombuffer(content, dtype=_FLOAT).astype(np.float64)


def _key(row: LikelihoodSequence) -> Key:
    return row.model, row.pair, row.side


def _content(row: LikelihoodSequence) -> tuple[object, ...]:
    unconditional = None if row.unconditional is None else bytes(row.unconditional)
    return bytes(row.logprobs), unconditional, row.prompt_frames, row.per_frame, row.category
