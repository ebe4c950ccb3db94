"""Samples of lm-evaluation-harness: a line for each document, with its prompt, what the model said, and metrics."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from corpus.imports.files.rows import Row, UnreadableManifest
from corpus.imports.mapping.mapping import AS_WRITTEN, RESPONSES, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.metric_scores.loose_json import is_number, loose_lines
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool

RATER, MODEL = "lm-eval", "model"
ABOUT = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
})  # fmt: skip
NOT_KEPT = ("doc", "target", "filtered_resps")
#: What a file of totals has, which is written beside the samples.
OF_TOTALS = ("results", "configs", "n-shot")


def _recognises(head: Head) -> bool:
    return head.has("doc_id", "doc", "resps", "filtered_resps") or head.has(*OF_TOTALS)


def _open(path: Path) -> Recognised:
    rows = partial(_rows, path)
    n, items, answers, wordless, no_numbers = 0, set[str](), dict[str, None](), 0, Counter[str]()
    for _, row in loose_lines(path) if not _is_totals(path) else ():
        n += 1
        items.add(str(row.get("doc_id")))
        wordless += not _said(row)
        for name, value in _measured(row).items():
            if is_number(value):
                answers[name] = None
            else:
                no_numbers[name] += 1
    if not n:
        raise UnreadableManifest(reasons.LM_EVAL_TOTALS())
    uses = {
        "doc_id": Use("item"), "prompt": Use("prompt_text"), "response": Use("response_text", MODEL),
    } | {name: Use("answer", name[:60], RATER, others=AS_WRITTEN, system=MODEL) for name in answers}  # fmt: skip
    not_kept = [*NOT_KEPT, *sorted(no_numbers.keys() - answers)]
    lost = [reasons.LM_EVAL_NAMES_NO_MODEL(model=MODEL), reasons.COLUMNS_LOST(columns=", ".join(not_kept))]
    if some := sorted(no_numbers.keys() & answers):
        lost.append(reasons.NO_NUMBERS(n=sum(no_numbers[name] for name in some), columns=", ".join(some)))
    if wordless:
        lost.append(reasons.LM_EVAL_WITHOUT_WORDS(n=wordless))
    return Recognised(
        reasons.LM_EVAL(n=n, items=len(items), metrics=len(answers)),
        tuple(lost),
        table=ForeignTable(rows, "line", path.stat().st_size),
        mapping=TableMapping(RESPONSES, uses),
    )


def _is_totals(path: Path) -> bool:
    """A file of totals is one object over many lines."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline().strip() == "{"


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    for number, row in loose_lines(path):
        yield number, {
            "doc_id": str(row.get("doc_id")), "prompt": _prompt(row), "response": _said(row) or "–",
        } | _metrics(row)  # fmt: skip


def _metrics(row: Row) -> dict[str, Any]:
    """The numbers by metric."""
    return {name: value for name, value in _measured(row).items() if is_number(value)}


def _measured(row: Row) -> dict[str, Any]:
    """What was measured, by metric; of several filters of one answer, each has metrics of its own."""
    filtered = str(row.get("filter") or "none")
    suffix = "" if filtered == "none" else f" ({filtered})"
    named = row.get("metrics")
    names = named if isinstance(named, list) else [name for name in row if name not in ABOUT]
    return {f"{name}{suffix}": row[name] for name in names if name in row}


def _prompt(row: Row) -> str:
    """The first argument of the first request, as samples are saved; or as the program has them in memory."""
    arguments = row.get("arguments")
    first = arguments.get("gen_args_0", {}) if isinstance(arguments, dict) else arguments
    said = first.get("arg_0", "") if isinstance(first, dict) else first
    while isinstance(said, list) and said:
        said = said[0]
    return said if isinstance(said, str) else ""


def _said(row: Row) -> str:
    """What the model wrote; nothing where it was asked for likelihoods."""
    said = row.get("resps")
    while isinstance(said, list) and said:
        said = said[0]
    return said.strip() if isinstance(said, str) and not _is_likelihood(said) else ""


def _is_likelihood(said: str) -> bool:
    """Numbers are saved as texts."""
    try:
        float(said)
    except ValueError:
        return False
    return True


TOOL = Tool("lm_eval", _recognises, _open, has_no_sound=True)
