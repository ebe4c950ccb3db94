"""Results of pyMUSHRA, webMUSHRA's server in Python, as it gives them for download: CSV or JSON, a row per response.

Its rows become those of webMUSHRA's own server. A file of all pages of a test has the columns of every type of page;
what is a number in one of them stands there with a decimal point.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from corpus.imports.files.rows import Row, UnreadableManifest
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.listening_tests.webmushra import BS1116, LIKERT, MUSHRA, PAIRED, results
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows

TYPE, TRIAL, SESSION = "wm_type", "wm_id", "questionaire_uuid"
#: By the type of a page: the columns of webMUSHRA's own server after that of the trial, and those of the response.
COLUMNS = {
    "mushra": (MUSHRA[1:], ("stimulus", "score")),
    "paired_comparison": (PAIRED[1:], ("reference", "nonReference", "answer")),
    "bs1116": (
        (*BS1116[1:], "rating_non_reference_score"),
        ("reference", "nonReference", "referenceScore", "nonReferenceScore"),
    ),
    "likert_single_stimulus": (LIKERT[1:], ("stimulusRating", "stimulus")),
    "likert_multi_stimulus": (LIKERT[1:], ("stimulusRating", "stimulus")),
}
COMMENTS = {"mushra": "rating_comment", "paired_comparison": "choice_comment", "bs1116": "choice_comment"}
WHOLE = re.compile(r"(-?\d+)\.0")


def _recognises(head: Head) -> bool:
    return head.has(TYPE, TRIAL, SESSION)


def _open(path: Path) -> Recognised:
    types = Counter(str(row.get(TYPE)) for _, row in tool_rows(path))
    read = sorted(types.keys() & COLUMNS.keys())
    if len({COLUMNS[it][0] for it in read}) > 1:
        raise UnreadableManifest(reasons.PYMUSHRA_SEVERAL_TYPES(types=", ".join(read)))
    found = results(path, partial(_rows, path), reasons.PYMUSHRA)
    if others := {name: n for name, n in types.items() if name not in COLUMNS}:
        left_out = reasons.PYMUSHRA_TYPES_LOST(n=sum(others.values()), types=", ".join(sorted(others)))
        return replace(found, lost=(*found.as_json()["lost"], left_out))
    return found


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The responses that are read, as webMUSHRA's own server writes them."""
    for number, row in tool_rows(path):
        if (kind := str(row.get(TYPE))) not in COLUMNS:
            continue
        theirs, ours = COLUMNS[kind]
        made = {"session_test_id": str(row.get("wm_testId") or ""), "session_uuid": str(row[SESSION])}
        made |= {"trial_id": _text(row[TRIAL])}
        made |= {name: _text(row.get(f"responses_{of}")) for name, of in zip(theirs, ours, strict=True)}
        if kind in COMMENTS:
            made[COMMENTS[kind]] = _text(row.get("responses_comment"))
        yield number, made


def _text(cell: object) -> str:
    """The cell as it was posted.

    >>> _text("40.0"), _text(3.0), _text(3.25), _text("C1"), _text(None)
    ('40', '3', '3.25', 'C1', '')
    """
    text = "" if cell is None else str(cell)
    found = WHOLE.fullmatch(text)
    return found[1] if found else text


TOOL = Tool("pymushra", _recognises, _open)
