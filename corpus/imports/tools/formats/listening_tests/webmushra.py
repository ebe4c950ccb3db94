"""webMUSHRA's results (mushra, paired_comparison, bs1116, lss and lms, as CSV), and its configuration, as YAML."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

import yaml

from corpus.imports.files.encodings import encoding_of
from corpus.imports.files.rows import Row, UnreadableManifest, place_in
from corpus.imports.mapping.mapping import (
    ANSWERS,
    AS_WRITTEN,
    BY_SYSTEM,
    LEFT_OUT,
    PSEUDONYMS,
    RESPONSES,
    TableMapping,
    Use,
)
from corpus.imports.mapping.rows.reading import MOST_EXAMPLES, NUMBER
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.reasons import NO_ROWS
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import TEXT, Reason

MUSHRA = ("trial_id", "rating_stimulus", "rating_score")
PAIRED = ("trial_id", "choice_reference", "choice_non_reference", "choice_answer")
BS1116 = ("trial_id", "rating_reference", "rating_non_reference", "rating_reference_score")
LIKERT = ("trial_id", "stimuli_rating", "stimuli")
KINDS = (MUSHRA, PAIRED, BS1116, LIKERT)
#: What stands between the test and the trial: what participants said of themselves.
FIRST, TRIAL, SESSION = "session_test_id", "trial_id", "session_uuid"
#: What was taken for the reference: it itself, or the other stimulus; and the same as people may have written it.
CHOSEN = {"correct": "a", "incorrect": "b", "undecided": "tie", "unknown": LEFT_OUT, "": LEFT_OUT,
          "reference": "a", "non_reference": "b", "nonreference": "b", "non-reference": "b", "tie": "tie", "a": "a",
          "b": "b"}  # fmt: skip
#: The question of a paired comparison: which of the two is the reference.
WHICH_IS_REFERENCE = "reference"
#: What stands for a rating that was not given.
NOT_GIVEN = "NA"
CONFIGURATION = re.compile(r"^pages:", re.MULTILINE)
OF_TEST = re.compile(r"^(testname|testId):", re.MULTILINE)
MOST_YAML = 500 * 1024
#: A value with a colon in it, which webMUSHRA's own parser takes as it is, though YAML wants it quoted.
WITH_COLON = re.compile(rb"""^([ \t]*(?:- +)*\w+:[ \t]+)([^\s'"\[{|>&*!#%@`].*:[ \t].*)$""", re.MULTILINE)
#: Pages whose stimuli are heard and judged.
PAGES = ("mushra", "paired_comparison", "bs1116", "likert_single_stimulus", "likert_multi_stimulus")


def _recognises(head: Head) -> bool:
    results = head.has(FIRST) and any(head.has(*names) for names in KINDS)
    return results or bool(CONFIGURATION.search(head.text) and OF_TEST.search(head.text))


def _open(path: Path) -> Recognised:
    with path.open("rb") as file:
        text = file.read(MOST_YAML + 1)
    if CONFIGURATION.search(text.decode(encoding_of(path), errors="replace")):
        return _configuration(path, text)
    return results(path, partial(tool_rows, path), reasons.WEBMUSHRA)


def results(path: Path, read: Callable[[], Iterator[tuple[int, Row]]], told: Callable[..., Reason]) -> Recognised:
    """The results of one type of page, as `read` gives them in the columns of webMUSHRA's own server."""
    lost = [reasons.COLUMNS_LOST(columns="session_test_id, times, and what participants said of themselves")]
    columns = next((set(row) for _, row in read()), set[str]())
    if not columns:
        raise UnreadableManifest(NO_ROWS())
    kind = next(names for names in KINDS if columns.issuperset(names))
    rows = partial(_rows, read)
    n, not_given, sessions, trials, words = 0, 0, set[str](), set[str](), set[str]()
    for _, row in rows():
        n += 1
        not_given += kind is LIKERT and row["score"] == NOT_GIVEN
        if kind is LIKERT and not NUMBER.fullmatch(row["score"]):
            words.add(row["score"])
        sessions.add(row["participant"])
        trials.add(row[TRIAL])
    if kind is MUSHRA:
        lost.append(reasons.MUSHRA_SINGLE())
    if kind is PAIRED:
        lost.append(reasons.WEBMUSHRA_WHICH_IS_REFERENCE())
    if not_given:
        lost.append(reasons.WEBMUSHRA_NOT_GIVEN(n=not_given))
    if own := sorted(words - {"", NOT_GIVEN}):
        more = f" … ({len(own)})" if len(own) > MOST_EXAMPLES else ""
        lost.append(reasons.WEBMUSHRA_OWN_SCALE(words=", ".join(own[:MOST_EXAMPLES]) + more))
    return Recognised(
        told(n=n, trials=len(trials), sessions=len(sessions)),
        tuple(lost),
        table=ForeignTable(rows, place_in(path), path.stat().st_size),
        mapping=_mapping(kind),
        limits={"score": (0, 100)} if kind is MUSHRA else {},
    )


def _mapping(kind: tuple[str, ...]) -> TableMapping:
    uses = {TRIAL: Use("item"), "participant": Use("annotator")}
    if kind is PAIRED:
        uses |= {
            "choice_reference": Use("system_a"), "choice_non_reference": Use("system_b"),
            "choice_answer": Use("answer", WHICH_IS_REFERENCE, values=CHOSEN, others=BY_SYSTEM),
            "choice_comment": Use("comment", "comment"),
        }  # fmt: skip
    else:
        question = "quality" if kind in (MUSHRA, BS1116) else "rating"
        others = AS_WRITTEN if kind is LIKERT else ""  # whose responses may be words
        left_out = {NOT_GIVEN: LEFT_OUT} if kind is LIKERT else {}
        uses |= {"stimulus": Use("system"), "score": Use("answer", question, values=left_out, others=others)}
        uses |= {"comment": Use("comment", "comment")} if kind is not LIKERT else {}
    return TableMapping(ANSWERS, uses, raters=PSEUDONYMS)


def _rows(read: Callable[[], Iterator[tuple[int, Row]]]) -> Iterator[tuple[int, Row]]:
    """A row for each rating, or for each choice."""
    for number, row in read():
        about = {TRIAL: row.get(TRIAL, ""), "participant": _participant(row)}
        if "choice_answer" in row:
            yield number, about | {name: row.get(name, "") for name in (*PAIRED[1:], "choice_comment")}
        elif "rating_reference_score" in row:
            comment = {"comment": row.get("choice_comment", "")}
            for stimulus in ("rating_reference", "rating_non_reference"):
                score = row.get(f"{stimulus}_score", "")
                yield number, about | {"stimulus": row.get(stimulus, ""), "score": score} | comment
                comment = {"comment": ""}
        elif "rating_stimulus" in row:
            rating = {"stimulus": row["rating_stimulus"], "score": row["rating_score"]}
            yield number, about | rating | {"comment": row.get("rating_comment", "")}
        else:
            yield number, about | {"stimulus": row["stimuli"], "score": str(row["stimuli_rating"]).strip()}


def _participant(row: Row) -> str:
    """The session where it is named; else what participants said of themselves, which is all there is."""
    if row.get(SESSION):
        return str(row[SESSION])
    names = list(row)
    said = names[names.index(FIRST) + 1 : names.index(TRIAL)]
    return " / ".join(str(row[name]) for name in said if row[name])


# -- the configuration -------------------------------------------------------------------------------------------


def _configuration(path: Path, text: bytes) -> Recognised:
    if len(text) > MOST_YAML:
        raise UnreadableManifest(reasons.WEBMUSHRA_NO_YAML(why=TEXT(text="more than 500 kB")))
    try:
        said = _loaded(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UnreadableManifest(reasons.WEBMUSHRA_NO_YAML(why=TEXT(text=str(error)[:200]))) from error
    pages = list(_pages(said.get("pages") if isinstance(said, dict) else None))
    heard = [page for page in pages if page.get("type") in PAGES and isinstance(page.get("stimuli"), dict)]
    unread = _types(page for page in pages if page not in heard and page.get("stimuli"))
    silent = _types(page for page in pages if page not in heard and not page.get("stimuli"))
    names, repeated = _names(heard)
    made = [(n, row) for n, page in enumerate(heard, start=1) for row in _stimuli(page, names[n - 1])]
    if not made and unread:
        raise UnreadableManifest(reasons.WEBMUSHRA_NO_PAGES_READ(kinds=unread, read=", ".join(PAGES)))
    if not made:
        raise UnreadableManifest(reasons.WEBMUSHRA_NO_PAGES())
    lost = [reasons.WEBMUSHRA_PAGES_LOST(kinds=silent)] if silent else []
    if unread:
        lost.append(reasons.WEBMUSHRA_PAGES_UNREAD(kinds=unread))
    if repeated:
        lost.append(reasons.WEBMUSHRA_IDS_REPEATED(names=", ".join(repeated)))
    uses = {
        "page": Use("item"), "type": Use("category"), "reference": Use("prompt_audio"), "stimulus": Use("system"),
        "path": Use("response_audio"),
    }  # fmt: skip
    return Recognised(
        reasons.WEBMUSHRA_CONFIGURATION(pages=len(heard), clips=len(made)),
        (*lost, reasons.WEBMUSHRA_NO_PROTOCOL()),
        table=ForeignTable(lambda: iter(made), "row", path.stat().st_size),
        mapping=TableMapping(RESPONSES, uses),
    )


def _loaded(text: bytes) -> object:
    """The text as YAML; else with those values quoted that have a colon, as webMUSHRA ships some."""
    try:
        return _without_aliases(text)
    except yaml.YAMLError:
        quoted = WITH_COLON.sub(lambda it: it[1] + b"'" + it[2].strip().replace(b"'", b"''") + b"'", text)
        if quoted == text:
            raise
        return _without_aliases(quoted)


def _without_aliases(text: bytes) -> object:
    """Raises yaml.YAMLError over aliases, which can stand for more than fits into memory."""
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.SafeLoader)):
        raise yaml.YAMLError("aliases can stand for more than fits into memory")
    return yaml.safe_load(text)


def _pages(pages: object) -> Iterator[dict[str, Any]]:
    """All pages, out of the lists in which they are put in random order."""
    for page in pages if isinstance(pages, list) else ():
        if isinstance(page, list):
            yield from _pages(page)
        elif isinstance(page, dict):
            yield page


def _types(pages: Iterable[dict[str, Any]]) -> str:
    return ", ".join(sorted({str(page.get("type")) for page in pages}))


def _names(pages: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The name of each page, its id with a number where an earlier page has it, and the ids that come again.

    >>> _names([{"id": "t"}, {"id": "t 2"}, {"id": "t"}, {"name": "u"}])
    (['t', 't 2', 't 3', 'u'], ['t'])
    """
    ids = [str(page.get("id") or page.get("name") or "") for page in pages]
    names, repeated = list[str](), list[str]()
    for name in ids:
        numbered = chain([name], (f"{name} {n}" for n in count(2)))
        first_free = next(it for it in numbered if it not in names and (it == name or it not in ids))
        names.append(first_free)
        if first_free != name and name not in repeated:
            repeated.append(name)
    return names, repeated


def _stimuli(page: dict[str, Any], name_of_page: str) -> Iterator[Row]:
    reference = str(page.get("reference") or "")
    for name, place in page["stimuli"].items():
        yield {
            "page": name_of_page, "type": str(page.get("type")),
            "reference": reference, "stimulus": str(name), "path": str(place),
        }  # fmt: skip


TOOL = Tool("webmushra", _recognises, _open)
