"""Votes of an arena of Earshot, as its board gives them: CSV or JSON Lines, one row per vote and aspect."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from corpus.imports.files.encodings import encoding_of, first_bytes
from corpus.imports.files.rows import Row
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Said, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.files.csv_files import plain
from infrastructure.wording.reasons import Reason

COLUMNS = ("question_id", "model_a", "model_b", "winner", "judge", "aspect", "order", "used", "propensity", "rule")
OUTCOMES = {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "both_bad", "both_bad": "both_bad"}
#: The aspect under which a written reason is kept.
REASON = "reason"


def _recognises(head: Head) -> bool:
    return head.has(*COLUMNS) and not head.has("unit")


def _open(path: Path) -> Recognised:
    n = n_reserved = n_unread = 0
    voters, systems = set[str](), set[str]()
    for _, row in _rows(path):
        n += 1
        voters.add(str(row.get("judge") or ""))
        systems |= {str(row.get("model_a")), str(row.get("model_b"))}
        n_reserved += not _is_used(row)
        n_unread += str(row.get("winner")) not in OUTCOMES
    lost: list[Reason] = [
        reasons.COLUMNS_LOST(columns="rule, rule_version, drawn_at, dimension, capability"),
        reasons.BOTH_GOOD_IS_TIE(),
    ]
    if n_unread:
        lost.append(reasons.BATTLES_WITHOUT_OUTCOME(n=n_unread))
    return Recognised(
        reasons.ARENA_VOTES(n=n, voters=len(voters), systems=len(systems), left_out=n_reserved),
        tuple(lost),
        answers=lambda: _answers(_rows(path)),
    )


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """As they were before the CSV got an apostrophe before what a spreadsheet would run; JSON has none."""
    is_json = first_bytes(path).decode(encoding_of(path), errors="replace").lstrip()[:1] in ("{", "[")
    for number, row in tool_rows(path):
        yield number, row if is_json else {name: plain(cell) for name, cell in row.items()}


def _answers(rows: Iterator[tuple[int, Row]]) -> Iterator[tuple[int, Said]]:
    """`model_a` was heard first; an order of `ba` says that it is the second in the stored unit."""
    given: set[tuple[str, str, tuple[str, str]]] = set()
    for number, row in rows:
        outcome = OUTCOMES.get(str(row.get("winner")))
        if outcome is None:
            continue
        item, voter = str(row["question_id"]), str(row.get("judge") or "")
        first, second = str(row["model_a"]), str(row["model_b"])
        is_turned = row.get("order") == "ba"
        systems = (second, first) if is_turned else (first, second)
        value = {"a": "b", "b": "a"}.get(outcome, outcome) if is_turned else outcome
        more = {name: str(row.get(name) or "") for name in ("category", "order", "language", "propensity")}
        more |= {"recorded_at": _time(row.get("tstamp")), "excluded": str(row.get("left_out_because") or ""),
                 "excluded_by": str(row.get("left_out_by") or "")}  # fmt: skip
        said = Said(item, systems, value, str(row.get("aspect") or "overall"), voter, more=more)
        yield number, said
        if row.get(REASON) and (about := (item, voter, systems)) not in given:
            given.add(about)
            yield number, Said(item, systems, str(row[REASON]), REASON, voter, more=more)


def _is_used(row: Row) -> bool:
    return str(row.get("used")).casefold() in ("true", "1", "yes")


def _time(stamp: object) -> str:
    try:
        return datetime.fromtimestamp(float(str(stamp)), UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


TOOL = Tool("arena_votes", _recognises, _open, has_no_sound=True)
