"""Per-token log-probabilities that a model gave elsewhere, one sequence per row: JSON Lines or Parquet.

Needed: `model`, `pair`, `side` (positive, negative), `logprobs` (a list, or one list of codebooks per frame). If
known: `unconditional`, `category`, `prompt_frames` (or `tokens`: the common beginning of a pair is its prompt).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction

from accounts.models import User
from corpus.imports.files.rows import Row, read_rows
from corpus.imports.plan import Problem
from corpus.models import Dataset
from infrastructure.wording.reasons import reason_of
from measurements import reasons
from measurements.imported_tables import CheckedTable, FaultyRow
from measurements.likelihood.nll import TokenSequence, common_prefix
from measurements.models import LikelihoodSequence

COLUMNS = ("model", "pair", "side", "logprobs", "unconditional", "prompt_frames", "tokens", "category")
NEEDED = COLUMNS[:4]
_FLOAT = "<f4"
MOST_FRAMES = 2**31 - 1
Key = tuple[str, str, str]
Checked = CheckedTable[Key, LikelihoodSequence]


def import_likelihoods(dataset: Dataset, path: Path, *, user: User) -> Checked:
    """Write the sequences of a file, all of them or, where a row is faulty, none. Raises UnreadableManifest."""
    checked = check_likelihoods(dataset, read_rows(path), user=user)
    if not checked.problems:
        with transaction.atomic():
            LikelihoodSequence.objects.bulk_create(checked.new.values(), 100)
    return checked


def check_likelihoods(dataset: Dataset, rows: list[tuple[int, Row]], *, user: User) -> Checked:
    """What the rows would bring. Writes nothing."""
    checked = Checked()
    held = {_key(row): row for row in LikelihoodSequence.objects.filter(dataset=dataset).iterator()}
    prompts = _prompts(rows)
    for number, row in rows:
        try:
            made = _sequence(row, prompts)
        except FaultyRow as fault:
            checked.problems.append(Problem(number, "row", fault.reason))
            continue
        made.dataset, made.imported_by = dataset, user
        there = held.get(_key(made)) or checked.new.get(_key(made))
        if there is None:
            checked.new[_key(made)] = made
        elif _content(there) == _content(made):
            checked.n_known += 1
        else:
            why = reasons.SEQUENCE_IS_THERE(sequence=made)
            checked.problems.append(Problem(number, "row", why))
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
        raise FaultyRow(reasons.TABLE_HAS_NO_COLUMN(column=unknown[0], columns=", ".join(COLUMNS)))
    for name in NEEDED:
        if row.get(name) in (None, ""):
            raise FaultyRow(reasons.COLUMN_EMPTY(column=name))
    model, pair, side = (str(row[name]).strip() for name in NEEDED[:3])
    if side not in LikelihoodSequence.Side.values:
        raise FaultyRow(reasons.NO_SUCH_SIDE(side=repr(side)))
    if max(len(model), len(pair)) > 200 or len(str(row.get("category") or "")) > 100:
        raise FaultyRow(reasons.MODEL_OR_PAIR_TOO_LONG())
    logprobs, per_frame = _array(row["logprobs"], "logprobs")
    unconditional = None
    if row.get("unconditional") is not None:
        unconditional, _same = _array(row["unconditional"], "unconditional")
    prompt = row.get("prompt_frames")
    prompt = prompts.get((model, pair)) if prompt is None else prompt
    if prompt is not None and not _is_count(prompt):
        raise FaultyRow(reasons.PROMPT_FRAMES_NO_NUMBER())
    try:
        TokenSequence(logprobs, unconditional, None if prompt is None else int(prompt), per_frame)
    except ValueError as fault:
        raise FaultyRow(reason_of(fault)) from fault
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
        raise FaultyRow(reasons.NO_LIST_OF_NUMBERS(column=name)) from error
    if array.ndim not in (1, 2) or not array.size:
        raise FaultyRow(reasons.NO_LIST_OF_NUMBERS(column=name))
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
