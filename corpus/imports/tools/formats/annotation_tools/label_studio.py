"""Label Studio's exports: JSON, JSON-MIN and CSV. A row for each annotation, with the data of its task beside it."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from corpus.imports.files.rows import Row, place_in
from corpus.imports.mapping.guessing.guess import LONG_WORDS, for_shape, guess_mapping, question_of
from corpus.imports.mapping.guessing.profile import ColumnProfile, Profile, profile_of
from corpus.imports.mapping.mapping import PAIRS, PSEUDONYMS, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import Reason

#: What JSON-MIN and CSV add to the data of a task and its answers.
ABOUT = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
WRITTEN = "textarea"
#: Where the answer of a control stands in its value.
IN_VALUE = ("choices", "rating", "number", "text", "selected", "datetime", "taxonomy", "ranker")


def _recognises(head: Head) -> bool:
    return _is_full(head.row) or head.has("annotator", "annotation_id", "lead_time")


def _is_full(row: Row) -> bool:
    """A task with its annotations, of which there may be none, or nothing that is one."""
    return isinstance(row.get("data"), dict) and ("annotations" in row or "completions" in row)


def _open(path: Path) -> Recognised:
    seen = _Seen()
    rows = partial(_rows, path)
    profile = profile_of(rows(seen))
    return Recognised(
        reasons.LABEL_STUDIO(tasks=len(seen.tasks), annotators=len(seen.annotators), annotations=seen.n),
        tuple(seen.lost()),
        table=ForeignTable(rows, place_in(path), path.stat().st_size),
        mapping=_mapping(profile, seen.answers or _between(profile.names, "id", "annotator"), seen.written),
    )


def _between(names: list[str], first: str, last: str) -> list[str]:
    """In JSON-MIN the answers stand between these; a CSV has its columns by the alphabet, and says nothing."""
    if names == sorted(names) or names.index(first) > names.index(last):
        return []
    return names[names.index(first) + 1 : names.index(last)]


class _Seen:
    """What an export holds: its tasks, annotators and controls, and what of it no row has."""

    def __init__(self) -> None:
        self.tasks, self.annotators = set[str](), set[str]()
        self.n = self.n_cancelled = self.n_regions = self.n_predictions = self.n_several = 0
        self.controls: dict[str, str] = {}
        self.kinds = Counter[str]()

    @property
    def answers(self) -> list[str]:
        return list(self.controls)

    @property
    def written(self) -> set[str]:
        """The controls whose answers are texts."""
        return {name for name, kind in self.controls.items() if kind == WRITTEN}

    def lost(self) -> Iterator[Reason]:
        if self.n_cancelled:
            yield reasons.ANNOTATIONS_CANCELLED(n=self.n_cancelled)
        if self.n_regions:
            yield reasons.REGIONS(n=self.n_regions, kinds=", ".join(sorted(self.kinds)))
        if self.n_several:
            yield reasons.SEVERAL_CHOICES(n=self.n_several)
        if self.n_predictions:
            yield reasons.PREDICTIONS(n=self.n_predictions)


def _rows(path: Path, seen: _Seen | None = None) -> Iterator[tuple[int, Row]]:
    """Rows of one shape, whichever of the exports it is."""
    seen = seen or _Seen()
    for number, row in tool_rows(path):
        if _is_full(row):
            yield from ((number, made) for made in _of_task(row, seen))
        else:
            yield number, _of_min(row, seen)


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _of_task(task: Row, seen: _Seen) -> Iterator[Row]:
    data = {name: _path(value) for name, value in task["data"].items()}
    key = str(task.get("id", task.get("inner_id", "")))
    seen.tasks.add(key)
    seen.n_predictions += len(_list(task.get("predictions")))
    given = [it for it in _list(task.get("annotations", task.get("completions"))) if isinstance(it, dict)]
    kept = [it for it in given if not (it.get("was_cancelled") or it.get("skipped"))]
    seen.n_cancelled += len(given) - len(kept)
    for annotation in kept:
        seen.n += 1
        seen.annotators.add(who := _who(annotation.get("completed_by")))
        yield {"id": key, **data} | _answers(annotation.get("result") or [], data, seen) | {
            "annotator": who, "annotation_id": annotation.get("id"), "created_at": annotation.get("created_at"),
        }  # fmt: skip
    if not kept:
        yield {"id": key, **data, "annotator": "", "annotation_id": None, "created_at": None}


def _answers(results: list[Any], data: Row, seen: _Seen) -> Row:
    found: Row = {}
    for result in results:
        if not isinstance(result, dict) or not isinstance(value := result.get("value"), dict):
            continue
        kind, control = str(result.get("type")), str(result.get("from_name"))
        if (kind not in IN_VALUE and kind not in (WRITTEN, "pairwise")) or value.keys() & {"start", "end", "x"}:
            seen.n_regions += 1
            seen.kinds[kind] += 1
            continue
        name = control if control not in (*data, *ABOUT) else f"{control} (answer)"
        seen.controls.setdefault(name, kind)
        found[name] = _value(value, seen)
    return found


def _value(value: Row, seen: _Seen) -> object:
    said = next((value[name] for name in IN_VALUE if name in value), None)
    if not isinstance(said, list):
        return said
    seen.n_several += len(said) > 1
    return " | ".join(str(part) if not isinstance(part, list) else " / ".join(map(str, part)) for part in said)


def _of_min(row: Row, seen: _Seen) -> Row:
    """A row of JSON-MIN or CSV: ratings and several choices are objects there, and in the CSV JSON."""
    seen.n += 1
    seen.tasks.add(str(row.get("id")))
    seen.annotators.add(who := _who(row.get("annotator")))
    made = {name: _path(_plain(value, seen)) for name, value in row.items()}
    return made | {"annotator": who}


def _plain(value: object, seen: _Seen) -> object:
    if isinstance(value, str) and value.startswith(('{"', '[{"')):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    parts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]
    if any(part.keys() & {"start", "end", "x"} for part in parts):
        seen.n_regions += len(parts)
        seen.kinds["region"] += len(parts)
        return None
    if parts and all(part.keys() & {*IN_VALUE} for part in parts):
        return _value(parts[0], seen)
    return value


def _who(said: object) -> str:
    """The annotator by address where the export has it, else by number."""
    if isinstance(said, dict):
        return str(said.get("email") or said.get("id") or "")
    return str(said or "")


def _path(value: object) -> object:
    """Files that Label Studio stores or serves, as paths inside its folder of uploads; others as they are."""
    if not isinstance(value, str):
        return value
    if value.startswith("/data/local-files/"):
        return parse_qs(urlsplit(value).query).get("d", [value])[0]
    return value.removeprefix("/data/") if value.startswith("/data/") else value


def _mapping(profile: Profile, answers: list[str], written: set[str]) -> TableMapping:
    """The columns of the task as they are guessed; of the others it is known what they are.

    Where it is not known which are answers, these are guessed, too.
    """
    data = [column for column in profile.columns if column.name not in (*ABOUT, *answers)]
    guessed = guess_mapping(Profile(profile.rows, data))
    no_data = ("answer", "comment", "annotator") if answers else ("annotator",)
    uses = {name: use for name, use in guessed.columns.items() if use.becomes not in no_data}
    if not any(use.becomes == "item" for use in uses.values()):
        uses["id"] = Use("item")
    uses["annotator"] = Use("annotator")
    if guessed.shape != PAIRS:
        uses["created_at"] = Use("recorded_at")
    questions, columns = [question_of(name) for name in answers], {it.name: it for it in profile.columns}
    for name, question in zip(answers, questions, strict=True):
        named = question if questions.count(question) == 1 else name
        is_text = name in written or _is_prose(columns[name])
        uses[name] = Use("comment", name[:60]) if is_text else Use("answer", named[:60])
    mapping = for_shape(TableMapping(guessed.shape, uses), guessed.shape, profile)
    return replace(mapping, raters=PSEUDONYMS)


def _is_prose(column: ColumnProfile) -> bool:
    said = [*column.values, *column.samples]
    return bool(said) and not column.are_numbers and all(len(it) > LONG_WORDS and " " in it for it in said)


TOOL = Tool("label_studio", _recognises, _open)
