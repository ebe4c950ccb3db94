"""Potato's answers: what its export writes (CSV, TSV, JSON Lines), an annotator's annotated_instances.jsonl, or a ZIP
of the whole output folder, with a folder for each annotator.

They name items by their ids alone: what was heard comes in by the project's data file, before or after.
"""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from corpus.imports.files.audio_files import ZipAudio
from corpus.imports.files.rows import Row, UnreadableManifest, place_in, rows_of
from corpus.imports.mapping.guessing.guess import for_shape, question_of
from corpus.imports.mapping.guessing.profile import profile_of
from corpus.imports.mapping.mapping import ANSWERS, PSEUDONYMS, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.reasons import NO_JSON
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool
from corpus.imports.tools.tool_rows import tool_rows
from infrastructure.wording.reasons import Reason, reason_of

#: Labels under which one value stands, which is the answer; others are answers by themselves.
FIELDS = frozenset({"", "selection", "slider", "text_box", "number", "value", "rating", "scale_value"})
WRITTEN = frozenset({"text_box", "justification"})
STATE, INSTANCES = "user_state.json", "annotated_instances.jsonl"
NAMES = ("instance_id", "user_id")
MAX_BYTES = 200 * 1024**2
#: (item, annotator, labels by scheme, how many spans)
Annotated = tuple[str, str, dict[str, dict[str, Any]], int]
#: What stands in columns beside the labels.
SPANS = ("_spans", "_room", "_room_id")


def _recognises(head: Head) -> bool:
    if head.kind == "zip":
        return any(PurePosixPath(name).name in (STATE, INSTANCES) for name in head.names)
    return head.has(*NAMES) or head.has("id", "label_annotations", "span_annotations")


def _open(path: Path) -> Recognised:
    seen = _Seen()
    rows = partial(_rows, path)
    profile = profile_of(rows(seen))
    uses = {"instance_id": Use("item"), "user_id": Use("annotator")}
    for name in profile.names:
        if name not in NAMES:
            becomes = "comment" if name in seen.written else "answer"
            uses[name] = Use(becomes, question_of(name) if becomes == "answer" else name[:60])
    return Recognised(
        reasons.POTATO(items=len(seen.items), annotators=len(seen.annotators), annotations=seen.n),
        tuple(seen.lost()),
        table=ForeignTable(rows, "row" if zipfile.is_zipfile(path) else place_in(path), path.stat().st_size),
        mapping=replace(for_shape(TableMapping(ANSWERS, uses), ANSWERS, profile), raters=PSEUDONYMS),
    )


class _Seen:
    """What the answers are of, and what of them no row has."""

    def __init__(self) -> None:
        self.items, self.annotators, self.written = set[str](), set[str](), set[str]()
        self.n = self.n_spans = self.n_several = 0

    def lost(self) -> Iterator[Reason]:
        yield reasons.POTATO_NAMES_ITEMS()
        if self.n_spans:
            yield reasons.REGIONS(n=self.n_spans, kinds="spans")
        if self.n_several:
            yield reasons.SEVERAL_CHOICES(n=self.n_several)


def _rows(path: Path, seen: _Seen | None = None) -> Iterator[tuple[int, Row]]:
    seen = seen or _Seen()
    for number, (item, who, labels, n_spans) in _annotations(path):
        seen.n += 1
        seen.items.add(item)
        seen.annotators.add(who)
        seen.n_spans += n_spans
        yield number, {"instance_id": item, "user_id": who} | _answers(labels, seen)


def _answers(labels: dict[str, dict[str, Any]], seen: _Seen) -> Row:
    found: Row = {}
    for scheme, given in labels.items():
        chosen = []
        for label, value in given.items():
            if label in WRITTEN:
                name = scheme if label == "text_box" else f"{scheme} {label}"
                found[name] = value
                seen.written.add(name)
            elif (said := _chosen(label, value)) != "":
                chosen.append(said)
        if chosen:
            found[scheme] = chosen[0] if len(chosen) == 1 else " | ".join(map(str, chosen))
            seen.n_several += len(chosen) > 1
    return found


def _chosen(label: str, value: object) -> object:
    """The answer that a label and its value say: the value of a field or a point of a scale, else the label."""
    text = str(value).strip()
    if value in (None, False, "") or text.casefold() in ("false", "none", "nan"):
        return ""
    if label in FIELDS or (text.isdecimal() and label.endswith(text)):
        return value
    return label


def _annotations(path: Path) -> Iterator[tuple[int, Annotated]]:
    """Each by its line, or by its number among all of a ZIP."""
    if zipfile.is_zipfile(path):
        yield from enumerate(_of_folder(path), start=1)
        return
    for number, row in tool_rows(path):
        if isinstance(row.get("labels"), dict):
            item, who = str(row.get("instance_id")), str(row.get("user_id"))
            yield number, (item, who, _nested(row["labels"]), _count(row.get("spans")))
        elif "label_annotations" in row:
            labels = _nested(row["label_annotations"])
            yield number, (str(row.get("id")), "", labels, _count(row.get("span_annotations")))
        else:
            yield number, _exported(row)


def _exported(row: Row) -> Annotated:
    """A row of an export: a column for each label, `scheme.label`. One of a scheme alone holds its final answer."""
    labels: dict[str, dict[str, Any]] = {}
    n_spans = 0
    for name, value in row.items():
        scheme, point, label = name.partition(".")
        if name in NAMES or value in (None, ""):
            continue
        if label in SPANS:
            n_spans += _count(json.loads(value)) if label == "_spans" and isinstance(value, str) else 0
        elif isinstance(value, dict):  # JSON Lines may keep them by scheme
            labels.setdefault(name, {}).update(value)
        else:
            labels.setdefault(scheme, {})[label if point else ""] = value
    return str(row.get("instance_id")), str(row.get("user_id")), labels, n_spans


def _of_folder(path: Path) -> Iterator[Annotated]:
    """The folders of annotators. Their state has what older versions write beside it as annotated instances."""
    archive = ZipAudio(path, max_bytes=MAX_BYTES)
    with zipfile.ZipFile(path) as opened:
        names = sorted(info.filename for info in opened.infolist())
    folders = {PurePosixPath(name).parent for name in names if PurePosixPath(name).name == STATE}
    for name in names:
        place = PurePosixPath(name)
        if place.name != STATE and (place.name != INSTANCES or place.parent in folders):
            continue
        with archive.open(name) as file:
            data = file.read()
        yield from _of_state(data, place.parent.name) if place.name == STATE else _of_instances(data, place)


def _of_state(data: bytes, folder: str) -> Iterator[Annotated]:
    try:
        state = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableManifest(NO_JSON(why=reason_of(error))) from error
    who = str(state.get("user_id") or folder)
    spans = state.get("instance_id_to_span_to_value") or {}
    for item, labels in (state.get("instance_id_to_label_to_value") or {}).items():
        yield str(item), who, _nested(labels), _count(spans.get(item))


def _of_instances(data: bytes, place: PurePosixPath) -> Iterator[Annotated]:
    for _, row in rows_of(data):
        labels = _nested(row.get("label_annotations"))
        yield str(row.get("id")), place.parent.name, labels, _count(row.get("span_annotations"))


def _nested(labels: object) -> dict[str, dict[str, Any]]:
    """Labels by scheme; states have them as pairs of a label and its value, too."""
    if isinstance(labels, dict):
        return {str(scheme): given if isinstance(given, dict) else {"": given} for scheme, given in labels.items()}
    found: dict[str, dict[str, Any]] = {}
    for entry in labels if isinstance(labels, list) else ():
        if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], dict):
            found.setdefault(str(entry[0].get("schema")), {})[str(entry[0].get("name"))] = entry[1]
    return found


def _count(spans: object) -> int:
    if isinstance(spans, dict):
        return sum(len(it) if isinstance(it, list) else 1 for it in spans.values())
    return len(spans) if isinstance(spans, list) else 0


TOOL = Tool("potato", _recognises, _open, has_no_sound=True)
