"""The columns that describe an annotation: what the answers of one rater to one unit have in common.

A new column is one more field of `Given`. The table, its import, the schema of Parquet and the reference follow.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import partial
from sys import intern
from typing import Any, TypeVar

from corpus.tidy import reasons
from corpus.tidy.cells import Cells, Unfit, as_json, finite, kept
from corpus.tidy.columns import MAX_TEXT, Column, of_people

T = TypeVar("T")
Slots = Collection[str]
#: annotator and purpose
Rater = tuple[str, str]
#: Who can have left an answer out: a person, whom no table names, or a rule.
EXCLUDED_BY = ("person", "rule")
#: What is said of a defect; `slot` is `prompt` where it is in the prompt.
MARK = ("slot", "turn", "start", "end", "kind")
MOST_SLOTS, MOST_TURNS, MOST_REVISIONS = 26, 100, 10_000
#: The degrees in which annotators say how sure they are.
MOST_CONFIDENCE = 3
MOST_SECONDS, MOST_TIMES = 1e9, 10**9 - 1
LEAST_CHANCE = 1e-12
LONGEST_ASPECT, LONGEST_MARK = 60, 15


@dataclass(frozen=True)
class TableField:
    """How a field of `Given` stands in the table, and where exports find it.

    `read` gets the cells of a row and the slots of its unit. `cells` gets all that is given: some follow from two
    fields. `annotation` is the path of the field from an annotation, `verdict` that of a verdict, where they have it.
    """

    columns: tuple[Column, ...]
    read: Callable[[Cells, Slots], Any]
    cells: Callable[["Given"], Iterable[object]]
    annotation: str = ""
    verdict: str = ""


def table_field(
    *columns: Column,
    read: Callable[[Cells, Slots], Any] | None = None,
    cells: Callable[["Given"], Iterable[object]] | None = None,
    annotation: str = "",
    verdict: str = "",
) -> dict[str, TableField]:
    """The metadata of a field with its columns. A single one has the field's name, and is read by its kind."""
    first = columns[0]
    read, cells = read or partial(_read, first), cells or partial(_cells, first)
    return {"table": TableField(columns, read, cells, annotation, verdict)}


def _read(column: Column, cells: Cells, _slots: Slots) -> Any:
    by_kind: dict[str, Callable[[str], Any]] = {"time": cells.time, "truth": cells.truth}
    by_kind["text"] = partial(cells.text, longest=column.longest)
    return by_kind[column.kind](column.name)


def _cells(column: Column, given: "Given") -> tuple[object]:
    value = getattr(given, column.name)
    if column.kind == "time":
        value = value.isoformat() if value else None
    return (as_json(value) if column.kind == "json" else value,)


def _whole(name: str, least: int, most: int, cells: Cells, _slots: Slots) -> int | None:
    return cells.whole(name, least, most)


def _order(cells: Cells, slots: Slots) -> str:
    order = cells.text("order", longest=MOST_SLOTS)
    if order and sorted(order) != sorted(slots):
        cells.refuse("order", reasons.ORDER_OF_SLOTS(order=repr(order)))
    return order


def _code(name: str, cells: Cells, _slots: Slots) -> str:
    """A word as the programme uses it for itself. Which ones there are may be more in another installation."""
    text = cells.text(name, longest=100)
    if text and not re.fullmatch(r"[a-z][a-z_]{0,11}", text):
        cells.refuse(name, reasons.NO_CODE(text=repr(text)))
        return ""
    return text


def _passing(said: object) -> dict[str, list[str]]:
    if not isinstance(said, dict) or not all(isinstance(values, list) for values in said.values()):
        raise Unfit(reasons.BY_ASPECT())
    return {
        kept(name, longest=LONGEST_ASPECT + 2): [kept(value, longest=MAX_TEXT) for value in said[name]]
        for name in sorted(said)
    }


def _marks(cells: Cells, slots: Slots) -> tuple[dict[str, Any], ...]:
    return cells.json("marks", partial(_marks_of, slots=slots)) or ()


def _marks_of(said: object, *, slots: Slots) -> tuple[dict[str, Any], ...]:
    if not isinstance(said, list):
        raise Unfit(reasons.TO_BE_MARKS())
    return tuple(_mark(mark, slots) for mark in said)


def _mark(said: object, slots: Slots) -> dict[str, Any]:
    if not isinstance(said, dict) or set(said) != set(MARK):
        raise Unfit(reasons.MARK_HAS(names=", ".join(MARK)))
    _clip(said["slot"], str(said["turn"]), slots=slots)
    start = finite(said["start"], least=0, most=MOST_SECONDS)
    end = finite(said["end"], least=start, most=MOST_SECONDS)
    kind = kept(said["kind"], longest=LONGEST_MARK)
    return {"slot": said["slot"], "turn": int(said["turn"]), "start": start, "end": end, "kind": kind}


def _clip(slot: object, turn: str, *, slots: Slots) -> None:
    """Raise Unfit unless there can be such a clip."""
    if slot not in ("prompt", *slots):
        raise Unfit(reasons.NO_SLOT(slot=repr(str(slot)[:40])))
    if not re.fullmatch("[1-9][0-9]{0,2}", turn) or int(turn) > MOST_TURNS:
        raise Unfit(reasons.NO_TURN(turn=repr(turn[:40])))


def _listening(cells: Cells, slots: Slots) -> dict[str, Any]:
    """As an annotation keeps it; only what is there."""
    coverage = cells.json("coverage", partial(_by_clip, slots=slots, read=_share)) or {}
    plays = cells.json("plays", partial(_by_clip, slots=slots, read=_times)) or {}
    if coverage.keys() != plays.keys():
        cells.refuse("plays", reasons.PLAYS_DIFFER())
        return {}
    found: dict[str, Any] = {
        "clips": {intern(clip): {"coverage": coverage[clip], "plays": plays[clip]} for clip in coverage},
        "played_s": cells.number("played_s", 0, MOST_SECONDS),
        "switches": cells.whole("switches", 0, MOST_TIMES),
        "hidden_s": cells.number("hidden_s", 0, MOST_SECONDS),
    }
    return {name: value for name, value in found.items() if value not in (None, {})}


def _by_clip(said: object, *, slots: Slots, read: Callable[[object], T]) -> dict[str, T]:
    if not isinstance(said, dict):
        raise Unfit(reasons.BY_CLIP())
    for clip in said:
        slot, _, turn = clip.partition("-")
        _clip(slot, turn, slots=slots)
    return {clip: read(value) for clip, value in said.items()}


def _share(said: object) -> float:
    return finite(said, least=0, most=1)


def _times(said: object) -> int:
    if not isinstance(said, int):
        raise Unfit(reasons.TO_BE_WHOLE(value=repr(str(said)[:40])))
    return int(finite(said, least=0, most=MOST_TIMES))


def _heard_cells(given: "Given") -> Iterable[object]:
    clips = given.listening.get("clips", {})
    for what in ("coverage", "plays"):
        yield as_json({clip: clips[clip][what] for clip in sorted(clips, key=_place)})
    for what in ("played_s", "switches", "hidden_s"):
        yield given.listening.get(what)


def _place(clip: str) -> tuple[bool, str, int]:
    """The prompt's turns first, then those of each slot."""
    slot, turn = clip.split("-")
    return slot != "prompt", slot, int(turn)


@dataclass(frozen=True, slots=True)
class Given:
    """What all the answers of one rater to one unit have in common; `listening` as an annotation keeps it.

    `purpose` is what the unit was there for: the study, or a check, whose `expected` has the values that pass by
    aspect. `excluded` is the reason for which the answers are left out of the analysis. `propensity` is the chance
    with which an arena drew the pair.
    """

    annotator: str = field(metadata=table_field(
        of_people("annotator", "pseudonym of the person; empty for judges", imported="needed", longest=100),
    ))  # fmt: skip
    order: str = field(default="", metadata=table_field(
        Column("order", "the slots as they were heard: ba had b first"),
        read=_order, annotation="assignment__order", verdict="order",
    ))  # fmt: skip
    confidence: int | None = field(default=None, metadata=table_field(
        of_people("confidence", "1 (guessing) to 3 (certain), where it was said", "whole"),
        read=partial(_whole, "confidence", 1, MOST_CONFIDENCE), annotation="confidence",
    ))  # fmt: skip
    flag: str = field(default="", metadata=table_field(
        of_people(
            "flag", "why somebody should look at the unit again", meaning="why the unit should be reviewed",
            longest=MAX_TEXT,
        ),
        annotation="flag",
    ))  # fmt: skip
    marks: tuple[Mapping[str, Any], ...] = field(default=(), metadata=table_field(
        of_people("marks", "JSON: defects with slot (or prompt), turn, start and end in seconds, kind", "json"),
        read=_marks,
        cells=lambda given: [as_json([{name: mark[name] for name in MARK} for mark in given.marks])],
    ))  # fmt: skip
    shown_at: datetime | None = field(default=None, metadata=table_field(
        of_people("shown_at", "when the unit came up", "time", imported="kept, with recorded_at"),
        annotation="shown_at",
    ))  # fmt: skip
    recorded_at: datetime | None = field(default=None, metadata=table_field(
        Column("recorded_at", "when the answer was taken", "time", imported="kept; needed with shown_at"),
        of_people("seconds", "between the two", "number", imported="compared"),
        cells=lambda given: [given.recorded_at.isoformat() if given.recorded_at else None, given.seconds],
        annotation="recorded_at", verdict="judged_at",
    ))  # fmt: skip
    revision: int | None = field(default=None, metadata=table_field(
        of_people("revision", "1 for a first answer, more where it replaced an earlier one", "whole"),
        read=partial(_whole, "revision", 1, MOST_REVISIONS),
    ))  # fmt: skip
    listening: Mapping[str, Any] = field(default_factory=dict, metadata=table_field(
        of_people(
            "coverage", "JSON: the share that was heard, from 0 to 1, by slot and turn", "json",
            imported="kept, with plays",
        ),
        of_people("plays", "JSON: how often each clip was begun", "json", imported="kept, with coverage"),
        of_people("played_s", "seconds of sound that were played, repetitions included", "number"),
        of_people("switches", "from one clip to another", "whole"),
        of_people("hidden_s", "seconds during which the page was not in view", "number"),
        read=_listening, cells=_heard_cells, annotation="listening",
    ))  # fmt: skip
    language: str = field(default="", metadata=table_field(
        of_people("language", "of the page", longest=10), annotation="language",
    ))  # fmt: skip
    purpose: str = field(default="", metadata=table_field(
        Column(
            "purpose", "study, or a check: gold, identical, repeat",
            imported="kept; a rater's checks are a label set of their own",
        ),
        read=partial(_code, "purpose"), annotation="assignment__campaign_unit__purpose",
    ))  # fmt: skip
    excluded: str = field(default="", metadata=table_field(
        of_people(
            "excluded", "why the answer is left out of the analysis; empty where it is used",
            imported="kept, with excluded_by",
        ),
        read=partial(_code, "excluded"),
    ))  # fmt: skip
    excluded_by: str = field(default="", metadata=table_field(
        of_people("excluded_by", "rule or person", imported="kept, with excluded"),
        read=lambda cells, _slots: cells.one_of("excluded_by", ("", *EXCLUDED_BY)),
    ))  # fmt: skip
    expected: Mapping[str, Any] = field(default_factory=dict, metadata=table_field(
        of_people("expected", "JSON: what passes of a check, a list of values by aspect", "json"),
        read=lambda cells, _slots: cells.json("expected", _passing) or {},
        cells=lambda given: [as_json({name: given.expected[name] for name in sorted(given.expected)})],
        annotation="assignment__campaign_unit__expected",
    ))  # fmt: skip
    propensity: float | None = field(default=None, metadata=table_field(
        Column(
            "propensity",
            "the chance with which an arena drew this pair of systems; empty where nothing was drawn", "number",
        ),
        read=lambda cells, _slots: cells.number("propensity", LEAST_CHANCE, 1),
        annotation="assignment__draw__propensity",
    ))  # fmt: skip

    @property
    def rater(self) -> Rater:
        """The same person is another rater where they answer checks: the unit may be one of the study, too."""
        return self.annotator, self.purpose

    @property
    def seconds(self) -> float | None:
        """How long the unit was before the rater."""
        if self.shown_at is None or self.recorded_at is None:
            return None
        return round((self.recorded_at - self.shown_at).total_seconds(), 3)


#: How each field stands in the table, by its name.
FIELDS: Mapping[str, TableField] = {it.name: it.metadata["table"] for it in fields(Given)}
COLUMNS = tuple(column for it in FIELDS.values() for column in it.columns)
#: What an imported annotation is read from: its label set has the rater and the purpose.
_APART = ("annotator", "purpose", "order", "excluded")
STORED = ("label_set__rater", "label_set__purpose", "order", "excluded", "given")


def read_given(cells: Cells, slots: Slots) -> Given:
    """What the cells of a row tell, of a unit with these slots. What is wrong with them is in `cells.errors`."""
    given = Given(**{name: it.read(cells, slots) for name, it in FIELDS.items()})
    if given.shown_at and not given.recorded_at:
        cells.refuse("recorded_at", reasons.SHOWN_NOT_RECORDED())
    if bool(given.excluded) != bool(given.excluded_by):
        cells.refuse("excluded_by", reasons.EXCLUDED_BY_MISSING())
    return given


def given_cells(given: Given) -> list[object]:
    """By COLUMNS."""
    return [cell for it in FIELDS.values() for cell in it.cells(given)]


def stored(given: Given) -> dict[str, Any]:
    """As an imported annotation keeps it: what queries ask for by itself, and the rest as JSON where there is any."""
    rest = {name: getattr(given, name) for name in FIELDS if name not in _APART}
    plain = {name: _plain(value) for name, value in rest.items() if value not in (None, "", (), {})}
    return {"order": given.order, "excluded": given.excluded, "given": plain}


def restored(rater: str, purpose: str, order: str, excluded: str, given: Mapping[str, Any]) -> Given:
    """The inverse, from the columns STORED."""
    rest = {name: _restored(FIELDS[name], value) for name, value in given.items()}
    return Given(rater, order=order, purpose=purpose, excluded=excluded, **rest)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _restored(about: TableField, value: Any) -> Any:
    if about.columns[0].kind == "time":
        return datetime.fromisoformat(value)
    return tuple(value) if isinstance(value, list) else value
